import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { namesByWord, words } from '../../shared/wordLists.ts'
import { type Budget, SchemaTextError, displayed, distinctFields, fieldOf, jsonIn, type ValueShape } from './node.ts'

/** The data type of each is its name in upper case. */
const primitives = new Set(words('null boolean int long float double bytes string'))

/** The data types of logical types on the types that they may stand on. */
const logicalTypes = namesByWord({
  DATE: 'int:date',
  TIME: 'int:time-millis long:time-micros',
  TIMESTAMP: `long:timestamp-millis long:timestamp-micros long:timestamp-nanos
    long:local-timestamp-millis long:local-timestamp-micros long:local-timestamp-nanos`,
  STRING: 'string:uuid',
  BYTES: 'bytes:decimal bytes:big-decimal',
  FIXED: 'fixed:decimal fixed:uuid fixed:duration',
})

type NamedTypes = Map<string, JsonObject>

interface Place {
  /** Named types of the text by full name. */
  readonly named: NamedTypes
  /** Named types under expansion: recursive types are not expanded again. */
  readonly expanding: Set<string>
  readonly budget: Budget
  /** Empty if there is none. */
  readonly namespace: string
  readonly depth: number
}

const deeper = (at: Place): Place => ({ ...at, depth: at.depth + 1 })

/**
 * The fields of an Avro schema, with a root for each top-level record. Undefined types are UNKNOWN. @throws
 * SchemaTextError
 */
export const avroFields = (text: string): ((budget: Budget) => JsonObject[]) => {
  const schema = readSchema(text)
  const named: NamedTypes = new Map()
  collect(schema, '', named)
  return (budget) => {
    const at: Place = { named, expanding: new Set(), budget, namespace: '', depth: 1 }
    return distinctFields([schema].flat().map((branch) => rootOf(branch, at)))
  }
}

const readSchema = (text: string): unknown => {
  const trimmed = text.trim()
  if (primitives.has(trimmed)) return trimmed
  const schema = jsonIn(text)
  if (typeof schema === 'string' || Array.isArray(schema) || isObject(schema)) return schema
  throw wrong('it must be a type, a union or a record')
}

/** Collects named types first, since a union may use a type that a later branch defines. */
const collect = (schema: unknown, namespace: string, named: NamedTypes, depth = 0): void => {
  if (depth > 64) return
  if (Array.isArray(schema)) {
    for (const branch of schema) collect(branch, namespace, named, depth + 1)
  } else if (isObject(schema)) {
    define(schema, namespace, named)
    const below = namespaceOf(schema, namespace)
    for (const part of [schema['type'], schema['items'], schema['values']]) {
      if (typeof part === 'object') collect(part, below, named, depth + 1)
    }
    const fields = schema['fields']
    if (Array.isArray(fields))
      for (const field of fields) if (isObject(field)) collect(field['type'], below, named, depth + 1)
  }
}

const namedTypes = new Set(['record', 'error', 'enum', 'fixed'])

const namespaceOf = ({ name, namespace }: JsonObject, above: string): string => {
  if (typeof name === 'string' && name.includes('.')) return parentOf(name)
  return typeof namespace === 'string' ? namespace : above
}

const parentOf = (name: string): string => name.slice(0, Math.max(name.lastIndexOf('.'), 0))

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

const fullName = (name: string, namespace: string): string =>
  name.includes('.') || namespace === '' ? name : `${namespace}.${name}`

const mustBeShort = (name: string): void => {
  const most = limits.schemaWord.value
  if (name.length > most) throw wrong(`a name has ${name.length} characters, more than ${most}`)
}

const define = (schema: JsonObject, namespace: string, named: NamedTypes): void => {
  const { type, name } = schema
  if (typeof type !== 'string' || !namedTypes.has(type) || typeof name !== 'string') return
  const full = fullName(name, namespaceOf(schema, namespace))
  mustBeShort(full)
  if (!named.has(full)) named.set(full, schema)
}

const rootOf = (schema: unknown, at: Place): JsonObject => {
  const inner = unwrapped(schema)
  const named = isObject(inner) ? inner['name'] : inner
  return fieldOf(typeof named === 'string' ? shortName(named) : 'value', shapeOf(inner, at), at.budget)
}

/** Unwraps `{"type": {"type": "record", …}}`. */
const unwrapped = (schema: unknown): unknown =>
  isObject(schema) && isObject(schema['type']) && !('logicalType' in schema) ? schema['type'] : schema

const shapeOf = (schema: unknown, at: Place): ValueShape => {
  at.budget.spend(1)
  if (at.depth > 40) return { dataType: 'UNKNOWN' }
  if (typeof schema === 'string') return namedShape(schema, at)
  if (Array.isArray(schema)) return unionShape(schema, at)
  if (!isObject(schema)) throw wrong(`${JSON.stringify(schema)} is not a type`)
  const { type, name } = schema
  if (typeof type === 'object' && type !== null) return { ...shapeOf(type, deeper(at)), ...describedBy(schema) }
  if (typeof type !== 'string') throw wrong(`an object without a type${typeof name === 'string' ? `, ${name}` : ''}`)
  if (type === 'record' || type === 'error') return recordShape(schema, at)
  if (type === 'array') return manyShape('ARRAY', schema['items'], at)
  if (type === 'map') return manyShape('MAP', schema['values'], at)
  if (type === 'enum') return { dataType: 'ENUM', ...describedBy(schema) }
  return { ...logicalShape(schema, type, at), ...describedBy(schema) }
}

const wrong = (what: string): SchemaTextError => new SchemaTextError(`is not an Avro schema: ${what}`)

const describedBy = ({ doc }: JsonObject): { description?: string } =>
  typeof doc === 'string' ? { description: doc } : {}

const logicalShape = (schema: JsonObject, type: string, at: Place): ValueShape => {
  const base: ValueShape = type === 'fixed' ? { dataType: 'FIXED' } : namedShape(type, at)
  const { logicalType, precision, scale = 0 } = schema
  if (typeof logicalType !== 'string') return base
  const places = Object.keys(logicalTypes).filter((each) => each.endsWith(`:${logicalType}`))
  const place = places.find((each) => each.startsWith(`${type}:`))
  // One that stands on another type than its own means nothing.
  if (places.length > 0 && place === undefined) return base
  const dataType = (place && logicalTypes[place]) ?? base.dataType
  if (logicalType !== 'decimal') return { ...base, dataType, dataTypeDisplay: logicalType }
  return isDecimal(precision, scale) ? { ...base, dataTypeDisplay: `decimal(${precision},${scale})` } : base
}

const isDecimal = (precision: Json | undefined, scale: Json): boolean =>
  Number.isInteger(precision) &&
  Number.isInteger(scale) &&
  Number(scale) >= 0 &&
  Number(scale) <= Number(precision) &&
  Number(precision) > 0

const namedShape = (name: string, at: Place): ValueShape => {
  if (primitives.has(name)) return { dataType: name.toUpperCase() }
  mustBeShort(name)
  const own = fullName(name, at.namespace)
  const full = at.named.has(own) ? own : name
  const schema = at.named.get(full)
  if (schema === undefined) return { dataType: 'UNKNOWN', dataTypeDisplay: name }
  const { description: _, ...shape } = shapeOf(schema, { ...at, namespace: parentOf(full) })
  return { ...shape, dataTypeDisplay: shape.dataTypeDisplay ?? shortName(name) }
}

const recordShape = (schema: JsonObject, at: Place): ValueShape => {
  const { name, fields } = schema
  if (typeof name !== 'string' || name === '') throw wrong('a record without a name')
  if (!Array.isArray(fields)) throw wrong(`record ${name} has no fields`)
  const namespace = namespaceOf(schema, at.namespace)
  const full = fullName(name, namespace)
  const shape: ValueShape = { dataType: 'RECORD', ...describedBy(schema) }
  if (at.expanding.has(full)) return { ...shape, dataTypeDisplay: shortName(name) }
  at.expanding.add(full)
  const inside = deeper({ ...at, namespace })
  const children = fields.flatMap((field: unknown) =>
    at.budget.field(inside.depth) ? [recordField(field, name, inside)] : [],
  )
  at.expanding.delete(full)
  return { ...shape, children: distinctFields(children) }
}

const recordField = (field: unknown, record: string, at: Place): JsonObject => {
  if (!isObject(field) || typeof field['name'] !== 'string' || field['name'] === '')
    throw wrong(`record ${record} has a field without a name`)
  const { name, type } = field
  if (type === undefined) throw wrong(`field ${record}.${name} has no type`)
  const inline = typeof type === 'string' && 'logicalType' in field ? { ...field, name: null } : type
  return fieldOf(name, { ...shapeOf(inline, at), ...describedBy(field) }, at.budget)
}

/** Arrays and maps: the item type is part of the type's name, its fields are the children. */
const manyShape = (dataType: 'ARRAY' | 'MAP', item: unknown, at: Place): ValueShape => {
  if (item === undefined) throw wrong(dataType === 'ARRAY' ? 'an array without items' : 'a map without values')
  const inner = shapeOf(item, deeper(at))
  return { dataType, dataTypeDisplay: `${dataType.toLowerCase()}<${displayOf(item, inner)}>`, children: inner.children }
}

const displayOf = (schema: unknown, shape: ValueShape): string => {
  const type = isObject(schema) ? schema['name'] : undefined
  return displayed(shape.dataTypeDisplay ?? (typeof type === 'string' ? shortName(type) : shape.dataType.toLowerCase()))
}

/** A nullable type is that type; other unions have a child for each record. */
const unionShape = (branches: readonly unknown[], at: Place): ValueShape => {
  const parts = branches.map((branch) => {
    const shape = shapeOf(branch, deeper(at))
    return { shape, display: displayOf(branch, shape) }
  })
  const display = `union<${parts.map((part) => part.display).join(', ')}>`
  const others = parts.filter(({ shape }) => shape.dataType !== 'NULL')
  const [only] = others
  if (only !== undefined && others.length === 1)
    return { ...only.shape, dataTypeDisplay: branches.length === 1 ? only.shape.dataTypeDisplay : display }
  const children = parts.flatMap((part) =>
    part.shape.children === undefined || !at.budget.field(at.depth + 1)
      ? []
      : [fieldOf(part.display, part.shape, at.budget)],
  )
  return { dataType: 'UNION', dataTypeDisplay: display, children: distinctFields(children) }
}
