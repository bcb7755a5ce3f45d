import { z } from 'zod'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { perKind } from '../../../kinds/perKind.ts'
import { onRequest } from '../../../projections/entities/entityRow.ts'
import { unknownNames } from '../../../shared/nearest.ts'
import { badQuery, namesText, readParameter } from '../../http/queryParameters.ts'
import { queryParameter } from '../../http/route.ts'

/** Optional members of an answer: `list`: none; `get`: those of a single get; else those named by `fields`. */
export type FieldSet = 'list' | 'get' | ReadonlySet<string>

/** The shown name of a member: voters are part of `votes`. */
export const shownName = (name: string): string => (name === 'upVoters' || name === 'downVoters' ? 'votes' : name)

const isShown = (name: string, shown: 'always' | 'request' | 'only-request' | undefined, wanted: FieldSet): boolean => {
  if (shown === undefined || shown === 'always') return true
  if (wanted === 'list') return false
  if (wanted === 'get') return shown === 'request'
  return wanted.has(name) || wanted.has('*')
}

const listMembers = perKind((definition) => [
  ...Object.entries(definition.fields)
    .filter(
      ([name, { references, schema }]) =>
        shownName(name) === name && (references?.many ?? schema instanceof z.ZodArray),
    )
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, { from }]) => from === 'children' || from === 'related')
    .map(([name]) => name),
])

const makeShape = (definition: KindDefinition, shown: FieldSet, lists: readonly string[]) => {
  const fields = Object.entries(definition.fields)
  const hidden = new Set(
    fields.filter(([name, field]) => !isShown(shownName(name), field.shown, shown)).map(([name]) => name),
  )
  const plain = fields.filter(([, field]) => onRequest(field) && field.references === undefined)
  const open = plain.filter(([name]) => !hidden.has(name))
  const named = (name: string): boolean => typeof shown !== 'string' && (shown.has(name) || shown.has('*'))
  return {
    definition,
    /** Members to omit. */
    hidden,
    computed: Object.entries(definition.computed).filter(([name, computed]) => isShown(name, computed.shown, shown)),
    /** Which of a row's `shownOnRequest` are needed. */
    onRequest: open.length === 0 ? 'nothing' : open.length === plain.length ? 'all' : 'some',
    votes: definition.traits.votes === true && isShown('votes', 'request', shown),
    /** Members that refer to ancestors. */
    ancestors: [...new Set([...definition.parents.map((parent) => parent.field), ...definition.ancestors])],
    /** Lists that are shown even if empty. */
    demanded: new Set(listMembers(definition).filter((name) => lists.includes(name) || named(name))),
  } as const
}

/** The shape of answers of one kind. */
export type Shape = ReturnType<typeof makeShape>

const usual = {
  list: perKind((definition) => makeShape(definition, 'list', [])),
  get: perKind((definition) => makeShape(definition, 'get', [])),
}

/** @param lists further lists that are shown even if empty */
export const shapeOf = (definition: KindDefinition, shown: FieldSet, lists: readonly string[] = []): Shape =>
  typeof shown === 'string' && lists.length === 0 ? usual[shown](definition) : makeShape(definition, shown, lists)

/** The optional members that `fields` can name. */
export const optionalMembers = (definition: KindDefinition): string[] => [
  ...Object.entries(definition.fields)
    .filter(([name, field]) => onRequest(field) && shownName(name) === name)
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, computed]) => computed.shown !== 'always')
    .map(([name]) => name),
  ...(definition.traits.votes ? ['votes'] : []),
]

/** The parameter with member names or `*`. */
export const fieldsParameter = perKind((definition) =>
  queryParameter(
    'fields',
    `Optional members, comma-separated, or *: ${optionalMembers(definition).join(', ')}`,
    namesText(),
  ),
)

/** Reads `fields`. @throws DomainError `invalid` that names unknown ones */
export const readFields = (
  query: ReadonlyMap<string, string>,
  definition: KindDefinition,
  otherwise: FieldSet,
): FieldSet => {
  const given = readParameter(query, fieldsParameter(definition)) ?? []
  if (given.length === 0) return otherwise
  const names = given.map((name) => memberNamed(definition, name))
  const unknown = names.filter((name) => name.member === undefined).map((name) => name.given)
  const problem = unknownNames(unknown, [...optionalMembers(definition), '*'])
  if (problem === undefined) return new Set(names.flatMap(({ given, member }) => [member as string, given]))
  throw badQuery('fields', problem)
}

const memberNamed = (definition: KindDefinition, given: string): { given: string; member: string | undefined } => {
  const aliased = Object.entries(definition.fields).find(([, field]) => field.aliases?.includes(given))
  const known =
    given === '*' ||
    Object.hasOwn(definition.fields, given) ||
    Object.hasOwn(definition.computed, given) ||
    optionalMembers(definition).includes(given)
  return { given, member: aliased?.[0] ?? (known ? given : undefined) }
}
