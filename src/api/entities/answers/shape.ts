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

type IsNamed = (name: string) => boolean

const isShown = (
  name: string,
  shown: 'always' | 'request' | 'only-request' | undefined,
  wanted: FieldSet,
  isNamed: IsNamed,
): boolean =>
  shown === undefined ||
  shown === 'always' ||
  (wanted === 'get' && shown === 'request') ||
  isNamed(name) ||
  isNamed('*')

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

const makeShape = (definition: KindDefinition, shown: FieldSet, named: ReadonlySet<string>) => {
  const isNamed: IsNamed = (name) => named.has(name) || (typeof shown !== 'string' && shown.has(name))
  const fields = Object.entries(definition.fields)
  const hidden = new Set(
    fields.filter(([name, field]) => !isShown(shownName(name), field.shown, shown, isNamed)).map(([name]) => name),
  )
  const plain = fields.filter(([, field]) => onRequest(field) && field.references === undefined)
  const open = plain.filter(([name]) => !hidden.has(name))
  return {
    definition,
    /** Members to omit. */
    hidden,
    computed: Object.entries(definition.computed).filter(([name, computed]) =>
      isShown(name, computed.shown, shown, isNamed),
    ),
    /** Which of a row's `shownOnRequest` are needed. */
    onRequest: open.length === 0 ? 'nothing' : open.length === plain.length ? 'all' : 'some',
    votes: definition.traits.votes === true && isShown('votes', 'request', shown, isNamed),
    /** Members that refer to ancestors. */
    ancestors: [...new Set([...definition.parents.map((parent) => parent.field), ...definition.ancestors])],
    /** Lists that are shown even if empty. */
    demanded: new Set(listMembers(definition).filter((name) => isNamed(name) || isNamed('*'))),
    /** Whether a member is asked for by this name. */
    isNamed,
  } as const
}

/** The shape of answers of one kind. */
export type Shape = ReturnType<typeof makeShape>

const none: ReadonlySet<string> = new Set()

const usual = {
  list: perKind((definition) => makeShape(definition, 'list', none)),
  get: perKind((definition) => makeShape(definition, 'get', none)),
}

/** @param named further members that are shown as if `fields` named them, lists even if empty */
export const shapeOf = (definition: KindDefinition, shown: FieldSet, named = none): Shape =>
  typeof shown === 'string' && named.size === 0 ? usual[shown](definition) : makeShape(definition, shown, named)

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
  const unknown = given.filter((name) => memberNamed(definition, name) === undefined)
  const problem = unknownNames(unknown, [...optionalMembers(definition), '*'])
  if (problem !== undefined) throw badQuery('fields', problem)
  return new Set(given.flatMap((name) => [memberNamed(definition, name) as string, name]))
}

/** The member that a name in `fields` means, which may be an alias. */
const memberNamed = ({ fields, computed, traits }: KindDefinition, name: string): string | undefined => {
  const [member] = Object.entries(fields).find(([, field]) => field.aliases?.includes(name)) ?? []
  const isKnown = name === '*' || Object.hasOwn(fields, name) || Object.hasOwn(computed, name)
  return member ?? (isKnown || (name === 'votes' && traits.votes) ? name : undefined)
}
