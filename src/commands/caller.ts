import { type CatalogEvent, type Reference, entityOf, incarnationKey } from '../events/events.ts'
import type { KindDefinition, ReferenceInput } from '../kinds/defineKind.ts'
import { buildFqn, entityId, isUuid } from '../kinds/names.ts'
import { principalKind } from '../kinds/registry/kinds.ts'
import { chunksOf } from '../shared/bounds.ts'
import { referencesIn, type Entity, type EntityHead } from './evolve.ts'
import { referenceTo, type EntityReader } from './lookup.ts'
import type { Ports } from './ports.ts'

export interface Caller {
  readonly name: string
  readonly knownUsers: Set<string>
  readonly visibilityOf: (kind: string) => 'yes' | 'no' | 'ifOwner'
  /** Incarnations that make the caller an owner: the caller's own and those of the caller's teams. */
  readonly incarnations: () => Promise<readonly string[]>
}

export interface Context extends Ports {
  /** The user of the request. The first write creates the user's entity, and may already refer to it. */
  readonly caller?: Caller | undefined
  /** Refuses changes that a policy does not allow this caller. @throws DomainError `forbidden` */
  readonly mayChange?:
    ((definition: KindDefinition, entity: Entity, events: readonly CatalogEvent[]) => Promise<void>) | undefined
  /** Called whenever a long operation has made progress. */
  readonly progress?: (() => void) | undefined
}

/** The id of a user's entity, whether it exists yet or not. */
export const userId = (name: string): string => entityId(principalKind, buildFqn([name]))

/** What a request may mean by a name. */
export type EntityIdentity = Pick<EntityHead, 'kind' | 'id' | 'fullyQualifiedName' | 'born' | 'status'>

/** The caller's entity, or the one that the first write will create. */
const callerEntity = (caller: Caller, known: Pick<EntityReader, 'get'>): EntityIdentity => {
  const id = userId(caller.name)
  const found = known.get(id)
  if (found !== undefined && found.status !== 'gone') return found
  const born = found === undefined ? 0n : found.revision + 1n
  return { kind: principalKind, id, fullyQualifiedName: buildFqn([caller.name]), born, status: 'live' }
}

export const callerReference = (caller: Caller, known: Pick<EntityReader, 'get'>): Reference =>
  referenceTo(callerEntity(caller, known))

/** Finds what a request means by a name that may stand for this id: see `candidateIds`. */
export type NameResolver = (id: string, input: ReferenceInput) => EntityIdentity | undefined

/**
 * Finds what a caller's request may name: the caller, the caller's teams and what the caller may view. Everything else
 * looks as if it did not exist, except by the opaque id that an answer showed for it.
 * @param ids of all entities that the request may name, already loaded
 */
export const makeNameResolver = async (
  { caller, lookup, secretCodec }: Context,
  reads: Pick<EntityReader, 'get' | 'kindOf'>,
  ids: readonly string[],
): Promise<NameResolver> => {
  if (caller === undefined) return reads.get
  const self = userId(caller.name)
  const isViewed = (id: string): boolean => ['yes', undefined].includes(viewOf(caller, reads.kindOf(id)))
  const others = [...new Set(ids)].filter((id) => !isViewed(id))
  const own = new Set([self, ...(others.length === 0 ? [] : await ownAmong(caller, lookup, reads, others))])
  return (id, input) => {
    if (id === self) return callerEntity(caller, reads)
    return isViewed(id) || own.has(id) || isOpaque(secretCodec, input, id) ? reads.get(id) : undefined
  }
}

const viewOf = ({ visibilityOf }: Caller, kind: string | undefined) => kind && visibilityOf(kind)

/** Number of entities whose owners are looked up in one query. */
const ownersAtOnce = 50

/** Those that are the caller's teams, or that the caller owns and may therefore view. */
const ownAmong = async (
  caller: Caller,
  lookup: Ports['lookup'],
  reads: Pick<EntityReader, 'kindOf'>,
  ids: readonly string[],
): Promise<string[]> => {
  const incarnations = new Set(await caller.incarnations())
  const own = [...incarnations].map(entityOf)
  for (const some of chunksOf(
    ids.filter((id) => viewOf(caller, reads.kindOf(id)) === 'ifOwner'),
    ownersAtOnce,
  ))
    for (const [id, { members }] of await lookup(some))
      if (referencesIn(members, 'owners').some((owner) => incarnations.has(incarnationKey(owner)))) own.push(id)
  return own
}

const isOpaque = (
  { revealId }: Ports['secretCodec'],
  { id, fullyQualifiedName = '' }: ReferenceInput,
  meant: string,
) => {
  const given = (id ?? fullyQualifiedName).toLowerCase()
  return given !== meant && isUuid(given) && revealId(given) === meant
}
