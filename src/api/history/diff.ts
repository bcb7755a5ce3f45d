import { queryParameter, type Parameter } from '../http/route.ts'
import { badQuery, namesText, readParameter, type SentQuery } from '../http/queryParameters.ts'
import jsonPatch from 'fast-json-patch'
import { z } from 'zod'
import { describeChange, unknownMembers, type ChangeDescription } from '../../commands/changes.ts'
import { enumerate } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { perKind } from '../../kinds/perKind.ts'
import { jsonPatchSchema } from '../../kinds/request/openApiSchemas.ts'
import { unknownNames } from '../../shared/nearest.ts'
import { shorten } from '../../shared/bounds.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'

const forms = ['patch', 'members', 'sentence'] as const

const stamps = ['version', 'updatedAt', 'updatedBy', 'changeDescription']

/** Members with verbs of their own, including `deleted`. */
const verbMembers = ['deleted', 'assets', 'inputPorts', 'outputPorts']

/** Those that answers have only on request. */
export const listsOnRequest = ({ fields }: KindDefinition): string[] =>
  verbMembers.filter((name) => fields[name]?.shown === 'only-request')

/** Whether a member is set by users rather than derived or changed by verbs. */
const isUserWritten = (definition: KindDefinition, name: string): boolean => {
  const field = definition.fields[name]
  return verbMembers.includes(name) || (field !== undefined && field.readOnly !== true)
}

/** Members that are compared only when they are asked for. */
const derivedMembers = (definition: KindDefinition): string[] =>
  [
    ...stamps,
    ...Object.keys(definition.fields),
    ...Object.keys(definition.computed),
    ...(definition.traits.votes ? ['votes'] : []),
  ].filter((name) => !isUserWritten(definition, name))

const formParameter = queryParameter(
  'form',
  'A JSON Patch, the members with their old and new values, or a sentence. A patch applies to what a read with `asOf` ' +
    'and `fields=*` shows; with `fields=*` of its own, to what one without shows.',
  z.enum(forms).default('patch'),
)

const fieldsParameterOf = perKind((definition) =>
  queryParameter(
    'fields',
    'Members that follow by themselves and are compared too, comma-separated, or *: ' +
      `${derivedMembers(definition).join(', ')}`,
    namesText(),
  ),
)

export const diffParameters = (definition: KindDefinition): Parameter[] => [
  formParameter,
  fieldsParameterOf(definition),
]

const changes = z.array(z.object({ name: z.string(), oldValue: z.unknown(), newValue: z.unknown() }).partial())

export const diffSchema = z
  .union([
    jsonPatchSchema,
    z
      .object({
        fieldsAdded: changes,
        fieldsUpdated: changes,
        fieldsDeleted: changes,
        unreadable: z
          .array(z.string())
          .optional()
          .describe('Members whose values were erased, or cannot be read, in both: whether they differ is not known'),
      })
      .meta({ id: 'MembersDifference', description: 'Each member, or part of a member, that differs' }),
    z.object({ sentence: z.string() }).meta({ id: 'DifferenceInWords', description: 'The change in a sentence' }),
  ])
  .meta({ id: 'Difference', description: 'In the format given by `form`' })

/** Reads what is asked of a difference. @throws DomainError `invalid` */
export const readDiff = (definition: KindDefinition, query: SentQuery) => {
  const form = readParameter(query, formParameter)
  const names = readParameter(query, fieldsParameterOf(definition)) ?? []
  const others = names.filter((name) => !isUserWritten(definition, name))
  const problem = unknownNames(others, [...derivedMembers(definition), '*'])
  if (problem !== undefined) throw badQuery('fields', problem)
  const requested = new Set(names)
  const isCompared = (name: string): boolean =>
    requested.has('*') || requested.has(name) || isUserWritten(definition, name)
  // Such a patch converts one answer into the other, and so covers exactly what answers have.
  return { form, isCompared, isFullPatch: form === 'patch' && requested.has('*') }
}

export const diffOf = (
  one: JsonObject,
  other: JsonObject,
  { form, isCompared }: Pick<ReturnType<typeof readDiff>, 'form' | 'isCompared'>,
): Json => {
  const [before, after] = [one, other].map((answer) =>
    Object.fromEntries(Object.entries(answer).filter(([name]) => isCompared(name))),
  ) as [JsonObject, JsonObject]
  if (form === 'patch') return jsonPatch.compare(before, after) as unknown as Json
  const described = describeChange(before, after, 0)
  const unreadable = unknownMembers(before, after)
  if (form === 'sentence') return { sentence: sentenceOf(described, unreadable) }
  const { previousVersion: _, ...members } = described
  return { ...members, ...(unreadable.length > 0 && { unreadable }) } as Json
}

const longest = 80

const short = (text: string): string => shorten(text, longest)

/** A value for people; an object by its name. */
const valueText = (value: Json | undefined): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : enumerate(value.map(itemText))
  return itemText(value)
}

const itemText = (value: Json | undefined): string => {
  if (typeof value === 'string') return `“${short(value)}”`
  if (!isObject(value)) return JSON.stringify(value)
  const name = value['tagFQN'] ?? value['fullyQualifiedName'] ?? value['name']
  return typeof name === 'string' ? name : short(JSON.stringify(value))
}

const sentenceOf = (
  { fieldsAdded, fieldsUpdated, fieldsDeleted }: ChangeDescription,
  unreadable: readonly string[],
): string => {
  const turned = fieldsUpdated.find(({ name }) => name === 'deleted')
  const done = [
    ...(turned === undefined ? [] : [turned.newValue === true ? 'deleted it' : 'restored it']),
    ...fieldsAdded.map(({ name, newValue }) => `added ${name}: ${valueText(newValue)}`),
    ...fieldsUpdated
      .filter((each) => each !== turned)
      .map(({ name, oldValue, newValue }) => `changed ${name} from ${valueText(oldValue)} to ${valueText(newValue)}`),
    ...fieldsDeleted.map(({ name, oldValue }) => `removed ${name}: ${valueText(oldValue)}`),
  ].join('; ')
  const unknown = `Whether ${enumerate(unreadable)} changed is not known: the values cannot be read any more.`
  const said = [
    ...(done === '' ? [] : [`${done.charAt(0).toUpperCase()}${done.slice(1)}.`]),
    ...(unreadable.length > 0 ? [unknown] : []),
  ]
  return said.length === 0 ? 'Nothing changed.' : said.join(' ')
}
