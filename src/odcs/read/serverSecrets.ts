import { isMap, isSeq, parseDocument, type Node, type Pair } from 'yaml'
import {
  isList,
  isObject,
  pointer,
  sameValue,
  toJson,
  type ContentType,
  type Json,
  type JsonObject,
  type Path,
} from '../model/types.ts'

/** Ends of names that say what they hold, without what joins words: `dbPassword`, `api_key`, `Client Secret`. */
const secretName =
  /(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|account|private|secret|shared|signing)key)$/

const isSecret = (name: string): boolean => secretName.test(name.toLowerCase().replace(/[^a-z]/g, ''))

/** What must not be kept: a member as a whole, or a part of its text, which is `instead` without it. */
export interface SecretPlace {
  readonly path: Path
  readonly instead?: string
}

/** `scheme://user:password@`, also with a password that has what ends the host elsewhere, but not a port and a path. */
const login = /^((?:[a-z][\w+.-]*:)+\/\/[^/?#:@\s]*):(?:[^/?#\s]*|(?!\d+(?:[/?#,]|$))\S*)@/i

/** `name=value` behind what begins or parts the values of an address. */
const parameter = /([?&;])([^=?&;#\s]+)=[^&;#\s]*/g

/** An address without its password, and without the values of its parameters that are called like secrets. */
const withoutLogin = (address: string): string =>
  address.includes('://')
    ? address
        .replace(login, '$1@')
        .replace(parameter, (all: string, before: string, name: string) => (isSecret(name) ? `${before}${name}=` : all))
    : address

/**
 * Where passwords, keys and tokens stand: as a member of the document or of a server, as a custom property of either, or
 * within an address of either.
 */
export const secretPlaces = (document: JsonObject): SecretPlace[] => {
  const servers = isList(document['servers']) ? document['servers'] : []
  return [
    ...secretsOf(document, []),
    ...servers.flatMap((server, index) => (isObject(server) ? secretsOf(server, ['servers', index]) : [])),
  ]
}

const secretsOf = (element: JsonObject, at: Path): SecretPlace[] => {
  const items = isList(element['customProperties']) ? element['customProperties'] : []
  return [
    ...Object.entries(element).flatMap(([member, value]) => {
      const path = [...at, member]
      return isSecret(member) ? [{ path }] : loginIn(value, path)
    }),
    ...items.flatMap((item, index) => {
      if (!isObject(item)) return []
      const path = [...at, 'customProperties', index]
      return isSecret(String(item['property'])) ? [{ path }] : loginIn(item['value'], [...path, 'value'])
    }),
  ]
}

const loginIn = (value: Json | undefined, path: Path): SecretPlace[] => {
  if (typeof value !== 'string') return []
  const instead = withoutLogin(value)
  return instead === value ? [] : [{ path, instead }]
}

/** A document and its source text without what stands at some places. The text keeps its layout where it can. */
export const redact = (
  document: JsonObject,
  source: string,
  type: ContentType,
  places: readonly SecretPlace[],
  yaml: { readonly read: (text: string) => Json; readonly write: (document: JsonObject) => string },
) => {
  const clean = structuredClone(document)
  for (const place of places.toReversed()) drop(clean, place)
  if (type === 'json') return { document: clean, source: toJson(clean, 2) }
  const cut = cutOut(source, places)
  if (cut !== undefined && sameValue(yaml.read(cut), clean)) return { document: clean, source: cut }
  return { document: clean, source: yaml.write(clean) }
}

const drop = (value: Json, { path, instead }: SecretPlace): void => {
  const last = path.at(-1) ?? ''
  let holder: Json | undefined = value
  for (const step of path.slice(0, -1))
    holder = isList(holder) ? holder[Number(step)] : isObject(holder) ? holder[String(step)] : undefined
  if (isList(holder)) holder.splice(Number(last), 1)
  else if (isObject(holder) && instead !== undefined) holder[String(last)] = instead
  else if (isObject(holder)) delete holder[String(last)]
}

/** A part of a text, and what takes its place. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly by: string
}

/** The text without these places, as far as each can be cut out of it. */
const cutOut = (text: string, places: readonly SecretPlace[]): string | undefined => {
  const { contents } = parseDocument(text, {
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    schema: 'core',
  })
  const edits: Edit[] = []
  for (const place of places) {
    const edit = editOf(text, contents, place)
    if (edit === undefined) return undefined
    edits.push(edit)
  }
  const pieces: string[] = []
  let at = 0
  for (const { from, to, by } of edits.toSorted((one, other) => one.from - other.from)) {
    pieces.push(text.slice(at, from), by)
    at = to
  }
  return [...pieces, text.slice(at)].join('')
}

/** Takes out the lines of one block-style member, or replaces its plain text. */
const editOf = (text: string, contents: unknown, { path, instead }: SecretPlace): Edit | undefined => {
  let node: unknown = contents
  let pair: Pair<Node, Node | null> | undefined
  for (const step of path) {
    pair = undefined
    if (isSeq(node)) node = node.items[Number(step)]
    else if (isMap(node)) {
      pair = (node.items as Pair<Node, Node | null>[]).find(({ key }) => String(key) === step)
      node = pair?.value
    } else return undefined
  }
  const [from, to, end] = pair?.value?.range ?? []
  if (instead !== undefined)
    return from === undefined || to === undefined ? undefined : replacing(text.slice(from, to), from, instead)
  const start = pair?.key.range?.[0]
  const until = end ?? pair?.key.range?.[2]
  if (start === undefined || until === undefined) return undefined
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  if (text.slice(lineStart, start).trim() !== '') return undefined
  return { from: lineStart, to: text[until - 1] === '\n' ? until : endOfLine(text, until), by: '' }
}

/** The same quotes around another text; whoever asks looks whether that is what it means. */
const replacing = (written: string, from: number, instead: string): Edit => {
  const quote = /^["']/.exec(written)?.[0] ?? ''
  return { from, to: from + written.length, by: `${quote}${instead}${quote}` }
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

export const secretWarning = ({ path, instead }: SecretPlace) => ({
  path: pointer(path),
  message:
    instead === undefined
      ? 'a password, key or token is never kept; it was left out'
      : 'a password, key or token in an address is never kept; it was left out of it',
})
