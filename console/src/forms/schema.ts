/** As much of a JSON Schema of the OpenAPI document as forms are made of. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly (string | null)[]
  readonly examples?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly $ref?: string
  /** Kinds that a reference may lead to. */
  readonly 'x-kinds'?: readonly string[]
}

export type Schemas = Readonly<Record<string, Schema>>

/** How a value is asked for. */
export type Control =
  | { readonly type: 'text'; readonly long: boolean; readonly known: readonly string[] }
  | { readonly type: 'number' | 'boolean' | 'words' | 'json' }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'references'; readonly kinds: readonly string[]; readonly single: boolean }
  | { readonly type: 'columns'; readonly dataTypes: readonly string[] }
  | { readonly type: 'group'; readonly members: readonly Member[] }

/** A member of a body that is asked for. */
export interface Member {
  readonly name: string
  /** JSON Pointer to it in the body. */
  readonly path: string
  readonly required: boolean
  readonly description: string | undefined
  readonly control: Control
}

/** Follows `$ref`; what stands beside it wins. A value or `null` is the value. */
const resolved = (schemas: Schemas, schema: Schema): Schema => {
  const { $ref, oneOf, ...own } = schema
  const other = oneOf?.find(({ type }) => type !== 'null')
  const target = $ref === undefined ? other : schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
  return target === undefined ? own : { ...resolved(schemas, target), ...own }
}

const typeOf = ({ type }: Schema): string | undefined =>
  typeof type === 'string' ? type : type?.find((name) => name !== 'null')

/** Texts of several lines. */
const long = /^description$|text$|code$|schemaDefinition$|^termsOfUse$/i

const listControl = (schemas: Schemas, items: Schema): Control => {
  const item = resolved(schemas, items)
  if (typeOf(item) === 'string') return { type: 'words' }
  const dataTypes = resolved(schemas, item.properties?.['dataType'] ?? {}).enum?.filter((value) => value !== null)
  return dataTypes !== undefined && item.properties?.['name'] ? { type: 'columns', dataTypes } : { type: 'json' }
}

const controlOf = (schemas: Schemas, member: Schema, { name, path }: Pick<Member, 'name' | 'path'>): Control => {
  const schema = resolved(schemas, member)
  const kinds = schema['x-kinds']
  const type = typeOf(schema)
  if (kinds !== undefined) return { type: 'references', kinds, single: type !== 'array' }
  if (schema.enum) return { type: 'choice', values: schema.enum.filter((value) => value !== null) }
  if (type === 'string') return { type: 'text', long: long.test(name), known: schema.examples ?? [] }
  if (type === 'integer' || type === 'number') return { type: 'number' }
  if (type === 'boolean') return { type: 'boolean' }
  if (type === 'array' && schema.items) return listControl(schemas, schema.items)
  const members = type === 'object' ? membersOf(schemas, schema, path) : []
  return members.length > 0 ? { type: 'group', members } : { type: 'json' }
}

const membersOf = (schemas: Schemas, { properties = {}, required = [] }: Schema, above = ''): Member[] =>
  Object.entries(properties)
    // `owner` is another word for the only one of `owners`.
    .filter(([name]) => !Object.hasOwn(properties, `${name}s`))
    .map(([name, schema]) => {
      const path = `${above}/${name}`
      const control = controlOf(schemas, schema, { name, path })
      return { name, path, required: required.includes(name), description: schema.description, control }
    })

/** What a new entity of a kind may have. */
export const createMembers = (schemas: Schemas, kind: string): Member[] =>
  membersOf(schemas, schemas[`Create${kind.charAt(0).toUpperCase()}${kind.slice(1)}`] ?? {})
