import {
  Composer,
  isMap,
  isScalar,
  isSeq,
  visit,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { keyText, readYaml } from './readYaml.ts'
import { isObject, sameText, toJson, type Json, type JsonObject } from '../model/types.ts'
import { quotedText, WRITE_OPTIONS, writeYaml, yamlTokens } from './yamlTokens.ts'

/**
 * Edits a YAML text to contain another document; comments and layout of unchanged parts stay.
 * @returns undefined if that is not safe
 */
export const editYaml = (source: string, from: JsonObject, to: JsonObject): string | undefined => {
  const [document] = new Composer(OPTIONS).compose(yamlTokens(source), true, source.length)
  if (!document || document.errors.length > 0) return undefined
  const cuts: Cut[] = []
  const edited = collect(source, document.contents, from, to, cuts) ? splice(source, cuts) : undefined
  if (edited !== undefined && holds(edited, to)) return edited
  if (!isMap(document.contents)) return undefined
  expandAliases(document)
  syncMap(document, document.contents, from, to)
  const lines = document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] /.test(source) })
  const text = source.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines
  return holds(text, to) ? text : undefined
}

const holds = (text: string, document: JsonObject): boolean => {
  const { value, faults, warnings } = readYaml(text)
  return faults.length === 0 && warnings.length === 0 && sameText(value, document)
}

const OPTIONS = {
  ...WRITE_OPTIONS,
  merge: false,
  intAsBigInt: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

/** Puts in place of each alias what it stands for: an edit of one of the two is none of the other. */
const expandAliases = (document: Document): void => {
  const anchored = new Map<string, Node>()
  const expanded = ({ source, comment, commentBefore }: Alias): Node | undefined => {
    const copy = anchored.get(source)?.clone() as Node | undefined
    return copy && Object.assign(copy, { comment, commentBefore })
  }
  visit(document, {
    Alias: (_, alias) => expanded(alias),
    Value: (_, node) => void (node.anchor !== undefined && anchored.set(node.anchor, node)),
  })
  visit(document, { Value: (_, node) => void delete node.anchor })
}

interface Cut {
  start: number
  end: number
  text: string
}

type Entry = Pair<Node, Node | null>

// If only values changed or members were removed, each change is a cut in the text.
const collect = (source: string, node: Node | null | undefined, from: Json, to: Json, cuts: Cut[]): boolean => {
  if (sameText(from, to)) return true
  if (isObject(from) && isObject(to) && isMap(node)) {
    const isKept = (member: string): boolean => Object.hasOwn(to, member)
    const members = Object.keys(from)
    const entries = entriesOf(node)
    if (members.filter(isKept).join('\n') !== Object.keys(to).join('\n')) return false
    return members.every((member) => {
      const pair = entries.get(member)
      if (!isKept(member)) return cutLines(source, pair, cuts)
      return collect(source, pair?.value, from[member] ?? null, to[member] ?? null, cuts)
    })
  }
  if (Array.isArray(from) && Array.isArray(to) && isSeq(node) && from.length === to.length) {
    return from.every((item, index) => collect(source, node.items[index] as Node, item, to[index] ?? null, cuts))
  }
  return typeof to !== 'object' && cutScalar(node, to, cuts)
}

// The lines of a member in block style.
const cutLines = (source: string, pair: Entry | undefined, cuts: Cut[]): boolean => {
  const at = pair?.key.range?.[0]
  const until = pair?.value?.range?.[2] ?? pair?.key.range?.[2]
  if (at === undefined || until === undefined) return false
  const start = source.lastIndexOf('\n', at - 1) + 1
  if (source.slice(start, at).trim() !== '') return false
  const line = source.indexOf('\n', until - 1)
  cuts.push({ start, end: line === -1 ? source.length : line + 1, text: '' })
  return true
}

const cutScalar = (node: Node | null | undefined, value: Json, cuts: Cut[]): boolean => {
  if (!isScalar(node) || !node.range || node.tag !== undefined || node.anchor !== undefined) return false
  if (node.type !== 'PLAIN' && node.type !== 'QUOTE_DOUBLE' && node.type !== 'QUOTE_SINGLE') return false
  const plainText = writeYaml(value).trimEnd()
  const quoted =
    typeof value === 'string' && (plainText.includes('\n') || node.type === 'QUOTE_DOUBLE' || /[,[\]{}#]/.test(value))
  const text = quoted ? quotedText(value) : plainText
  if (node.range[0] === node.range[1]) return false
  cuts.push({ start: node.range[0], end: node.range[1], text })
  return true
}

const splice = (source: string, cuts: readonly Cut[]): string => {
  const inOrder = cuts.toSorted((one, other) => one.start - other.start)
  const parts = inOrder.map(({ start, text }, index) => source.slice(inOrder[index - 1]?.end ?? 0, start) + text)
  return parts.join('') + source.slice(inOrder.at(-1)?.end ?? 0)
}

/** The pairs of a map by the names of their members. */
const entriesOf = (map: YAMLMap): ReadonlyMap<string | undefined, Entry> =>
  new Map((map.items as Entry[]).map((pair) => [keyText(pair.key), pair]))

const syncMap = (document: Document, map: YAMLMap, from: JsonObject, to: JsonObject): void => {
  const entries = entriesOf(map)
  map.items = Object.entries(to).map(([member, value]) => {
    const pair = entries.get(member)
    if (!pair) return document.createPair(member, value) as Entry
    pair.value = synced(document, pair.value, from[member] ?? null, value)
    return pair
  })
}

const synced = (document: Document, node: Node | null, from: Json, to: Json): Node | null => {
  if (sameText(from, to)) return node
  if (isMap(node) && isObject(from) && isObject(to)) syncMap(document, node, from, to)
  else if (isSeq(node) && Array.isArray(from) && Array.isArray(to)) syncList(document, node, from, to)
  else return withComments(document.createNode(to), node)
  return node
}

const withComments = (made: Node, old: Node | null): Node => {
  if (old?.comment) made.comment = old.comment
  if (old?.commentBefore) made.commentBefore = old.commentBefore
  if (old?.spaceBefore) made.spaceBefore = true
  return made
}

const IDENTITY = ['name', 'property', 'username', 'role', 'server', 'channel', 'id'] as const

const identity = (value: Json | undefined): string | undefined => {
  if (!isObject(value)) return undefined
  const member = IDENTITY.find((name) => typeof value[name] === 'string')
  return member === undefined ? undefined : `${member}=${String(value[member])}`
}

const syncList = (document: Document, list: YAMLSeq, from: Json[], to: Json[]): void => {
  const nodes = [...list.items] as Node[]
  const free = new Set(from.keys())
  const lastFirst = [...free].reverse()
  const byText = Map.groupBy(lastFirst, (at) => toJson(from[at] ?? null))
  const byIdentity = Map.groupBy(lastFirst, (at) => identity(from[at]))
  const nextFree = (indexes: number[] = []): number | undefined => {
    let at = indexes.pop()
    while (at !== undefined && !free.has(at)) at = indexes.pop()
    return at
  }
  list.items = to.map((item, index) => {
    const named = identity(item)
    const at =
      nextFree(byText.get(toJson(item))) ??
      (named === undefined ? undefined : nextFree(byIdentity.get(named))) ??
      (from.length === to.length && free.has(index) ? index : undefined)
    const node = at === undefined ? undefined : nodes[at]
    if (at === undefined || !node) return document.createNode(item)
    free.delete(at)
    return synced(document, node, from[at] ?? null, item)
  })
}
