import { type CatalogEvent, type Members, type Reference, incarnationKey } from '../events/events.ts'
import type { LineageEdge } from '../events/verbs.ts'
import { ownMember, sameJson, type Json } from '../shared/json.ts'
import { noChanges, type ChangeDescription } from './changes.ts'

/** Edges by source, sorted by upstream: their order follows from what they are, not from when each was stated. */
export type Upstream = Record<string, LineageEdge[]>

type Stated = CatalogEvent & { type: 'LineageStated' }

const member = 'upstream'

export const upstreamIn = (members: Members | undefined): Upstream => (members?.[member] ?? {}) as unknown as Upstream

interface Deletable {
  readonly status: string
  readonly inherited: boolean
  readonly members: Members
}

/** The edges that stand: a deletion of its own ended those that a lineage still lists. */
export const standingUpstream = (lineage: Deletable | undefined): Upstream =>
  lineage?.status === 'deleted' && !lineage.inherited ? {} : upstreamIn(lineage?.members)

/** The members without the edges, which only the lineage routes show: they name entities without being references. */
export const withoutEdges = (members: Members): Members => {
  const { [member]: _, ...others } = members
  return others
}

/** The edges of a source; none if it has not stated any. */
export const statedEdges = (upstream: Upstream, source: string): readonly LineageEdge[] =>
  ownMember(upstream, source) ?? []

const byIncarnation = (edges: readonly LineageEdge[]): Map<string, LineageEdge> =>
  new Map(edges.map((edge) => [incarnationKey(edge.from), edge]))

/**
 * The events that set the edges of all sources, one for each with changes. The last edge to an upstream wins.
 * @param standing those of the edges before that need not be stated again
 */
export const statements = (entity: Reference, before: Upstream, after: Upstream, standing = before): Stated[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((source): Stated[] => {
    const edgesIn = (each: Upstream) => byIncarnation(statedEdges(each, source))
    const [old, wanted, stands] = [edgesIn(before), edgesIn(after), edgesIn(standing)]
    const edges = [...wanted].flatMap(([key, edge]) => (sameEdge(stands.get(key), edge) ? [] : [edge]))
    const ended = [...old].flatMap(([key, { from }]) => (wanted.has(key) ? [] : [from]))
    return edges.length + ended.length > 0 ? [{ type: 'LineageStated', data: { entity, source, edges, ended } }] : []
  })

/** The members after a statement. */
export const withStatement = (members: Members, { data }: Stated): Members => {
  const edges = byIncarnation(statedEdges(upstreamIn(members), data.source))
  for (const from of data.ended) edges.delete(incarnationKey(from))
  for (const edge of data.edges) edges.set(incarnationKey(edge.from), edge)
  const { [data.source]: _, ...others } = upstreamIn(members)
  const sorted = [...edges].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge)
  const upstream = edges.size === 0 ? others : { ...others, [data.source]: sorted }
  const rest = withoutEdges(members)
  return Object.keys(upstream).length === 0 ? rest : { ...rest, [member]: upstream as Json }
}

/** The changes of a statement, by upstream. */
export const changeByStatement = (before: Members, { data }: Stated, version: number): ChangeDescription => {
  const old = byIncarnation(statedEdges(upstreamIn(before), data.source))
  const name = `${member}.${data.source}`
  const some = (isNew: boolean): Reference[] =>
    data.edges.map(({ from }) => from).filter((from) => !old.has(incarnationKey(from)) === isNew)
  const change = (which: 'oldValue' | 'newValue', references: readonly Reference[]) =>
    references.length === 0 ? [] : [{ name, [which]: [...references] }]
  return {
    ...noChanges(version),
    fieldsAdded: change('newValue', some(true)),
    fieldsUpdated: change('newValue', some(false)),
    fieldsDeleted: change('oldValue', data.ended),
  }
}

/**
 * The edges with one request undone: edges that it ended exist again, edges that it stated are as before.
 * @returns `undefined` if others have changed the same edges since
 */
export const undoEdges = (before: Upstream, after: Upstream, present: Upstream): Upstream | undefined => {
  const result: Upstream = { ...present }
  for (const source of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const edgesIn = (each: Upstream) => byIncarnation(statedEdges(each, source))
    const [old, made, now] = [edgesIn(before), edgesIn(after), edgesIn(present)]
    for (const incarnation of new Set([...old.keys(), ...made.keys()])) {
      const [was, is, stands] = [old, made, now].map((each) => each.get(incarnation)) as (LineageEdge | undefined)[]
      if (sameEdge(was, is) || sameEdge(stands, was)) continue
      if (!sameEdge(stands, is)) return undefined
      if (was === undefined) now.delete(incarnation)
      else now.set(incarnation, was)
    }
    if (now.size === 0) delete result[source]
    else result[source] = [...now.values()]
  }
  return result
}

const sameEdge = (a: LineageEdge | undefined, b: LineageEdge | undefined): boolean =>
  sameJson(a as Json | undefined, b as Json | undefined)
