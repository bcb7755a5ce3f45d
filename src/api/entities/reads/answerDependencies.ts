import { type EventType, entityOf } from '../../../events/events.ts'
import type { EntityLists, EntityReads, ListQuery, Related } from '../../../projections/entities/port.ts'
import type { Search } from '../../../projections/search/port.ts'
import type { EntityRow, ReferenceRow } from '../../../projections/entities/row.ts'
import { makeAccess } from '../../access.ts'
import type { CatalogRequest } from '../../deps.ts'
import { hashOf } from '../../http/responseCache.ts'
import type { Answer } from '../../http/route.ts'

/** The name of a dependency on everything that reads show. */
export const anyChange = 'anything'

/** That of all answers: descendants are deleted and restored with their ancestors, before they have events of their own. */
const anyDeletion = 'deletions'

/** Names of dependencies; {@link changedNames} gives them when they change. An id is the name of its entity. */
const dependencyNames = {
  /** Which entities of a kind exist and are live, by their own events. */
  membersOf: (kind: string): string => `members ${kind}`,
  /** Anything of any entity of a kind. */
  allOf: (kind: string): string => `all ${kind}`,
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
  { id, kind, edges }: Pick<EntityRow, 'id' | 'kind' | 'edges'>,
  events: readonly { readonly type: EventType }[],
): Generator<string> {
  yield id
  yield anyChange
  yield dependencyNames.allOf(kind)
  for (const { rel, target } of edges) yield dependencyNames.relatedTo(rel, entityOf(target))
  const isKnown = events.length > 0
  if (isKnown && events.every(({ type }) => keepsMembers.has(type))) return
  yield dependencyNames.membersOf(kind)
  if (!isKnown || events.some(({ type }) => reachesDown.has(type))) yield anyDeletion
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
    isNarrowed(query) ? dependencyNames.allOf(query.kind) : dependencyNames.membersOf(query.kind),
    ...(query.children ?? []).map(({ kind }) => dependencyNames.membersOf(kind)),
  ],
  relatedTo: (targets, rel) => targets.map((target) => dependencyNames.relatedTo(rel, entityOf(target))),
  childrenOf: (_, kind) => [dependencyNames.membersOf(kind)],
  countBelow: (kind) => [dependencyNames.membersOf(kind)],
  search: () => [anyChange],
  suggest: () => [anyChange],
}

type Found = Pick<ReferenceRow, 'id'>

/** The rows in what a read finds otherwise than by their ids. */
const rowsIn = (found: unknown): readonly Found[] => {
  if (Array.isArray(found)) return (found as (Related | Found)[]).map((each) => ('row' in each ? each.row : each))
  return typeof found === 'object' && found !== null && 'rows' in found ? (found.rows as Found[]) : []
}

/** The reads of one answer, which record its dependencies. */
const watchedReads = (reads: Recorded, dependencies: Set<number>): Recorded => {
  const note = (name: string): void => {
    if (dependencies.size < mostDependencies) dependencies.add(hashOf(name))
  }
  const recorded = Object.entries(readDependencies).map(([name, namesOf]) => [
    name,
    async (...args: never[]): Promise<unknown> => {
      for (const each of (namesOf as (...of: never[]) => readonly string[])(...args)) note(each)
      const found = await (reads[name as keyof Recorded] as (...of: never[]) => Promise<unknown>)(...args)
      for (const { id } of rowsIn(found)) note(id)
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
  const dependencies = new Set([hashOf(anyDeletion)])
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
  const { readModels, log, history, commands } = api
  const watched = {
    ...api,
    readModels: watch(readModels, recorded),
    log: watch(log),
    history: watch(history),
    commands: watch(commands, { secretCodec: commands.secretCodec }),
  }
  const answer = await make({ ...request, api: watched, access: makeAccess(watched, request.actor) })
  return isCacheable && dependencies.size < mostDependencies ? { ...answer, dependencies } : answer
}
