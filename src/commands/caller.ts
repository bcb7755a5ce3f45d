import { type CatalogEvent, type Reference, incarnationKey, incarnationOf } from '../events/events.ts'
import type { Fact, KindDefinition, ReferenceInput } from '../kinds/defineKind.ts'
import { buildFqn, entityId, isUuid } from '../kinds/names.ts'
import { principalKind } from '../kinds/registry/kinds.ts'
import { chunksOf } from '../shared/bounds.ts'
import { referencesIn, type Entity, type EntityHead } from './evolve.ts'
import { referenceTo, type EntityReader } from './lookup.ts'
import type { Ports } from './ports.ts'

export interface Caller {
  readonly name: string
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

/** Whether one of these incarnations is among the owners. */
const isOwned = ({ members }: Pick<Fact, 'members'>, own: readonly string[]): boolean =>
  referencesIn(members, 'owners').some((owner) => own.includes(incarnationKey(owner)))

/** Whether the caller may view an entity. */
export const mayView = async (caller: Caller, about: Pick<Fact, 'reference' | 'members'>): Promise<boolean> => {
  const view = caller.visibilityOf(about.reference.type)
  return view === 'ifOwner' ? isOwned(about, await caller.incarnations()) : view === 'yes'
}

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
 * Makes the check whether a caller may name an entity as a request does: the caller, the caller's teams and what the
 * caller may view. Everything else is handled as if it did not exist, except by the opaque id that an answer showed.
 * @param lookup tells who owns what
 * @param found all entities to be checked
 */
export const makeNameCheck = async (
  { visibilityOf, incarnations }: Pick<Caller, 'visibilityOf' | 'incarnations'>,
  { lookup, secretCodec }: Pick<Ports, 'lookup' | 'secretCodec'>,
  found: readonly Pick<EntityIdentity, 'id' | 'kind'>[],
) => {
  const hidden = found.filter(({ kind }) => visibilityOf(kind) !== 'yes')
  const own = hidden.length === 0 ? [] : await incarnations()
  const named = new Set(own)
  const limited = hidden.filter(({ kind }) => visibilityOf(kind) === 'ifOwner')
  for (const some of chunksOf(limited, ownersPerQuery))
    for (const entity of (await lookup(some.map(({ id }) => id))).values())
      if (isOwned(entity, own)) named.add(incarnationOf(entity))
  return (entity: EntityIdentity, input: ReferenceInput): boolean =>
    visibilityOf(entity.kind) === 'yes' || named.has(incarnationOf(entity)) || isOpaque(secretCodec, input, entity.id)
}

/** Number of entities whose owners are looked up in one query. */
const ownersPerQuery = 50

/**
 * Finds what a caller's request may name, also the caller's entity that is yet to be created: see {@link makeNameCheck}.
 * @param ids of all entities that the request may name, already loaded
 */
export const makeNameResolver = async (
  context: Pick<Context, 'caller' | 'lookup' | 'secretCodec'>,
  reads: Pick<EntityReader, 'get' | 'kindOf'>,
  ids: readonly string[],
): Promise<NameResolver> => {
  const { caller } = context
  if (caller === undefined) return reads.get
  const self = userId(caller.name)
  const found: Pick<EntityIdentity, 'id' | 'kind'>[] = []
  for (const id of new Set(ids)) {
    const kind = id === self ? principalKind : reads.kindOf(id)
    if (kind !== undefined) found.push({ id, kind })
  }
  const mayName = await makeNameCheck(caller, context, found)
  return (id, input) => {
    const entity = id === self ? callerEntity(caller, reads) : reads.get(id)
    return entity !== undefined && mayName(entity, input) ? entity : undefined
  }
}

const isOpaque = (
  { revealId }: Ports['secretCodec'],
  { id, fullyQualifiedName = '' }: ReferenceInput,
  meant: string,
) => {
  const given = (id ?? fullyQualifiedName).toLowerCase()
  return given !== meant && isUuid(given) && revealId(given) === meant
}
