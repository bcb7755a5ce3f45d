import { isObject, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Budget } from './budget.ts'
import { displayed, distinctFields, fieldOf, readJson, type ValueShape } from './node.ts'
import { SchemaTextError } from './schemaTextError.ts'

const primitives: Readonly<Record<string, string>> = {
  null: 'NULL',
  boolean: 'BOOLEAN',
  int: 'INT',
  long: 'LONG',
  float: 'FLOAT',
  double: 'DOUBLE',
  bytes: 'BYTES',
  string: 'STRING',
}

const logicalTypes: Readonly<Record<string, string>> = {
  date: 'DATE',
  'time-millis': 'TIME',
  'time-micros': 'TIME',
  'timestamp-millis': 'TIMESTAMP',
  'timestamp-micros': 'TIMESTAMP',
  'timestamp-nanos': 'TIMESTAMP',
  'local-timestamp-millis': 'TIMESTAMP',
  'local-timestamp-micros': 'TIMESTAMP',
  'local-timestamp-nanos': 'TIMESTAMP',
}

interface Expansion {
  /** Named types of the whole text by their full names. */
  readonly named: Map<string, JsonObject>
  /** Named types that are being expanded: a type inside itself is not expanded again. */
  readonly open: Set<string>
  readonly budget: Budget
}

/**
 * The fields of an Avro schema: a root for each record at the top. Undefined types are UNKNOWN. @throws SchemaTextError
 */
export const avroFields = (text: string): ((budget: Budget) => JsonObject[]) => {
  const schema = readSchema(text)
  const named: Expansion['named'] = new Map()
  collect(schema, undefined, named)
  return (budget) => {
    const expansion: Expansion = { named, open: new Set(), budget }
    const roots = Array.isArray(schema) ? schema : [schema]
    return distinctFields(roots.map((branch) => rootOf(branch, expansion)))
  }
}

const readSchema = (text: string): unknown => {
  const trimmed = text.trim()
  if (Object.hasOwn(primitives, trimmed)) return trimmed
  const schema = readJson(text)
  if (typeof schema === 'string' || Array.isArray(schema) || isObject(schema)) return schema
  throw new SchemaTextError('is no Avro schema: it must be a type, a union or a record')
}

/** Remembers named types before anything is read, as a union may use what a later branch defines. */
const collect = (schema: unknown, namespace: string | undefined, named: Expansion['named'], depth = 0): void => {
  if (depth > 64) return
  if (Array.isArray(schema)) {
    for (const branch of schema) collect(branch, namespace, named, depth + 1)
  } else if (isObject(schema)) {
    define(schema, namespace, named)
    const below = namespaceOf(schema) ?? namespace
    for (const part of [schema['type'], schema['items'], schema['values']]) {
      if (typeof part === 'object') collect(part, below, named, depth + 1)
    }
    const fields = schema['fields']
    if (Array.isArray(fields))
      for (const field of fields) if (isObject(field)) collect(field['type'], below, named, depth + 1)
  }
}

const namedTypes = new Set(['record', 'error', 'enum', 'fixed'])

const namespaceOf = ({ name, namespace }: JsonObject): string | undefined => {
  if (typeof name === 'string' && name.includes('.')) return name.slice(0, name.lastIndexOf('.'))
  return typeof namespace === 'string' && namespace !== '' ? namespace : undefined
}

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

const fullName = (name: string, namespace: string | undefined): string =>
  name.includes('.') || namespace === undefined ? name : `${namespace}.${name}`

const mustBeShort = (name: string): void => {
  const most = limits.schemaWord.value
  if (name.length > most)
    throw new SchemaTextError(`is no Avro schema: a name has ${name.length} characters, more than ${most}`)
}

const define = (schema: JsonObject, namespace: string | undefined, named: Expansion['named']): void => {
  const { type, name } = schema
  if (typeof type !== 'string' || !namedTypes.has(type) || typeof name !== 'string') return
  const full = fullName(name, namespaceOf(schema) ?? namespace)
  mustBeShort(full)
  if (!named.has(full)) named.set(full, schema)
}

const rootOf = (schema: unknown, expansion: Expansion): JsonObject => {
  const inner = unwrapped(schema)
  const name =
    isObject(inner) && typeof inner['name'] === 'string'
      ? shortName(inner['name'])
      : typeof inner === 'string'
        ? shortName(inner)
        : 'value'
  return fieldOf(name, shapeOf(inner, undefined, expansion, 1), expansion.budget)
}

/** `{"type": {"type": "record", …}}` means what is inside. */
const unwrapped = (schema: unknown): unknown =>
  isObject(schema) && isObject(schema['type']) && !('logicalType' in schema) ? schema['type'] : schema

const shapeOf = (schema: unknown, namespace: string | undefined, expansion: Expansion, depth: number): ValueShape => {
  expansion.budget.spend(1)
  if (depth > 40) return { dataType: 'UNKNOWN' }
  if (typeof schema === 'string') return namedShape(schema, namespace, expansion, depth)
  if (Array.isArray(schema)) return unionShape(schema, namespace, expansion, depth)
  if (!isObject(schema)) throw new SchemaTextError(`is no Avro schema: ${JSON.stringify(schema)} is no type`)
  const { type } = schema
  if (typeof type === 'object' && type !== null)
    return { ...shapeOf(type, namespace, expansion, depth), ...describedBy(schema) }
  if (typeof type !== 'string')
    throw new SchemaTextError(
      `is no Avro schema: an object without a type${typeof schema['name'] === 'string' ? `, ${schema['name']}` : ''}`,
    )
  if (type === 'record' || type === 'error') return recordShape(schema, namespace, expansion, depth)
  if (type === 'array') return manyShape('ARRAY', schema['items'], namespace, expansion, depth)
  if (type === 'map') return manyShape('MAP', schema['values'], namespace, expansion, depth)
  if (type === 'enum') return { dataType: 'ENUM', ...describedBy(schema) }
  return { ...logicalShape(schema, type, namespace, expansion, depth), ...describedBy(schema) }
}

const describedBy = ({ doc }: JsonObject): { description?: string } =>
  typeof doc === 'string' ? { description: doc } : {}

const logicalShape = (
  schema: JsonObject,
  type: string,
  namespace: string | undefined,
  expansion: Expansion,
  depth: number,
): ValueShape => {
  const base: ValueShape = type === 'fixed' ? { dataType: 'FIXED' } : namedShape(type, namespace, expansion, depth)
  const { logicalType } = schema
  if (typeof logicalType !== 'string') return base
  if (logicalType === 'decimal') {
    return { ...base, dataTypeDisplay: `decimal(${Number(schema['precision'])},${Number(schema['scale'] ?? 0)})` }
  }
  const known = Object.hasOwn(logicalTypes, logicalType) ? logicalTypes[logicalType] : undefined
  return { ...base, dataType: known ?? base.dataType, dataTypeDisplay: logicalType }
}

const namedShape = (name: string, namespace: string | undefined, expansion: Expansion, depth: number): ValueShape => {
  const primitive = Object.hasOwn(primitives, name) ? primitives[name] : undefined
  if (primitive !== undefined) return { dataType: primitive }
  mustBeShort(name)
  const full = expansion.named.has(fullName(name, namespace)) ? fullName(name, namespace) : name
  const schema = expansion.named.get(full)
  if (schema === undefined) return { dataType: 'UNKNOWN', dataTypeDisplay: name }
  const { description: _, ...shape } = shapeOf(
    schema,
    full.includes('.') ? full.slice(0, full.lastIndexOf('.')) : undefined,
    expansion,
    depth,
  )
  return { ...shape, dataTypeDisplay: shape.dataTypeDisplay ?? shortName(name) }
}

const recordShape = (
  schema: JsonObject,
  namespace: string | undefined,
  expansion: Expansion,
  depth: number,
): ValueShape => {
  const { name, fields } = schema
  if (typeof name !== 'string' || name === '') throw new SchemaTextError('is no Avro schema: a record without a name')
  if (!Array.isArray(fields)) throw new SchemaTextError(`is no Avro schema: record ${name} has no fields`)
  const below = namespaceOf(schema) ?? namespace
  const full = fullName(name, below)
  const shape: ValueShape = { dataType: 'RECORD', ...describedBy(schema) }
  if (expansion.open.has(full)) return { ...shape, dataTypeDisplay: shortName(name) }
  expansion.open.add(full)
  const children = fields.flatMap((field: unknown) =>
    expansion.budget.field(depth + 1) ? [recordField(field, name, below, expansion, depth + 1)] : [],
  )
  expansion.open.delete(full)
  return { ...shape, children: distinctFields(children) }
}

const recordField = (
  field: unknown,
  record: string,
  namespace: string | undefined,
  expansion: Expansion,
  depth: number,
): JsonObject => {
  if (!isObject(field) || typeof field['name'] !== 'string' || field['name'] === '') {
    throw new SchemaTextError(`is no Avro schema: record ${record} has a field without a name`)
  }
  if (field['type'] === undefined)
    throw new SchemaTextError(`is no Avro schema: field ${record}.${field['name']} has no type`)
  const inline = typeof field['type'] === 'string' && 'logicalType' in field ? { ...field, name: null } : field['type']
  const shape = shapeOf(inline, namespace, expansion, depth)
  return fieldOf(field['name'], { ...shape, ...describedBy(field) }, expansion.budget)
}

/** Arrays and maps: what stands in them is a part of the type's name, its fields are the children. */
const manyShape = (
  dataType: 'ARRAY' | 'MAP',
  item: unknown,
  namespace: string | undefined,
  expansion: Expansion,
  depth: number,
): ValueShape => {
  if (item === undefined)
    throw new SchemaTextError(
      `is no Avro schema: ${dataType === 'ARRAY' ? 'an array without items' : 'a map without values'}`,
    )
  const inner = shapeOf(item, namespace, expansion, depth + 1)
  return { dataType, dataTypeDisplay: `${dataType.toLowerCase()}<${displayOf(item, inner)}>`, children: inner.children }
}

const displayOf = (schema: unknown, shape: ValueShape): string => {
  const type = isObject(schema) ? schema['name'] : undefined
  return displayed(shape.dataTypeDisplay ?? (typeof type === 'string' ? shortName(type) : shape.dataType.toLowerCase()))
}

/** A type that may be null is that type; other unions have a child for each record. */
const unionShape = (
  branches: readonly unknown[],
  namespace: string | undefined,
  expansion: Expansion,
  depth: number,
): ValueShape => {
  const shapes = branches.map((branch) => shapeOf(branch, namespace, expansion, depth + 1))
  const display = `union<${shapes.map((shape, index) => displayOf(branches[index], shape)).join(', ')}>`
  const others = shapes.filter((shape) => shape.dataType !== 'NULL')
  const [only] = others
  if (only !== undefined && others.length === 1)
    return { ...only, dataTypeDisplay: branches.length === 1 ? only.dataTypeDisplay : display }
  const children = branches.flatMap((branch, index) => {
    const shape = shapes[index] as ValueShape
    return shape.children === undefined || !expansion.budget.field(depth + 1)
      ? []
      : [fieldOf(displayOf(branch, shape), shape, expansion.budget)]
  })
  return { dataType: 'UNION', dataTypeDisplay: display, children: distinctFields(children) }
}
