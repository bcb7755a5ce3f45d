import { type EventType, entityOf } from '../../../events/events.ts'
import { descendantKinds } from '../../../kinds/registry/kinds.ts'
import { ancestorFqns } from '../../../kinds/names.ts'
import type { EntityLists, EntityReads, ListQuery, Related } from '../../../projections/entities/port.ts'
import type { Search } from '../../../projections/search/port.ts'
import type { EntityRow, ListedRow, ReferenceRow } from '../../../projections/entities/row.ts'
import type { CatalogRequest } from '../../deps.ts'
import { hashOf } from '../../http/responseCache.ts'
import type { Answer } from '../../http/route.ts'

/** The name of a dependency on everything that reads show. */
export const anything = 'anything'

/** Names of dependencies; {@link changedNames} gives them when they change. An id is the name of its entity. */
const named = {
  /** Which entities of a kind exist and are live. */
  membersOf: (kind: string): string => `members ${kind}`,
  /** Anything of any entity of a kind. */
  allOf: (kind: string): string => `all ${kind}`,
  /** The entity with a name. */
  called: (kind: string, fqn: string): string => `${kind} ${fqn}`,
  /** Everything below a name, which is deleted and restored with it before its own events. */
  below: (fqn: string): string => `below ${fqn}`,
  /** Entities related to an id. */
  relatedTo: (rel: string, id: string): string => `${rel} ${id}`,
}

/** Events that do not affect which entities exist and are live. */
const keepsMembers: ReadonlySet<EventType> = new Set<EventType>([
  'Updated',
  'Voted',
  'FollowerAdded',
  'FollowerRemoved',
])

/** Events that also affect descendants. */
const reachesDown: ReadonlySet<EventType> = new Set<EventType>(['SoftDeleted', 'Restored', 'HardDeleted'])

/**
 * The names of everything that events of an entity change.
 * @param events empty if unknown
 */
export function* changedNames(
  { id, kind, fullyQualifiedName, edges }: Pick<EntityRow, 'id' | 'kind' | 'fullyQualifiedName' | 'edges'>,
  events: readonly { readonly type: EventType }[],
): Generator<string> {
  yield id
  yield anything
  yield named.allOf(kind)
  yield named.called(kind, fullyQualifiedName)
  for (const { rel, target } of edges) yield named.relatedTo(rel, entityOf(target))
  const isKnown = events.length > 0
  if (isKnown && events.every(({ type }) => keepsMembers.has(type))) return
  yield named.membersOf(kind)
  if (isKnown && !events.some(({ type }) => reachesDown.has(type))) return
  yield named.below(fullyQualifiedName)
  for (const { name } of descendantKinds(kind)) yield named.membersOf(name)
}

/** An answer with more dependencies is not cached. */
const mostDependencies = 2000

type Recorded = Pick<EntityReads, 'get' | 'getByFqn' | 'getMany' | 'getReferences'> &
  Pick<Search, 'search'> &
  Pick<EntityLists, 'list' | 'relatedTo' | 'childrenOf' | 'countBelow'>

/** Records the dependencies of an answer. */
const makeNotes = (dependencies: Set<number>) => {
  const isFull = (): boolean => dependencies.size >= mostDependencies
  const note = (name: string): void => void (isFull() || dependencies.add(hashOf(name)))
  let last = ''
  const place = (fqn: string): void => {
    const prefix = fqn.slice(0, fqn.lastIndexOf('.') + 1)
    if (prefix === last) return
    last = prefix
    for (const above of ancestorFqns(fqn)) note(named.below(above))
  }
  const row = ({ id, fullyQualifiedName }: Pick<ListedRow, 'id' | 'fullyQualifiedName'>): void => {
    note(id)
    place(fullyQualifiedName)
  }
  const reference = ({ id, reference: text }: ReferenceRow): void => {
    if (!isFull()) row({ id, ...(JSON.parse(text) as { fullyQualifiedName: string }) })
  }
  const related = (found: Related[]): Related[] => {
    for (const each of found) reference(each.row)
    return found
  }
  return { note, place, row, reference, related }
}

type Notes = ReturnType<typeof makeNotes>

const recordedEntities = (reads: Recorded, { note, place, row, reference }: Notes) => ({
  get: async (id: string) => {
    note(id)
    const found = await reads.get(id)
    if (found !== undefined) place(found.fullyQualifiedName)
    return found
  },
  getByFqn: async (kind: string, fqn: string) => {
    note(named.called(kind, fqn))
    const found = await reads.getByFqn(kind, fqn)
    if (found !== undefined) row(found)
    return found
  },
  getMany: async (ids: readonly string[]) => {
    ids.forEach(note)
    const found = await reads.getMany(ids)
    for (const { fullyQualifiedName } of found.values()) place(fullyQualifiedName)
    return found
  },
  getReferences: async (ids: readonly string[]) => {
    ids.forEach(note)
    const found = await reads.getReferences(ids)
    for (const each of found.values()) reference(each)
    return found
  },
})

/** The reads of one answer, which record its dependencies. */
const recordedReads = (reads: Recorded, notes: Notes): Recorded => ({
  ...recordedEntities(reads, notes),
  list: async (query) => {
    notes.note(isNarrowed(query) ? named.allOf(query.kind) : named.membersOf(query.kind))
    for (const { kind } of query.children ?? []) notes.note(named.membersOf(kind))
    const page = await reads.list(query)
    page.rows.forEach(notes.row)
    return page
  },
  relatedTo: async (targets, rel, limit) => {
    for (const target of targets) notes.note(named.relatedTo(rel, entityOf(target)))
    return notes.related(await reads.relatedTo(targets, rel, limit))
  },
  childrenOf: async (ids, kind, limit) => {
    notes.note(named.membersOf(kind))
    return notes.related(await reads.childrenOf(ids, kind, limit))
  },
  countBelow: async (kind, scope) => {
    notes.note(named.membersOf(kind))
    return reads.countBelow(kind, scope)
  },
  search: async (query) => {
    notes.note(anything)
    return reads.search(query)
  },
})

/** Whether an update can add entities to the list or remove them. */
const isNarrowed = ({ edges, lacking = [], entityStatus, own }: ListQuery): boolean =>
  edges.length + lacking.length > 0 || entityStatus !== undefined || own !== undefined

/** An answer with its dependencies, unless it depends on more than present entities and so cannot be cached. */
export const withDependencies = async <R extends CatalogRequest>(
  request: R,
  make: (request: R) => Promise<Answer>,
): Promise<Answer> => {
  if (request.isRepeated !== true) return make(request)
  const { api } = request
  const dependencies = new Set<number>()
  let isWhole = true
  const watch = <Store extends object>(store: Store, recorded: Partial<Store> = {}): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (Object.hasOwn(recorded, name)) return Reflect.get(recorded, name) as unknown
        isWhole = false
        return Reflect.get(target, name) as unknown
      },
    })
  const recorded = recordedReads(api.readModels, makeNotes(dependencies))
  const { readModels, log, history, pastRows, commands } = api
  const watched = {
    ...api,
    readModels: watch(readModels, recorded),
    log: watch(log),
    history: watch(history),
    pastRows: watch(pastRows),
    commands: watch(commands, { sealer: commands.sealer, kindNamed: commands.kindNamed }),
  }
  const answer = await make({ ...request, api: watched })
  return isWhole && dependencies.size < mostDependencies ? { ...answer, dependencies } : answer
}
