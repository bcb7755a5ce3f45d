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
} from '../types.ts'

/** Ends of names that say what they hold, without what joins words: `dbPassword`, `api_key`, `Client Secret`. */
const secretName =
  /(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|account|private|secret|shared|signing)key)$/

const isSecret = (name: string): boolean => secretName.test(name.toLowerCase().replace(/[^a-z]/g, ''))

/** @returns where passwords, keys and tokens stand: as a member of the document or of a server, or as a custom property of either. */
export const secretPaths = (document: JsonObject): Path[] => {
  const servers = isList(document['servers']) ? document['servers'] : []
  return [
    ...secretsOf(document, []),
    ...servers.flatMap((server, index) => (isObject(server) ? secretsOf(server, ['servers', index]) : [])),
  ]
}

const secretsOf = (element: JsonObject, at: Path): Path[] => {
  const items = isList(element['customProperties']) ? element['customProperties'] : []
  return [
    ...Object.keys(element)
      .filter(isSecret)
      .map((member) => [...at, member]),
    ...items.flatMap((item, index) =>
      isObject(item) && isSecret(String(item['property'])) ? [[...at, 'customProperties', index]] : [],
    ),
  ]
}

/** A document and its source text without the members at some paths. The text keeps its layout where it can. */
export const redact = (
  document: JsonObject,
  source: string,
  type: ContentType,
  paths: readonly Path[],
  yaml: { readonly read: (text: string) => Json; readonly write: (document: JsonObject) => string },
) => {
  const clean = structuredClone(document)
  for (const path of paths.toReversed()) drop(clean, path)
  if (type === 'json') return { document: clean, source: toJson(clean, 2) }
  const cut = paths
    .toReversed()
    .reduce<string | undefined>((text, path) => (text === undefined ? undefined : cutMember(text, path)), source)
  if (cut !== undefined && sameValue(yaml.read(cut), clean)) return { document: clean, source: cut }
  return { document: clean, source: yaml.write(clean) }
}

const drop = (value: Json, path: Path): void => {
  const last = path.at(-1) ?? ''
  let holder: Json | undefined = value
  for (const step of path.slice(0, -1))
    holder = isList(holder) ? holder[Number(step)] : isObject(holder) ? holder[String(step)] : undefined
  if (isList(holder)) holder.splice(Number(last), 1)
  else if (isObject(holder)) delete holder[String(last)]
}

// Takes out the lines of one block-style member.
const cutMember = (text: string, path: Path): string | undefined => {
  let node: unknown = parseDocument(text, {
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    schema: 'core',
  }).contents
  let span: [number, number] | undefined
  for (const step of path) {
    if (isSeq(node)) {
      node = node.items[Number(step)]
      return undefined
    }
    if (!isMap(node)) return undefined
    const pair = (node.items as Pair<Node, Node | null>[]).find(({ key }) => String(key) === step)
    const start = pair?.key.range?.[0]
    const end = pair?.value?.range?.[2] ?? pair?.key.range?.[2]
    if (start === undefined || end === undefined) return undefined
    span = [start, end]
    node = pair?.value
  }
  if (!span) return undefined
  const lineStart = text.lastIndexOf('\n', span[0] - 1) + 1
  if (text.slice(lineStart, span[0]).trim() !== '') return undefined
  return text.slice(0, lineStart) + text.slice(text[span[1] - 1] === '\n' ? span[1] : endOfLine(text, span[1]))
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

export const secretWarning = (path: Path) => ({
  path: pointer(path),
  message: 'a password, key or token is never kept; it was left out',
})
