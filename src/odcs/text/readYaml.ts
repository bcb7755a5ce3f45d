import {
  Composer,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Document,
  type Lexer,
  type Node,
  type Pair,
  type Tags,
  type YAMLError,
  type YAMLMap,
  visit,
} from 'yaml'
import { exactInteger, numberFault, type ParsedText } from './readJson.ts'
import { isRefused, lineAt, MAX_DEPTH, MAX_PROBLEMS, TextFault, type Fault } from '../model/text.ts'
import { pathOf, pointer, put, type Json, type JsonObject } from '../model/types.ts'
import { makeLenientLexer, yamlTokens } from './yamlTokens.ts'

/** Most characters that aliases may add to a document, counting a node as eight. */
const MAX_ALIASED = 1_000_000

const KNOWN_TAGS = new Set([
  '!',
  ...['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
])

/** Dates stay text; duplicates are found by a check of our own in linear time. */
const OPTIONS = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
  // Without it `!!float 3` has no meaning, since 3 alone is an integer.
  customTags: (tags: Tags): Tags => [
    ...tags,
    { tag: 'tag:yaml.org,2002:float', default: true, test: /^[-+]?\d+$/, resolve: Number },
  ],
} as const

/** Parses YAML 1.2 (core). Quoted scalars folded to the column of their key or less are accepted with a warning. */
export const readYaml = (text: string): ParsedText => {
  const parsed = readOnce(text)
  if (!parsed.faults.some(({ message }) => message.startsWith('Missing closing'))) return parsed
  const folds: number[] = []
  const retried = readOnce(text, makeLenientLexer(folds))
  if (folds.length === 0 || retried.faults.length > 0) return parsed
  const warnings = folds.slice(0, MAX_PROBLEMS).map((offset) => ({
    path: '',
    offset,
    message: `line ${lineAt(text, offset).line}: the folded text should be indented deeper than its key`,
  }))
  return { ...retried, warnings: [...retried.warnings, ...warnings] }
}

/** What is wrong with a text, in the words of the composer. */
interface Finding {
  readonly code: string
  readonly offset: number
  readonly message: string
  readonly isWarning: boolean
}

const findingOf = ({ code, pos, message }: YAMLError): Finding => ({ code, offset: pos[0], message, isWarning: false })

class TooManyFindings extends Error {}

type Place = number | readonly [start: number, ...others: number[]] | { readonly offset: number }

const offsetOf = (place: Place): number =>
  typeof place === 'number' ? place : 'offset' in place ? place.offset : place[0]

/** A composer that gives up after so many findings; by itself it would make an error with a stack of every one. */
const makeComposer = (findings: Finding[]): Composer => {
  const composer = new Composer(OPTIONS)
  const onError = (place: Place, code: string, message: string, isWarning = false): void => {
    findings.push({ code, offset: offsetOf(place), message, isWarning })
    if (findings.length >= MAX_PROBLEMS * 10) throw new TooManyFindings()
  }
  return Object.assign(composer, { onError }) as Composer
}

/** Composes the nodes of a text, with comments and layout. */
const composeYaml = (
  text: string,
  lexer?: Lexer,
): { document?: Document.Parsed; findings: Finding[]; faults: Fault[] } => {
  const findings: Finding[] = []
  let document: Document.Parsed | undefined
  const failed = (offset: number, message: string) => ({
    ...(document && { document }),
    findings: [...findings, ...(document?.errors ?? []).map(findingOf)],
    faults: message === '' ? [] : [{ path: '', offset, message }],
  })
  try {
    for (const one of makeComposer(findings).compose(yamlTokens(text, lexer), true, text.length)) {
      if (document !== undefined) return failed(one.range[0], 'one document was expected, but a second one begins here')
      document = one
    }
  } catch (error) {
    if (error instanceof TooManyFindings) return failed(0, '')
    if (error instanceof TextFault) return failed(error.offset, error.message)
    if (error instanceof RangeError) return failed(0, `nested deeper than ${MAX_DEPTH} levels`)
    throw error
  }
  return failed(0, '')
}

const readOnce = (text: string, lexer?: Lexer): ParsedText => {
  const { document, findings, faults } = composeYaml(text, lexer)
  const locate = (path: string) => (document ? offsetAt(document, pathOf(path)) : 0)
  const warnings: Fault[] = []
  const opened = findings.some(isUnclosed) && document !== undefined ? quotesByEnd(document) : new Map<number, number>()
  for (const finding of findings) {
    const { code, offset, message, isWarning } = finding
    if (code === 'TAG_RESOLVE_FAILED')
      faults.push({ path: '', offset, message: message.replace(/^Unresolved tag/, 'unknown or unfit tag') })
    else if (isWarning) warnings.push({ path: '', offset, message })
    else if (isUnclosed(finding) && document !== undefined)
      faults.push({ path: '', offset: opened.get(offset) ?? offset, message: unclosed })
    else faults.push({ path: '', offset, message })
  }
  if (!document || faults.length > 0) return { value: null, faults, warnings, locate }
  const walk: Walk = { path: [], faults, anchors: new Map(), open: new Set(), aliased: 0, aliases: 0 }
  return { value: convert(walk, document.contents), faults, warnings, locate }
}

const isUnclosed = ({ message }: Finding): boolean => /^Missing closing ["']quote/.test(message)

const unclosed = 'Missing closing quote: the text that begins here is never closed'

/** Where each quoted text begins, by its end: an unclosed one is found there, and its beginning is more helpful. */
const quotesByEnd = (document: Document.Parsed): ReadonlyMap<number, number> => {
  const opened = new Map<number, number>()
  visit(document, {
    Scalar: (_, { range, type }) => {
      if (type?.startsWith('QUOTE_') && range) opened.set(range[1], range[0])
    },
  })
  return opened
}

interface Walk {
  path: (string | number)[]
  faults: Fault[]
  anchors: Map<string, Node>
  open: Set<Node>
  aliased: number
  aliases: number
}

const fault = (walk: Walk, node: Node | null | undefined, message: string): null => {
  walk.faults.push({ path: pointer(walk.path), offset: node?.range?.[0] ?? 0, message })
  return null
}

const convert = (walk: Walk, node: Node | null | undefined): Json => {
  if (!node) return null
  if (isAlias(node)) return convertAlias(walk, node.source, node)
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node)
  if (walk.aliases > 0 && !affordable(walk, node)) return null
  if (node.tag !== undefined && !KNOWN_TAGS.has(node.tag))
    return fault(walk, node, `unknown tag: ${node.tag.slice(0, 80)}`)
  if (isScalar(node)) return convertScalar(walk, node.value, node.source, node)
  if (walk.path.length >= MAX_DEPTH) return fault(walk, node, `nested deeper than ${MAX_DEPTH} levels`)
  if (!isMap(node) && !isSeq(node)) return fault(walk, node, 'unreadable value')
  walk.open.add(node)
  const value = isMap(node) ? convertMap(walk, node) : convertList(walk, node.items)
  walk.open.delete(node)
  return value
}

const convertList = (walk: Walk, items: readonly unknown[]): Json[] =>
  items.map((item, index) => {
    walk.path.push(index)
    const value = convert(walk, item as Node | null)
    walk.path.pop()
    return value
  })

const convertMap = (walk: Walk, node: YAMLMap): JsonObject => {
  const value: JsonObject = {}
  for (const pair of node.items as Pair<Node | null, Node | null>[]) {
    const member = keyText(pair.key)
    if (member === undefined) {
      fault(walk, pair.key ?? node, 'a member name must be a plain text')
      continue
    }
    walk.path.push(member)
    if (isRefused(member)) fault(walk, pair.key, `the member name "${member}" is not allowed`)
    if (member === '<<' && isAlias(pair.value))
      fault(walk, pair.key, 'merge keys (<<) are not part of YAML 1.2; write the members out')
    else if (Object.hasOwn(value, member)) fault(walk, pair.key, `the member "${member}" stands here twice`)
    else put(value, member, convert(walk, pair.value))
    walk.path.pop()
  }
  return value
}

/** The name of a member: of one that is no text, as it is written; `undefined` if it is no name. */
export const keyText = (key: Node | null): string | undefined => {
  if (!isScalar(key)) return undefined
  if (typeof key.value === 'string') return key.value
  return key.source === undefined || key.source === '' ? undefined : key.source
}

const convertScalar = (walk: Walk, value: unknown, source: string | undefined, node: Node): Json => {
  if (typeof value === 'string')
    return value.isWellFormed() ? value : fault(walk, node, 'the text holds half of a surrogate pair')
  if (typeof value === 'number') {
    const message = numberFault(source ?? '', value)
    if (message !== undefined) fault(walk, node, message)
    return exactInteger(source ?? '', value)
  }
  return typeof value === 'boolean' ? value : null
}

const convertAlias = (walk: Walk, name: string, node: Node): Json => {
  const target = walk.anchors.get(name)
  if (!target) return fault(walk, node, `the alias *${name} has no anchor before it`)
  if (walk.open.has(target)) return fault(walk, node, `the alias *${name} contains itself`)
  walk.aliases += 1
  const value = convert(walk, target)
  walk.aliases -= 1
  return value
}

const affordable = (walk: Walk, node: Node): boolean => {
  if (walk.aliased > MAX_ALIASED) return false
  walk.aliased += 8 + (isScalar(node) && typeof node.value === 'string' ? node.value.length : 0)
  if (walk.aliased > MAX_ALIASED) fault(walk, node, 'aliases make this document too large')
  return walk.aliased <= MAX_ALIASED
}

const offsetAt = (document: Document.Parsed, path: readonly string[]): number => {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0] ?? 0
  for (const step of path) {
    const pairs: Pair<Node | null, Node | null>[] = isMap(node) ? (node as YAMLMap<Node, Node>).items : []
    const pair = pairs.find(({ key }) => keyText(key) === step)
    node = isSeq(node) ? node.items[Number(step)] : pair?.value
    // A list or mapping below its name is told by the name.
    const place = pair !== undefined && isCollection(node) && node.flow !== true ? pair.key : node
    const start = (place as Node | null | undefined)?.range?.[0]
    if (start === undefined) break
    offset = start
  }
  return offset
}
