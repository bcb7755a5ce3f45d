import { createHash } from 'node:crypto'

/** Members of a JSON Schema that types do not show. */
const words = new Set(
  (
    'description title examples example default pattern format propertyNames minLength maxLength minimum maximum ' +
    'exclusiveMinimum exclusiveMaximum minItems maxItems'
  ).split(' '),
)

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same value with its members in order, and without what types do not show when `bare`. */
const ordered = (value, bare, inProperties = false) => {
  if (Array.isArray(value)) return value.map((item) => ordered(item, bare))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .filter((name) => inProperties || !bare || !words.has(name))
      .toSorted()
      .map((name) => [name, ordered(value[name], bare, name === 'properties' && !inProperties)]),
  )
}

const operationsOf = (document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).flatMap((operation) =>
      operation.operationId === undefined ? [] : [{ path, id: operation.operationId, operation }],
    ),
  )

const capitalized = (name) => name.charAt(0).toUpperCase() + name.slice(1)

/** The query of an operation as the schema of an object, without cursors, which iterators keep to themselves. */
const queryOf = ({ parameters = [] }) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === 'query' && !['after', 'before'].includes(parameter.name))
      .map(({ name, schema, description }) => {
        const { default: _, ...shape } = schema
        return [name, { ...shape, description }]
      }),
  ),
})

/** What the client takes from the OpenAPI document: kinds with their paths, all schemas, and the filters of lists. */
export const shapesOf = (document) => {
  const operations = operationsOf(document)
  const kinds = Object.fromEntries(
    operations
      .filter(({ id }) => id.startsWith('create_') && `list_${id.slice(7)}` in byId(operations))
      .map(({ id, path }) => [id.slice('create_'.length), path.slice('/v1/'.length)])
      .filter(([kind]) => document.components.schemas[capitalized(kind)] !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  const lists = Object.fromEntries(
    Object.keys(kinds).map((kind) => [
      `${capitalized(kind)}Filter`,
      queryOf(byId(operations)[`list_${kind}`].operation),
    ]),
  )
  const others = { SearchFilter: 'search', SuggestFilter: 'suggest' }
  const queries = Object.fromEntries(
    Object.entries(others).map(([name, id]) => [name, queryOf(byId(operations)[id].operation)]),
  )
  const schemas = ordered({ ...document.components.schemas, ...lists, ...queries }, false, true)
  return { kinds, schemas }
}

const byId = (operations) => Object.fromEntries(operations.map((each) => [each.id, each]))

/** Changes when types or paths do; texts and bounds do not count. */
export const fingerprintOf = ({ kinds, schemas }) =>
  createHash('sha256')
    .update(JSON.stringify([kinds, ordered(schemas, true, true)]))
    .digest('hex')
