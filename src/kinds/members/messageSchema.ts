import { z } from 'zod'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import { schemaFields } from './columns.ts'
import type { Draft, Field, Problem, Effects, Behaviour } from '../defineKind.ts'
import { brokenColumns } from './assetColumns.ts'
import {
  nodesByName,
  nodesOf,
  rootsAsNow,
  valueAt,
  visitTreeTags,
  completeTrees,
  namesInTrees,
  type Tree,
} from './fieldTree.ts'
import {
  isSameText,
  schemaTextIn,
  schemaTypes,
  type ParsedSchema,
  type SchemaText,
} from '../schemaText/readSchemaText.ts'
import { oneOf, text } from './shapes.ts'

const shape = { schemaType: oneOf(schemaTypes).optional(), schemaText: text.optional() }

const input = z.strictObject({ ...shape, schemaFields: schemaFields.inputs.optional() }).meta({ id: 'SchemaInput' })

const answer = z.object({ ...shape, schemaFields: schemaFields.answers.optional() }).meta({ id: 'Schema' })

/** Maps the tags of the tree in an object under this name. */
export const visitTagsAt =
  (member: string): NonNullable<Field['nested']> =>
  (value, visit) => {
    if (!isObject(value) || value[member] === undefined) return value
    const visited = visitTreeTags(value[member], visit, `/${member}`)
    return visited === value[member] ? value : { ...value, [member]: visited }
  }

export const schemaMember = (description: string): Field => ({
  schema: input,
  answer,
  nested: visitTagsAt('schemaFields'),
  elements: ['schemaFields'],
  description,
})

const replacedBy = (text: SchemaText, schemaBefore: Json | undefined): SchemaText | undefined => {
  const old = schemaTextIn(schemaBefore)
  return isSameText(old, text) ? undefined : old
}

/** The texts that {@link readSchemas} needs parsed: the new ones and those that they replace. */
const schemaTexts = ({ members, before }: Pick<Draft, 'members' | 'before'>, names: readonly string[]) =>
  names.flatMap((name) => {
    const text = schemaTextIn(members[name])
    return text === undefined ? [] : [text, replacedBy(text, before?.[name]) ?? []].flat()
  })

/** The members with the fields of their schema texts; an unreadable text is a problem. */
const readSchemas = (
  { members, before, wasDerived }: Draft,
  names: readonly string[],
  effects: Pick<Effects, 'schema'>,
  problems: Problem[],
): Members => {
  let result = members
  for (const name of names) {
    const schema = members[name]
    const text = schemaTextIn(schema)
    if (!isObject(schema) || text === undefined) continue
    const reading = effects.schema(text)
    if ('problem' in reading) problems.push({ path: `/${name}/schemaText`, message: reading.problem })
    else if (reading.fields !== undefined) {
      const { fields } = reading
      const asNow = (roots: readonly JsonObject[]) => rootsAsNow(roots, fields)
      const old = wasDerived ? undefined : replacedBy(text, before?.[name])
      const known = old && [fieldsOf(effects.schema(old)), nodesOf(valueAt(before?.[name], ['schemaFields']))]
      const schemaFields = withAnnotations(fields, asNow(nodesOf(schema['schemaFields'])), known?.map(asNow))
      result = { ...result, [name]: { ...schema, schemaFields } }
    }
  }
  return result
}

const fieldsOf = (reading: ParsedSchema): JsonObject[] => ('problem' in reading ? [] : (reading.fields ?? []))

/** Members that people may write on a field that was parsed from a text. */
const ownWords = ['displayName', 'description', 'tags']

/** The parsed fields with what people wrote on them, without the words that all of `known` have: from the old text. */
const withAnnotations = (
  parsed: readonly JsonObject[],
  given: readonly JsonObject[],
  known: readonly (readonly JsonObject[])[] = [],
): JsonObject[] => {
  const [givenByName, ...knownByName] = [given, ...known].map(nodesByName)
  return parsed.map((field) => {
    const name = field['name'] as string
    const source = givenByName?.get(name)
    if (source === undefined) return field
    const old = knownByName.map((nodes) => nodes.get(name))
    const result: JsonObject = { ...field }
    for (const word of ownWords) {
      const value = source[word]
      if (value !== undefined && !(old.length > 0 && old.every((node) => node?.[word] === value))) result[word] = value
    }
    if (field['children'] !== undefined) {
      result['children'] = withAnnotations(
        nodesOf(field['children']),
        nodesOf(source['children']),
        old.map((node) => nodesOf(node?.['children'])),
      )
    }
    return result
  })
}

/** The behaviour of kinds with columns or fields. @param schemas members whose texts are parsed first */
export const treeBehaviour = (
  trees: readonly Tree[],
  schemas: readonly string[] = [],
): Behaviour & Required<Pick<Behaviour, 'derive'>> => ({
  ...(schemas.length > 0 && { schemas: (draft) => schemaTexts(draft, schemas) }),
  derive: (draft, effects) => {
    const problems: Problem[] = []
    const read = readSchemas(draft, schemas, effects, problems)
    return { members: completeTrees(read, trees, draft, problems), problems }
  },
  breaking: (before, after) => brokenColumns(before, after, trees).length > 0,
  searchFields: {
    part: trees.some(({ at }) => at.at(-1) === 'columns') ? 'columns' : 'fields',
    of: (members) => namesInTrees(members, trees),
  },
})
