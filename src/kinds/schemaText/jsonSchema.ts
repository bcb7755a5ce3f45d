import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { words } from '../../shared/wordLists.ts'
import { indexOf, isReference, makeJsonSchemas, schemasIn, type JsonSchemas } from './jsonSchemas.ts'
import { type Budget, SchemaTextError, displayed, distinctFields, fieldOf, jsonIn, type ValueShape } from './node.ts'

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

interface Expansion {
  readonly schemas: JsonSchemas
  /** Schemas under expansion: recursive ones are not expanded again. */
  readonly expanding: Set<JsonObject>
  readonly budget: Budget
}

/**
 * The fields of a JSON Schema, with a root named by its title, or a root per alternative if it is only a choice.
 * References to other documents are UNKNOWN. @throws SchemaTextError
 */
export const jsonSchemaFields = (text: string): ((budget: Budget) => JsonObject[]) => {
  const root = jsonIn(text)
  if (!isObject(root)) throw new SchemaTextError('is not a JSON Schema: it must be an object')
  const index = indexOf(root)
  return (budget) => {
    const schemas = makeJsonSchemas(root, index, budget)
    const expansion: Expansion = { schemas, expanding: new Set(), budget }
    const alternatives = choiceOf(root, budget)
    const roots =
      schemas.merged(root)['properties'] === undefined && alternatives.length > 1
        ? alternatives.map((schema, index) => rootOf(schema, `value${index + 1}`, expansion))
        : [rootOf(root, 'value', expansion)]
    return distinctFields(roots)
  }
}

const rootOf = (schema: JsonObject, fallback: string, expansion: Expansion): JsonObject => {
  const name = expansion.schemas.nameOf(schema) ?? fallback
  return fieldOf(name, shapeOf(schema, expansion, 1), expansion.budget)
}

const choiceOf = ({ oneOf, anyOf }: JsonObject, budget: Budget): JsonObject[] => [
  ...schemasIn(oneOf, budget),
  ...schemasIn(anyOf, budget),
]

const shapeOf = (schema: Json | undefined, expansion: Expansion, depth: number): ValueShape => {
  expansion.budget.spend(1)
  if (!isObject(schema)) return { dataType: 'UNKNOWN' }
  if (expansion.expanding.has(schema))
    return { dataType: typeOf(schema) ?? 'RECORD', dataTypeDisplay: expansion.schemas.nameOf(schema) }
  if (depth > 40) return { dataType: typeOf(schema) ?? 'UNKNOWN' }
  expansion.expanding.add(schema)
  const shape = { ...openShape(schema, expansion, depth), ...describedBy(schema) }
  expansion.expanding.delete(schema)
  return shape
}

const describedBy = ({ description }: JsonObject): { description?: string } =>
  typeof description === 'string' ? { description } : {}

const openShape = (schema: JsonObject, expansion: Expansion, depth: number): ValueShape => {
  if (isReference(schema)) return referredShape(schema, expansion, depth)
  const merged = expansion.schemas.merged(schema)
  const type = typeOf(merged)
  if (type === 'RECORD') return recordShape(merged, expansion, depth)
  if (type === 'ARRAY') return arrayShape(merged, expansion, depth)
  if (type === 'UNION') return { dataType: type, children: fieldsIn(merged, expansion, depth) }
  if (type !== undefined) return { dataType: type, dataTypeDisplay: formatOf(merged) }
  const choice = choiceOf(merged, expansion.budget)
  return choice.length === 0 ? { dataType: 'UNKNOWN' } : choiceShape(choice, expansion, depth)
}

const formatOf = ({ type, format }: JsonObject): string | undefined =>
  typeof format === 'string' && type !== undefined ? format : undefined

const referredShape = (schema: JsonObject, expansion: Expansion, depth: number): ValueShape => {
  const { $ref } = schema as { $ref: string }
  const target = expansion.schemas.targetOf(schema)
  if (target === undefined) return { dataType: 'UNKNOWN', dataTypeDisplay: $ref }
  const { description: _, ...shape } = shapeOf(target, expansion, depth + 1)
  return { ...shape, dataTypeDisplay: shape.dataTypeDisplay ?? expansion.schemas.nameOf({ $ref }) }
}

/** Number of type names considered: JSON Schema has seven. */
const mostTypes = 16

const typeOf = (schema: JsonObject): string | undefined => {
  if (schema['enum'] !== undefined) return 'ENUM'
  const { type, format } = schema
  const names = Array.isArray(type) ? type.slice(0, mostTypes).filter((each) => each !== 'null') : [type]
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

const recordShape = (schema: JsonObject, expansion: Expansion, depth: number): ValueShape => {
  const { properties, additionalProperties, patternProperties } = schema
  const children = fieldsIn(schema, expansion, depth)
  const values = isObject(additionalProperties) ? additionalProperties : firstIn(patternProperties)
  const isNamed = children.length > 0 || (isObject(properties) && Object.keys(properties).length > 0)
  if (isNamed || values === undefined) return { dataType: 'RECORD', children }
  const inner = shapeOf(values, expansion, depth + 1)
  return { dataType: 'MAP', dataTypeDisplay: `map<${displayOf(inner)}>`, children: inner.children }
}

/** The fields of objects: the properties, and those that only some objects have. */
const fieldsIn = (schema: JsonObject, expansion: Expansion, depth: number): JsonObject[] => {
  const { schemas, expanding, budget } = expansion
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  budget.spend(properties.length)
  const own = properties.flatMap(([name, value]) =>
    name === '' || !budget.field(depth + 1) ? [] : [fieldOf(name, shapeOf(value, expansion, depth + 1), budget)],
  )
  const conditional = [schema['then'], schema['else']].filter(isObject)
  const others = [...choiceOf(schema, budget), ...conditional].flatMap((part) => {
    budget.spend(1)
    if (expanding.has(part)) return []
    expanding.add(part)
    const fields = fieldsIn(schemas.merged(part), expansion, depth)
    expanding.delete(part)
    return fields
  })
  return joined([...own, ...joined(others, true)])
}

const saysNothing = words('NULL UNKNOWN')

/** Fields of the same name as one, with the children of all: of the first type, or of either. */
const joined = (fields: readonly JsonObject[], isEither = false): JsonObject[] =>
  [...Map.groupBy(fields, ({ name }) => name).values()].map((same) => {
    if (same.length === 1) return same[0] as JsonObject
    const telling = same.filter(({ dataType }) => !saysNothing.includes(dataType as string))
    const [first = same[0] as JsonObject] = telling
    const children = joined(same.flatMap((field) => (field['children'] ?? []) as JsonObject[]))
    const isUnion = isEither && new Set(telling.map(({ dataType }) => dataType)).size > 1
    const union = () => ({ dataType: 'UNION', dataTypeDisplay: unionOf([...new Set(telling.map(displayOf))]) })
    return { ...first, ...(isUnion && union()), ...(children.length > 0 && { children }) }
  })

/** The schema of the first pattern. */
const firstIn = (patterns: Json | undefined): JsonObject | undefined => {
  if (!isObject(patterns)) return undefined
  for (const name in patterns) return isObject(patterns[name]) ? patterns[name] : undefined
  return undefined
}

const displayOf = ({ dataTypeDisplay, dataType }: ValueShape | JsonObject): string =>
  displayed(String(dataTypeDisplay ?? String(dataType).toLowerCase()))

const unionOf = (displays: readonly string[]): string => displayed(`union<${displays.join(', ')}>`)

const arrayShape = (schema: JsonObject, expansion: Expansion, depth: number): ValueShape => {
  const { items, prefixItems } = schema
  const item = isObject(items)
    ? items
    : [...schemasIn(items, expansion.budget), ...schemasIn(prefixItems, expansion.budget)][0]
  if (item === undefined) return { dataType: 'ARRAY' }
  const inner = shapeOf(item, expansion, depth + 1)
  return { dataType: 'ARRAY', dataTypeDisplay: `array<${displayOf(inner)}>`, children: inner.children }
}

/** A nullable schema is that schema; other choices have a child for each alternative with properties. */
const choiceShape = (choice: readonly JsonObject[], expansion: Expansion, depth: number): ValueShape => {
  const shapes = choice.map((schema) => shapeOf(schema, expansion, depth + 1))
  const others = shapes.filter((shape) => shape.dataType !== 'NULL')
  const [only] = others
  if (only !== undefined && others.length === 1) return only
  const children = choice.flatMap((schema, index) => {
    const shape = shapes[index] as ValueShape
    if (shape.children === undefined || !expansion.budget.field(depth + 1)) return []
    return [fieldOf(expansion.schemas.nameOf(schema) ?? `value${index + 1}`, shape, expansion.budget)]
  })
  return {
    dataType: 'UNION',
    dataTypeDisplay: unionOf(shapes.map(displayOf)),
    children: distinctFields(children),
  }
}
