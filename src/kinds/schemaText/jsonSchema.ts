import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { distinctFields, fieldOf, makeBudget, readJson, SchemaTextError, type Budget, type ValueShape } from './node.ts'

const types: Readonly<Record<string, string>> = {
  object: 'RECORD',
  array: 'ARRAY',
  string: 'STRING',
  integer: 'INT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  null: 'NULL',
}

const formats: Readonly<Record<string, string>> = { 'date-time': 'TIMESTAMP', date: 'DATE', time: 'TIME' }

/** What reading one schema keeps in mind. */
interface Reading {
  readonly root: JsonObject
  /** Schemas that are being expanded: one inside itself is not expanded again. */
  readonly open: Set<JsonObject>
  readonly budget: Budget
}

/**
 * The fields of a JSON Schema: one root, named by its title, with its properties as children; or one for each
 * alternative when the schema is nothing but a choice. References to other documents are UNKNOWN.
 * @throws SchemaTextError
 */
export const jsonSchemaFields = (text: string): JsonObject[] => {
  const root = readJson(text)
  if (!isObject(root)) throw new SchemaTextError('is no JSON Schema: it must be an object')
  const reading: Reading = { root, open: new Set(), budget: makeBudget() }
  const alternatives = choiceOf(root)
  const roots =
    root['properties'] === undefined && alternatives !== undefined && alternatives.length > 1
      ? alternatives.map((schema, index) => rootOf(schema, `value${index + 1}`, reading))
      : [rootOf(root, 'value', reading)]
  return distinctFields(roots)
}

const rootOf = (schema: JsonObject, fallback: string, reading: Reading): JsonObject => {
  const name = nameOf(schema) ?? fallback
  return fieldOf(name, shapeOf(schema, reading, 1))
}

/** Title, or the last part of what the schema refers to, or of its id. */
const nameOf = (schema: JsonObject): string | undefined => {
  const { title, $ref, $id, id } = schema
  if (typeof title === 'string' && title.trim() !== '') return title.trim()
  for (const address of [$ref, $id, id]) {
    if (typeof address !== 'string') continue
    const last = address.split(/[/#]/).findLast((part) => part !== '')
    const name = last?.replace(/(\.schema)?\.json$/, '')
    if (name) return name
  }
  return undefined
}

const schemasIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

const choiceOf = ({ oneOf, anyOf }: JsonObject): JsonObject[] | undefined => {
  const choice = [...schemasIn(oneOf), ...schemasIn(anyOf)]
  return choice.length === 0 ? undefined : choice
}

const shapeOf = (schema: Json | undefined, reading: Reading, depth: number): ValueShape => {
  if (!isObject(schema)) return { dataType: 'UNKNOWN' }
  if (reading.open.has(schema)) return { dataType: typeOf(schema) ?? 'RECORD', dataTypeDisplay: nameOf(schema) }
  if (depth > 40) return { dataType: typeOf(schema) ?? 'UNKNOWN' }
  reading.open.add(schema)
  const shape = { ...openShape(schema, reading, depth), ...describedBy(schema) }
  reading.open.delete(schema)
  return shape
}

const describedBy = ({ description }: JsonObject): { description?: string } =>
  typeof description === 'string' ? { description } : {}

const openShape = (schema: JsonObject, reading: Reading, depth: number): ValueShape => {
  const { $ref } = schema
  if (typeof $ref === 'string' && schema['properties'] === undefined) return referredShape($ref, reading, depth)
  const merged = withAllOf(schema, reading)
  const type = typeOf(merged)
  if (type === 'RECORD') return recordShape(merged, reading, depth)
  if (type === 'ARRAY') return arrayShape(merged, reading, depth)
  if (type !== undefined) return { dataType: type, dataTypeDisplay: formatOf(merged) }
  const choice = choiceOf(merged)
  return choice === undefined ? { dataType: 'UNKNOWN' } : choiceShape(choice, reading, depth)
}

const formatOf = ({ type, format }: JsonObject): string | undefined =>
  typeof format === 'string' && type !== undefined ? format : undefined

const referredShape = ($ref: string, reading: Reading, depth: number): ValueShape => {
  const target = resolve($ref, reading.root)
  if (target === undefined) return { dataType: 'UNKNOWN', dataTypeDisplay: $ref }
  const { description: _, ...shape } = shapeOf(target, reading, depth + 1)
  return { ...shape, dataTypeDisplay: shape.dataTypeDisplay ?? nameOf({ $ref }) }
}

/** Follows a reference inside the document: a JSON Pointer or an anchor. */
const resolve = ($ref: string, root: JsonObject): JsonObject | undefined => {
  const own =
    typeof root['$id'] === 'string' && $ref.startsWith(`${root['$id']}#`) ? $ref.slice(root['$id'].length) : $ref
  if (own === '#') return root
  if (!own.startsWith('#/')) return own.startsWith('#') ? anchored(root, own.slice(1)) : undefined
  let value: Json | undefined = root
  for (const part of own.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (isObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined
    else value = Array.isArray(value) ? value[Number(key)] : undefined
  }
  return isObject(value) ? value : undefined
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const anchored = (root: JsonObject, anchor: string): JsonObject | undefined => {
  const places = [
    root,
    ...['$defs', 'definitions'].flatMap((name) =>
      isObject(root[name]) ? Object.values(root[name]).filter(isObject) : [],
    ),
  ]
  return places.find((schema) => schema['$anchor'] === anchor || schema['$id'] === `#${anchor}`)
}

/** `allOf` adds up: the properties of all of them, the rest from the first that says it. */
const withAllOf = (schema: JsonObject, reading: Reading, depth = 0): JsonObject => {
  const parts = schemasIn(schema['allOf'])
  if (parts.length === 0 || depth > 8) return schema
  let merged = schema
  for (const part of parts) {
    const resolved = typeof part['$ref'] === 'string' ? (resolve(part['$ref'], reading.root) ?? {}) : part
    const whole = resolved === schema ? {} : withAllOf(resolved, reading, depth + 1)
    const properties = { ...propertiesOf(whole), ...propertiesOf(merged) }
    const { description: _, title: __, ...rest } = whole
    merged = { ...rest, ...merged, ...(Object.keys(properties).length > 0 && { properties }) }
  }
  return merged
}

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {})

const typeOf = (schema: JsonObject): string | undefined => {
  if (schema['enum'] !== undefined) return 'ENUM'
  const { type, format } = schema
  const names = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type]
  const [name] = names
  if (names.length > 1) return 'UNION'
  if (Array.isArray(type) && type.length > 0 && name === undefined) return 'NULL'
  if (name === 'string' && typeof format === 'string' && Object.hasOwn(formats, format)) return formats[format]
  if (typeof name === 'string') return Object.hasOwn(types, name) ? types[name] : 'UNKNOWN'
  if (schema['properties'] !== undefined || isObject(schema['additionalProperties'])) return 'RECORD'
  if (schema['items'] !== undefined) return 'ARRAY'
  return schema['const'] === undefined ? undefined : constType(schema['const'])
}

const constType = (value: Json): string | undefined =>
  value === null ? 'NULL' : Number.isInteger(value) ? 'INT' : types[Array.isArray(value) ? 'array' : typeof value]

const recordShape = (schema: JsonObject, reading: Reading, depth: number): ValueShape => {
  const properties = Object.entries(propertiesOf(schema))
  const { additionalProperties, patternProperties } = schema
  const pattern = isObject(patternProperties) ? Object.values(patternProperties).find(isObject) : undefined
  const values = isObject(additionalProperties) ? additionalProperties : pattern
  if (properties.length === 0 && values !== undefined) {
    const inner = shapeOf(values, reading, depth + 1)
    return { dataType: 'MAP', dataTypeDisplay: `map<${displayOf(inner)}>`, children: inner.children }
  }
  const children = properties.flatMap(([name, property]) =>
    name !== '' && reading.budget.take(depth + 1) ? [fieldOf(name, shapeOf(property, reading, depth + 1))] : [],
  )
  return { dataType: 'RECORD', children: distinctFields(children) }
}

const displayOf = (shape: ValueShape): string => shape.dataTypeDisplay ?? shape.dataType.toLowerCase()

const arrayShape = (schema: JsonObject, reading: Reading, depth: number): ValueShape => {
  const { items, prefixItems } = schema
  const item = isObject(items) ? items : [...schemasIn(items), ...schemasIn(prefixItems)][0]
  if (item === undefined) return { dataType: 'ARRAY' }
  const inner = shapeOf(item, reading, depth + 1)
  return { dataType: 'ARRAY', dataTypeDisplay: `array<${displayOf(inner)}>`, children: inner.children }
}

/** A schema that may be null is that schema; other choices have a child for each alternative with properties. */
const choiceShape = (choice: readonly JsonObject[], reading: Reading, depth: number): ValueShape => {
  const shapes = choice.map((schema) => shapeOf(schema, reading, depth + 1))
  const others = shapes.filter((shape) => shape.dataType !== 'NULL')
  const [only] = others
  if (only !== undefined && others.length === 1) return only
  const children = choice.flatMap((schema, index) => {
    const shape = shapes[index] as ValueShape
    if (shape.children === undefined || !reading.budget.take(depth + 1)) return []
    return [fieldOf(nameOf(schema) ?? `value${index + 1}`, shape)]
  })
  return {
    dataType: 'UNION',
    dataTypeDisplay: `union<${shapes.map(displayOf).join(', ')}>`,
    children: distinctFields(children),
  }
}
