import { type EventType, entityOf } from '../../../events/events.ts'
import { ancestorFqns } from '../../../kinds/names.ts'
import type { EntityLists, EntityReads, ListQuery, Related } from '../../../projections/entities/port.ts'
import type { Search } from '../../../projections/search/port.ts'
import type { EntityRow, ListRow, ReferenceRow } from '../../../projections/entities/row.ts'
import { makeAccess } from '../../access.ts'
import type { CatalogRequest } from '../../deps.ts'
import { hashOf } from '../../http/responseCache.ts'
import type { Answer } from '../../http/route.ts'

/** The name of a dependency on everything that reads show. */
export const anyChange = 'anything'

/** Names of dependencies; {@link changedNames} gives them when they change. An id is the name of its entity. */
const dependencyNames = {
  /** Which entities of a kind exist and are live, by their own events. */
  membersOf: (kind: string): string => `members ${kind}`,
  /** Anything of any entity of a kind. */
  allOf: (kind: string): string => `all ${kind}`,
  /** Everything below a name, which is deleted and restored with it before its own events. */
  below: (fqn: string): string => `below ${fqn}`,
  /** Which entities exist and are live, whatever they are found by: their ancestors' events precede their own. */
  turned: 'turned',
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

/** The names of everything that events of an entity change. @param events empty if unknown */
export function* changedNames(
  { id, kind, fullyQualifiedName, edges }: Pick<EntityRow, 'id' | 'kind' | 'fullyQualifiedName' | 'edges'>,
  events: readonly { readonly type: EventType }[],
): Generator<string> {
  yield id
  yield anyChange
  yield dependencyNames.allOf(kind)
  for (const { rel, target } of edges) yield dependencyNames.relatedTo(rel, entityOf(target))
  const isKnown = events.length > 0
  if (isKnown && events.every(({ type }) => keepsMembers.has(type))) return
  yield dependencyNames.membersOf(kind)
  if (isKnown && !events.some(({ type }) => reachesDown.has(type))) return
  yield dependencyNames.below(fullyQualifiedName)
  yield dependencyNames.turned
}

/** An answer with more dependencies is not cached. */
const mostDependencies = 2000

type Recorded = Pick<EntityReads, 'get' | 'getMany' | 'getReferences'> &
  Pick<Search, 'search' | 'suggest'> &
  Pick<EntityLists, 'list' | 'relatedTo' | 'childrenOf' | 'countBelow'>

/** What each read depends on, by what it is asked, beside the rows that it finds. */
const readDependencies: {
  readonly [Read in keyof Recorded]: (...args: Parameters<Recorded[Read]>) => readonly string[]
} = {
  get: (id) => [id],
  getMany: (ids) => ids,
  getReferences: (ids) => ids,
  list: (query) => [
    dependencyNames.turned,
    isNarrowed(query) ? dependencyNames.allOf(query.kind) : dependencyNames.membersOf(query.kind),
    ...(query.children ?? []).map(({ kind }) => dependencyNames.membersOf(kind)),
  ],
  relatedTo: (targets, rel) => [
    dependencyNames.turned,
    ...targets.map((target) => dependencyNames.relatedTo(rel, entityOf(target))),
  ],
  childrenOf: (_, kind) => [dependencyNames.turned, dependencyNames.membersOf(kind)],
  countBelow: (kind) => [dependencyNames.turned, dependencyNames.membersOf(kind)],
  search: () => [anyChange],
  suggest: () => [anyChange],
}

type Found = Pick<ListRow, 'id' | 'fullyQualifiedName'> | ReferenceRow

/** The rows in what a read gives. */
const rowsIn = (found: unknown): Iterable<Found> => {
  if (found instanceof Map) return found.values() as Iterable<Found>
  if (Array.isArray(found))
    return (found as (Related | ReferenceRow)[]).map((each) => ('row' in each ? each.row : each))
  if (typeof found !== 'object' || found === null) return []
  return 'rows' in found ? (found.rows as Found[]) : 'hits' in found ? [] : [found as Found]
}

/** The reads of one answer, which record its dependencies. */
const watchedReads = (reads: Recorded, dependencies: Set<number>): Recorded => {
  const isFull = (): boolean => dependencies.size >= mostDependencies
  const note = (name: string): void => void (isFull() || dependencies.add(hashOf(name)))
  let last = ''
  const noteRow = (row: Found): void => {
    if (isFull()) return
    note(row.id)
    const { fullyQualifiedName: fqn } =
      'fullyQualifiedName' in row ? row : (JSON.parse(row.reference) as { fullyQualifiedName: string })
    const prefix = fqn.slice(0, fqn.lastIndexOf('.') + 1)
    if (prefix === last) return
    last = prefix
    for (const above of ancestorFqns(fqn)) note(dependencyNames.below(above))
  }
  const recorded = Object.entries(readDependencies).map(([name, namesOf]) => [
    name,
    async (...args: never[]): Promise<unknown> => {
      for (const each of (namesOf as (...of: never[]) => readonly string[])(...args)) note(each)
      const found = await (reads[name as keyof Recorded] as (...of: never[]) => Promise<unknown>)(...args)
      for (const row of rowsIn(found)) noteRow(row)
      return found
    },
  ])
  return Object.fromEntries(recorded) as Recorded
}

/** Whether an update can add entities to the list or remove them. */
const isNarrowed = ({ edges, lacking = [], entityStatus }: ListQuery): boolean =>
  edges.length + lacking.length > 0 || entityStatus !== undefined

/** An answer with its dependencies, unless it depends on more than present entities and so cannot be cached. */
export const withDependencies = async <R extends CatalogRequest>(
  request: R,
  make: (request: R) => Promise<Answer>,
): Promise<Answer> => {
  if (request.isRepeated !== true) return make(request)
  const { api } = request
  const dependencies = new Set<number>()
  let isCacheable = true
  const watch = <Store extends object>(store: Store, recorded: Partial<Store> = {}): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (Object.hasOwn(recorded, name)) return Reflect.get(recorded, name) as unknown
        isCacheable = false
        return Reflect.get(target, name) as unknown
      },
    })
  const recorded = watchedReads(api.readModels, dependencies)
  const { readModels, log, history, timelineRows, commands } = api
  const watched = {
    ...api,
    readModels: watch(readModels, recorded),
    log: watch(log),
    history: watch(history),
    timelineRows: watch(timelineRows),
    commands: watch(commands, { secretCodec: commands.secretCodec }),
  }
  const answer = await make({ ...request, api: watched, access: makeAccess(watched, request.actor) })
  return isCacheable && dependencies.size < mostDependencies ? { ...answer, dependencies } : answer
}
