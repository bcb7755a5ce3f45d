import { badQuery } from '../../http/queryParameters.ts'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { onRequest } from '../../../projections/entities/entityRow.ts'
import type { Shown } from '../answers/shape.ts'

export type Include = 'non-deleted' | 'deleted' | 'all'

/** Reads `include`. @throws DomainError `invalid` */
export const readInclude = (query: ReadonlyMap<string, string>): Include => {
  const include = query.get('include') ?? 'non-deleted'
  if (include === 'non-deleted' || include === 'deleted' || include === 'all') return include
  throw badQuery('include', 'must be all, deleted or non-deleted')
}

/** The optional members that `fields` can name. */
export const optionalMembers = (definition: KindDefinition): string[] => [
  ...Object.entries(definition.fields)
    .filter(([name, field]) => onRequest(field) && !isVoters(name))
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, computed]) => computed.shown !== 'always')
    .map(([name]) => name),
  ...(definition.traits.votes ? ['votes'] : []),
]

const isVoters = (name: string): boolean => name === 'upVoters' || name === 'downVoters'

/** Reads `fields`: names of members, or `*`. @throws DomainError `invalid` that names the unknown ones */
export const readFields = (query: ReadonlyMap<string, string>, definition: KindDefinition, otherwise: Shown): Shown => {
  const text = query.get('fields')
  if (text === undefined || text.trim() === '') return otherwise
  const names = text.split(',').map((name) => memberNamed(definition, name.trim()))
  const unknown = names.filter((name) => name.member === undefined).map((name) => name.given)
  if (unknown.length === 0) return new Set(names.flatMap(({ given, member }) => [member as string, given]))
  throw badQuery('fields', `${unknown.join(', ')}: unknown; known: ${optionalMembers(definition).join(', ')} or *`)
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
