import { everyMember } from '../../events/appendCondition.ts'
import { type Dependency, type Members, streamName } from '../../events/events.ts'
import type { Fact, Facts, KindDefinition } from '../../kinds/defineKind.ts'
import { possibleIds } from '../../kinds/names.ts'
import type { Entity, EntityHead } from '../evolve.ts'
import {
  isWhole,
  referenceTo,
  type EntityReader,
  type IdentityMap,
  type LookupIds,
  type Referred,
  type Hierarchy,
} from '../lookup.ts'
import type { Ports } from '../ports.ts'
import { type EventSubject, isProvisional } from '../recording.ts'

/** The entities loaded for requests that are decided together, and the log position that they show at least. */
export interface Loaded {
  readonly after: bigint | undefined
  readonly known: IdentityMap
  /** Ids that were not found. */
  readonly absent: Set<string>
}

/** The recorded reads of one request. Everything read of other entities becomes its append condition. */
export interface Reads extends EntityReader {
  /** The request's own entity, which needs no condition beyond the expected revision. */
  own(id: string): Entity | undefined
  /** Facts for the rules of kinds: live and deleted entities. Each member that is read is recorded. */
  readonly facts: Facts
  /** Checks for descendants. Their absence is recorded. */
  readonly hierarchy: Pick<Hierarchy, 'hasChild' | 'hasDescendant'>
  load(wanted: Partial<LookupIds>): Promise<void>
  /** Records that nobody has worked on what is of these kinds and below this name. */
  recordUntouched(kinds: string[], below: string): void
  /** Records all members of an entity as read. */
  readEveryMember(id: string): void
  /** Records that an entity was not found: it may be created before the append, but not deleted. */
  recordNotEnded(entity: Pick<EntityHead, 'kind' | 'id'>): void
  /** Another live or soft-deleted entity with the same name. Its absence is recorded. */
  namesake(definition: KindDefinition, subject: EventSubject): Promise<EntityHead | undefined>
  /** The recorded reads as dependencies of the append. @param own id of the request's own entity */
  dependencies(own: string): Dependency[]
  /** Whether a provisional state of another entity was read. @param own as for `dependencies` */
  readProvisional(own: string): boolean
}

interface Read {
  readonly kind: string
  readonly status: EntityHead['status']
  readonly members: Set<string>
}

/** A proxy of members that records the name of each member that is read. */
const recordingProxy = (members: Members, names: Set<string>): Members =>
  new Proxy(members, {
    get: (target, name) => {
      if (typeof name === 'string') names.add(name)
      return Reflect.get(target, name) as unknown
    },
    has: (target, name) => {
      if (typeof name === 'string') names.add(name)
      return Reflect.has(target, name)
    },
    ownKeys: (target) => {
      names.add(everyMember)
      return Reflect.ownKeys(target)
    },
  })

const factOf = (entity: Entity | Referred, names: Set<string>): Fact => ({
  reference: referenceTo(entity),
  deleted: entity.status === 'deleted',
  members: recordingProxy(isWhole(entity) ? entity.members : entity.facts, names),
})

/** Records what is read of loaded entities. */
export const makeReads = (ports: Pick<Ports, 'lookup' | 'refer' | 'hierarchy'>, loaded: Loaded): Reads => {
  const { known } = loaded
  const reads = new Map<string, Read>()
  const absences: Dependency[] = []
  const recordRead = ({ id, kind, status }: Pick<EntityHead, 'id' | 'kind' | 'status'>): Read => {
    const read = reads.get(id) ?? { kind, status, members: new Set<string>() }
    reads.set(id, read)
    return read
  }
  const get = (id: string): Entity | Referred | undefined => {
    const entity = known.get(id)
    if (entity !== undefined) recordRead(entity)
    return entity
  }
  const recordAbsence = (kind: string, below = ''): void => void absences.push({ kind, below })
  return {
    get,
    own: (id) => {
      const found = known.get(id)
      if (found === undefined || isWhole(found)) return found
      throw new Error(`${found.kind} ${id} was loaded as something that others refer to, and is needed whole.`)
    },
    kindOf: (id) => known.get(id)?.kind,
    facts: {
      get: (id) => {
        const entity = get(id)
        return entity === undefined || entity.status === 'gone' ? undefined : factOf(entity, recordRead(entity).members)
      },
    },
    hierarchy: {
      hasChild: async (parent, kind, deleted) => {
        recordAbsence(kind, known.get(parent)?.fullyQualifiedName)
        return ports.hierarchy.hasChild(parent, kind, deleted)
      },
      hasDescendant: async (entity, kind, deleted) => {
        recordAbsence(kind, entity.fullyQualifiedName)
        return ports.hierarchy.hasDescendant(entity, kind, deleted)
      },
    },
    load: (wanted) => loadInto(ports, loaded, wanted),
    readEveryMember: (id) => {
      const entity = get(id)
      if (entity !== undefined) recordRead(entity).members.add(everyMember)
    },
    recordUntouched: (among, below) => void absences.push({ kinds: among, below }),
    recordNotEnded: ({ kind, id }) => void recordRead({ kind, id, status: 'live' }),
    namesake: async (definition, { kind, id, fullyQualifiedName }) => {
      const others = possibleIds(definition, fullyQualifiedName).filter((other) => other !== id)
      if (others.length === 0) return undefined
      await loadInto(ports, loaded, { referred: others })
      absences.push({ streams: others.map((other) => streamName(kind, other)), name: fullyQualifiedName })
      const found = others
        .flatMap((other) => known.get(other) ?? [])
        .find((other) => other.status !== 'gone' && other.fullyQualifiedName === fullyQualifiedName)
      return found && get(found.id)
    },
    dependencies: (own) => [...absences, ...dependenciesOn(reads, own)],
    readProvisional: (own) => [...reads.keys()].some((id) => id !== own && isProvisional(known.get(id))),
  }
}

const dependenciesOn = (reads: ReadonlyMap<string, Read>, own: string): Dependency[] => {
  const byStatus = new Map<EntityHead['status'], string[]>()
  const onMembers: Dependency[] = []
  for (const [id, { kind, status, members }] of reads) {
    if (id === own) continue
    const stream = streamName(kind, id)
    const streams = byStatus.get(status)
    if (streams === undefined) byStatus.set(status, [stream])
    else streams.push(stream)
    if (members.size > 0) onMembers.push({ stream, members: [...members] })
  }
  const dependencies: Dependency[] = []
  for (const [status, streams] of byStatus) dependencies.push({ status, streams })
  return [...dependencies, ...onMembers]
}

/** Loads entities that are not loaded yet, all at the same time if the store can. */
export const loadInto = async (
  { lookup, refer }: Pick<Ports, 'lookup' | 'refer'>,
  { known, absent }: Loaded,
  { whole = [], referred = [] }: Partial<LookupIds>,
): Promise<void> => {
  const wholeIds = new Set<string>()
  const others = new Set<string>()
  for (const id of whole) if (!isWhole(known.get(id)) && !absent.has(id)) wholeIds.add(id)
  for (const id of referred) if (!known.has(id) && !absent.has(id) && !wholeIds.has(id)) others.add(id)
  const [found, heads] = await Promise.all([
    wholeIds.size === 0 ? undefined : lookup([...wholeIds]),
    others.size === 0 ? undefined : refer([...others]),
  ])
  for (const [id, head] of heads ?? []) if (!known.has(id)) known.set(id, head)
  for (const [id, entity] of found ?? []) known.set(id, entity)
  for (const id of [...wholeIds, ...others]) if (!known.has(id)) absent.add(id)
}

/** Loads the entities that a request names. */
export const loadEntities = async (
  ports: Pick<Ports, 'lookup' | 'refer' | 'position'>,
  wanted: LookupIds,
): Promise<Loaded> => {
  const loaded: Loaded = { after: ports.position(), known: new Map(), absent: new Set() }
  await loadInto(ports, loaded, wanted)
  return loaded
}

/** Replaces an entity's provisional state by its appended or former one. @param before the unit of work */
export const replaceProvisional = ({ known }: Loaded, id: string, before: Entity | undefined, made?: Entity): void => {
  if (made !== undefined && !isProvisional(made)) known.set(id, made)
  else if (isProvisional(known.get(id)) && before !== undefined) known.set(id, before)
  else if (isProvisional(known.get(id))) known.delete(id)
}
