import { z } from 'zod'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import { schemaFields } from './columns.ts'
import type { Draft, Field, Problem } from '../defineKind.ts'
import type { Options } from './fields.ts'
import { nodesOf, visitTreeTags } from './fieldTree.ts'
import { fieldsOfSchema, schemaTypes, SchemaTextError } from '../schemaText/index.ts'
import { oneOf, text } from './shapes.ts'

const shape = { schemaType: oneOf(schemaTypes).optional(), schemaText: text.optional() }

const input = z.strictObject({ ...shape, schemaFields: schemaFields.inputs.optional() }).meta({ id: 'SchemaInput' })

const answer = z.object({ ...shape, schemaFields: schemaFields.answers.optional() }).meta({ id: 'Schema' })

/** Visits the tags of the tree that stands in an object under this name. */
export const visitTagsAt =
  (member: string): NonNullable<Field['nested']> =>
  (value, visit) => {
    if (!isObject(value) || value[member] === undefined) return value
    const visited = visitTreeTags(value[member], visit, `/${member}`)
    return visited === value[member] ? value : { ...value, [member]: visited }
  }

/** The schema of messages, requests or responses. */
export const schemaMember = (description: string, options: Options = {}): Field => ({
  schema: input,
  answer,
  nested: visitTagsAt('schemaFields'),
  description,
  ...options,
})

/** The schemas among the members with their texts read; what cannot be read is a problem. */
export const readSchemas = (members: Members, draft: Draft, names: readonly string[], problems: Problem[]): Members => {
  let result = members
  for (const name of names) {
    const schema = members[name]
    if (isObject(schema)) result = { ...result, [name]: readSchema(schema, draft.before?.[name], `/${name}`, problems) }
  }
  return result
}

const readSchema = (schema: JsonObject, before: Json | undefined, path: string, problems: Problem[]): JsonObject => {
  try {
    const parsed = parsedFields(schema)
    if (parsed === undefined) return schema
    const given = nodesOf(schema['schemaFields'])
    const known = isObject(before) && !sameText(before, schema) ? parsedBefore(before) : undefined
    return { ...schema, schemaFields: withWordsOf(parsed, given, known) }
  } catch (error) {
    if (!(error instanceof SchemaTextError)) throw error
    problems.push({ path: `${path}/schemaText`, message: error.message })
    return schema
  }
}

const parsedFields = ({ schemaType, schemaText }: JsonObject): JsonObject[] | undefined =>
  typeof schemaType === 'string' && typeof schemaText === 'string' ? fieldsOfSchema(schemaType, schemaText) : undefined

const parsedBefore = (schema: JsonObject): JsonObject[] => {
  try {
    return parsedFields(schema) ?? []
  } catch {
    return []
  }
}

const sameText = (a: JsonObject, b: JsonObject): boolean =>
  a['schemaText'] === b['schemaText'] && a['schemaType'] === b['schemaType']

/** What people may write on a field that was read from a text. */
const ownWords = ['displayName', 'description', 'tags']

/**
 * The parsed fields with what people wrote on them. When the text is a new one, `known` has the fields of the old text:
 * words that merely came from that one are not kept.
 */
const withWordsOf = (
  parsed: readonly JsonObject[],
  given: readonly JsonObject[],
  known: readonly JsonObject[] | undefined,
): JsonObject[] =>
  parsed.map((field) => {
    const named = (list: readonly JsonObject[] | undefined) => list?.find((other) => other['name'] === field['name'])
    const source = named(given)
    if (source === undefined) return field
    const result: JsonObject = { ...field }
    for (const word of ownWords) {
      const value = source[word]
      if (value !== undefined && value !== named(known)?.[word]) result[word] = value
    }
    if (field['children'] !== undefined) {
      const old = named(known)
      result['children'] = withWordsOf(
        nodesOf(field['children']),
        nodesOf(source['children']),
        known && nodesOf(old?.['children']),
      )
    }
    return result
  })
