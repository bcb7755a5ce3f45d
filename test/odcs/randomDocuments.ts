import { Ajv2019, type ErrorObject } from 'ajv/dist/2019.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import {
  detach,
  documentValueAt,
  isObject,
  itemsIn,
  objectsIn,
  pathOf,
  replace,
  textOf,
  type Json,
  type JsonObject,
} from '../../src/odcs/model/types.ts'
import { randomFor, type Random } from '../support/random.ts'

const WORDS = ['alpha', 'beta', 'gamma', 'delta']
const TEXTS = [
  ...'null|yes|No|1e3|2024-01-01|2022-11-15 02:59:43|31.12.2023|~|0x10|1.0|014|12:30:45|.inf|-|=|<<'.split('|'),
  ...'# no comment|a: b|- x|*x|a.b|toString|constructor|owner|active|P1D|string|validValues|nullCheck'.split('|'),
  ...' leading|trailing |two\nlines\n|a\ttab|a\r\nb|üñí 😀|\u0085x|\u2028x|\ufeffx|a\u007fb|'.split('|'),
  'x'.repeat(300),
]
const NUMBERS = [0, 1, -1, 1.5, 1e21, 1e-7, 42, 9007199254740991]
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-01-01', '2020-02-29'],
  'date-time': ['2024-01-01T00:00:00Z', '2022-11-15T02:59:43.5+02:00'],
  uri: ['https://example.com/a?b=c#d', 'urn:a:b'],
}
/** Members of one version beside which those of another may stand, where they mean the same. */
const OTHER_MEMBERS = (
  'team stakeholders comment column element name primaryKey isPrimaryKey required isNullable unique isUnique columns ' +
  'properties items schedule scheduler scheduleCronExpression metric rule validValues arguments engine implementation ' +
  'support description staging_dir stagingDir customProperties quality'
).split(' ')

/** Makes values of the schemas that a schema is made of. */
const makeValues = (root: JsonObject, random: Random) => {
  const text = (): string => (random.chance(0.6) ? `${random.pick(WORDS)}${random.between(1, 99)}` : random.pick(TEXTS))
  const anything = (depth: number): Json => {
    const kind = random.between(0, depth > 2 ? 4 : 7)
    if (kind < 3) return text()
    if (kind === 3) return random.pick(NUMBERS)
    if (kind === 4) return random.pick([true, false, null])
    const list = Array.from({ length: random.between(0, 3) }, () => anything(depth + 1))
    return kind === 5 ? list : Object.fromEntries(list.map((value) => [text(), value]))
  }
  // The schema and those that it refers to, or one of those that it chooses from.
  const parts = (schema: Json | undefined, seen = new Set<Json>()): JsonObject[] => {
    if (!isObject(schema) || seen.size === seen.add(schema).size) return []
    const { $ref, allOf, oneOf, anyOf } = schema
    const target = typeof $ref === 'string' ? documentValueAt(root, pathOf($ref.slice(1))) : undefined
    const choices = [oneOf, anyOf].flatMap((choice) => (Array.isArray(choice) ? [random.pick(choice)] : []))
    return [schema, ...[target, schema['then'], ...itemsIn(allOf), ...choices].flatMap((part) => parts(part, seen))]
  }
  const membersOf = (all: readonly JsonObject[], depth: number): JsonObject => {
    const required = new Set(all.flatMap((part) => itemsIn(part['required'])))
    const isWanted = ([member]: readonly [string, Json]) =>
      required.has(member) || (depth < 8 && random.chance(depth === 0 ? 0.7 : 0.7 / Math.sqrt(depth + 1)))
    const known = all.flatMap(({ properties }) => (isObject(properties) ? Object.entries(properties) : []))
    const made = known.filter(isWanted).map(([member, part]) => [member, make(part, depth + 1, member)] as const)
    // Open schemas allow members of other versions, and of nobody.
    const more = random.chance(0.15) ? [[random.pick([...OTHER_MEMBERS, 'own']), anything(0)] as const] : []
    return Object.fromEntries(random.chance(0.5) ? [...more, ...made] : [...made, ...more])
  }
  const make = (schema: Json | undefined, depth: number, member = ''): Json => {
    if (['name', 'table', 'column'].includes(member)) return `${random.pick(WORDS)}${random.between(1, 99)}`
    if (/^(location|staging_?dir)$/i.test(member)) return random.pick(FORMATS['uri'] ?? [])
    const all = parts(schema)
    const find = (name: string): Json | undefined => all.find((part) => part[name] !== undefined)?.[name]
    const [type, values, format] = [[find('type')].flat()[0], find('enum') ?? find('const'), textOf(find('format'))]
    if (values !== undefined) return random.pick([values].flat())
    if (type === 'string') return format === undefined ? text() : random.pick(FORMATS[format] ?? TEXTS)
    if (type === 'number' || type === 'integer') return random.pick(NUMBERS)
    if (type === 'boolean') return random.chance(0.5)
    if (depth > 12) return null
    if (type === 'array')
      return Array.from({ length: depth > 8 ? 0 : random.between(0, 2) }, () => make(find('items'), depth + 1))
    const isObjectSchema = type === 'object' || find('properties') !== undefined
    return isObjectSchema ? membersOf(all, depth) : anything(1)
  }
  return make
}

/** Makes documents that are valid by the schema of a version, the same ones for the same label. */
export const documentsOf = (version: string, root: JsonObject, label: string): (() => JsonObject) => {
  const make = makeValues(root, randomFor(`${version} ${label}`))
  const check = new Ajv2019({
    strict: false,
    validateSchema: false,
    allErrors: true,
    code: { optimize: false },
    formats: { ...fullFormats, uri: true },
  }).compile<JsonObject>(root)
  const schemas = membersIn(root)
  const isMended = (document: JsonObject): boolean => {
    for (let round = 0; round < 60 && !check(document); round += 1)
      mend(document, deepest(check.errors ?? []), (member) => make(schemas.get(member), 5, member))
    for (const member of ['schema', 'dataset']) makeNamesDistinct(document[member])
    return check(document)
  }
  return () => {
    for (;;) {
      const document: JsonObject = { ...(make(root, 0) as JsonObject), apiVersion: version }
      if (isMended(document)) return document
    }
  }
}

const membersIn = (schema: Json): Map<string, Json> => {
  const own = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const inside = typeof schema === 'object' && schema !== null ? Object.values(schema) : []
  return new Map([...inside.flatMap((part) => [...membersIn(part)]), ...own])
}

const deepest = (errors: readonly ErrorObject[]): ErrorObject => {
  const rank = ({ instancePath, keyword }: ErrorObject) =>
    pathOf(instancePath).length * 2 + Number(!['if', 'oneOf', 'anyOf', 'not'].includes(keyword))
  return errors.toSorted((one, other) => rank(other) - rank(one))[0] as ErrorObject
}

const mend = (document: JsonObject, error: ErrorObject, make: (member: string) => Json): void => {
  const path = pathOf(error.instancePath)
  const params = error.params as Record<string, Json>
  const unknown = params['additionalProperty'] ?? params['unevaluatedProperty']
  const { missingProperty: missing, allowedValues, allowedValue = itemsIn(allowedValues)[0] } = params
  const element = documentValueAt(document, path)
  if (unknown !== undefined) detach(document, [...path, String(unknown)])
  else if (missing !== undefined && isObject(element)) element[String(missing)] = make(String(missing))
  else if (allowedValue !== undefined && path.length > 0) replace(document, path, allowedValue)
  else detach(document, path)
}

const makeNamesDistinct = (list: Json | undefined): void => {
  const seen = new Set<string>()
  for (const element of objectsIn(list)) {
    for (const member of ['name', 'table', 'column']) {
      let name = textOf(element[member])
      if (name === undefined) continue
      while (seen.size === seen.add(name).size) name += '_'
      element[member] = name
    }
    for (const holder of [element, element['items']])
      if (isObject(holder)) for (const member of ['properties', 'columns']) makeNamesDistinct(holder[member])
  }
}
