import { schemaProblems } from './explain.ts'
import { isValidDocument, type SchemaVersion } from './check.ts'
import { readJson, type ParsedText } from '../text/readJson.ts'
import { readYaml } from '../text/readYaml.ts'
import { redact, secretPlaces, secretWarnings } from './serverSecrets.ts'
import { decodeText, lineAt, MAX_PROBLEMS, toProblems } from '../model/text.ts'
import {
  isObject,
  itemsIn,
  type ContentType,
  type Json,
  type JsonObject,
  type OdcsVersion,
  type Problem,
  type ProblemList,
  type Warning,
  pointer,
  textOf,
  type Path,
} from '../model/types.ts'
import { detectVersion } from './detectVersion.ts'

/** A document of a supported version with its source text, both without passwords. */
export interface ReadDocument {
  document: JsonObject
  source: string
  contentType: ContentType
  version: OdcsVersion
  warnings: Warning[]
  /** Adds line and column to problems: of their place in the text as it was sent, or of the nearest one around it. */
  placed: (problems: readonly Problem[]) => Problem[]
}

/** All problems of a text; `read` is set if it is a document of a supported version. */
type Inspection = ProblemList & { read?: ReadDocument }

type ReadResult = ({ ok: true } & ReadDocument) | ({ ok: false } & ProblemList)

/**
 * Reads and checks a document of any supported version.
 * @param input at most 5 MiB of UTF-8; larger, deeper or hostile texts are refused with problems, never thrown
 * @returns the document, or all problems with path, line and column
 */
export const readDocument = (input: Uint8Array | string, contentType: ContentType): ReadResult => {
  const { read, problems, unlisted } = inspectDocument(input, contentType)
  return read === undefined || problems.length > 0 ? { ok: false, problems, unlisted } : { ok: true, ...read }
}

/** Reads any document of a supported version as far as possible, with all its problems. */
export const inspectDocument = (input: Uint8Array | string, contentType: ContentType): Inspection => {
  const decoded = decodeText(input)
  if ('problem' in decoded) return { problems: [decoded.problem] }
  const source = decoded.text
  const parsed = parseText(source, contentType)
  if (parsed.faults.length > 0) return toProblems(source, parsed.faults)
  if (!isObject(parsed.value)) {
    const message =
      'the document must be a mapping of members, not ' +
      `${Array.isArray(parsed.value) ? 'a list' : parsed.value === null ? 'empty' : 'a single value'}`
    return { problems: [{ path: '', line: 1, column: 1, message }] }
  }
  return checkDocument(parsed, parsed.value, source, contentType)
}

export const parseText = (source: string, contentType: ContentType): ParsedText =>
  contentType === 'json' ? readJson(source) : readYaml(source)

/** Why a text cannot be read, whatever it says. */
export const textProblem = (source: string, contentType: ContentType): string | undefined => {
  const decoded = decodeText(Buffer.from(source))
  return 'problem' in decoded ? decoded.problem.message : parseText(decoded.text, contentType).faults[0]?.message
}

const checkDocument = (
  parsed: ParsedText,
  document: JsonObject,
  source: string,
  contentType: ContentType,
): Inspection => {
  const found = detectVersion(document)
  if (!found.ok) return locateAll(parsed, source, [found])
  const { shape, version } = found
  const all = [...schemaComplaints(document, shape, version), ...duplicateNames(document, shape)]
  const secrets = secretPlaces(document)
  const kept = secrets.length > 0 ? redact(document, source, contentType, secrets) : { document, source }
  const warnings = parsed.warnings.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({ path, message }))
  const read: ReadDocument = {
    ...kept,
    contentType,
    version,
    warnings: [...warnings, ...secretWarnings(secrets)],
    placed: (problems) => placedIn(parsed, source, problems),
  }
  return { ...locateAll(parsed, source, all), read }
}

/** Adds line and column to problems: of their place in a text, or of the nearest one around it. */
export const placedIn = (parsed: ParsedText, source: string, problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => {
    const path = sourcePath(parsed.value, problem.path)
    return { ...lineAt(source, parsed.locate(path)), ...problem, path }
  })

/** Maps a path of the upgraded document to the original: in v2 objects are `dataset` and properties are `columns`. */
const sourcePath = (document: Json, path: string): string => {
  const dataset = isObject(document) ? document['dataset'] : undefined
  if (dataset === undefined) return path
  const tables = Array.isArray(dataset) ? '/dataset' : '/dataset/tables'
  return path.replace(/^\/schema(?=\/|$)/, tables).replaceAll(/\/properties(?=\/|$)/g, '/columns')
}

const locateAll = (parsed: ParsedText, source: string, all: readonly Problem[]): ProblemList => {
  const named = all.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({
    path,
    offset: parsed.locate(path),
    message: withSource(parsed, source, path, message),
  }))
  return toProblems(source, named, all.length)
}

// `1.0` is the number 1: the source text tells what to quote.
const withSource = (parsed: ParsedText, source: string, path: string, message: string): string => {
  if (!message.endsWith('put it in quotes')) return message
  const offset = parsed.locate(path)
  const written = /^[^\s,#\]}]+/.exec(source.slice(offset, offset + 80))?.[0] ?? ''
  return written === '' ? message : `${message}: "${written}"`
}

const schemaComplaints = (document: JsonObject, shape: 'v2' | 'v3', version: OdcsVersion): Problem[] => {
  if (shape === 'v2') return []
  const { quality, ...rest }: JsonObject = { id: 'given at import', ...document }
  const extra = quality === undefined ? [] : qualityComplaints(quality)
  const declared = version as SchemaVersion
  const candidate: JsonObject = rest
  if (isValidDocument('v3.1.0', candidate) || (declared !== 'v3.1.0' && isValidDocument(declared, candidate)))
    return extra
  return [...schemaProblems(declared, candidate), ...extra]
}

// Not part of the standard, but accepted: a list of mappings with any content.
const qualityComplaints = (quality: Json): Problem[] => {
  if (!Array.isArray(quality)) return quality === null ? [] : [{ path: '/quality', message: 'must be a list of rules' }]
  return quality.flatMap((rule, index) =>
    isObject(rule) ? [] : [{ path: `/quality/${index}`, message: 'must be a mapping' }],
  )
}

/** @returns a complaint for every duplicate name of schema objects or properties in a list */
const duplicateNames = (document: JsonObject, shape: 'v2' | 'v3'): Problem[] => {
  const found: Problem[] = []
  if (shape === 'v3')
    for (const [object, at] of named(found, document['schema'], ['schema'], 'schema object')) inside(found, object, at)
  else namesInV2(found, document)
  return found
}

const inside = (found: Problem[], { properties, items }: JsonObject, at: Path): void => {
  for (const [property, place] of named(found, properties, [...at, 'properties'], 'property'))
    inside(found, property, place)
  if (isObject(items)) inside(found, items, [...at, 'items'])
}

// v2 has no closed schema; only the indispensable parts are required.
const namesInV2 = (found: Problem[], document: JsonObject): void => {
  const { dataset } = document
  const path = isObject(dataset) ? ['dataset', 'tables'] : ['dataset']
  const tables = isObject(dataset) ? dataset['tables'] : dataset
  if (!Array.isArray(tables)) return void found.push({ path: pointer(path), message: 'must be a list of tables' })
  for (const [{ columns }, at] of named(found, tables, path, 'table', 'table')) {
    const place = [...at, 'columns']
    if (columns === undefined || columns === null) continue
    if (Array.isArray(columns)) named(found, columns, place, 'column', 'column')
    else found.push({ path: pointer(place), message: 'must be a list of columns' })
  }
}

/**
 * The objects of a list with their places; a name that comes twice is a complaint.
 * @param own the member with the name in v2, where it is required
 */
const named = (
  found: Problem[],
  list: Json | undefined,
  path: Path,
  noun: string,
  own?: string,
): (readonly [JsonObject, Path])[] => {
  const seen = new Set<string>()
  return itemsIn(list).flatMap((item, index) => {
    const at = [...path, index]
    const complain = (place: Path, message: string): [] => (found.push({ path: pointer(place), message }), [])
    if (!isObject(item)) return own === undefined ? [] : complain(at, `must be a mapping with the member "${own}"`)
    const name = textOf(item[own ?? 'name']) ?? textOf(item['name'])
    if (name === undefined && own !== undefined) return complain(at, `needs the member "${own}", a text`)
    if (name !== undefined && seen.size === seen.add(name).size)
      complain([...at, own ?? 'name'], `the ${noun} name "${name}" stands here twice`)
    return [[item, at] as const]
  })
}
