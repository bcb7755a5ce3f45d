import { ancestorFqns } from '../../../../src/kinds/names.ts'
import type { Edge, EntityRow, ListRow } from '../../../../src/projections/entities/row.ts'
import type { ListPage, ListQuery } from '../../../../src/projections/entities/port.ts'
import type { MismatchRow } from '../../../../src/projections/entities/hierarchy.ts'

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

type Key = Pick<EntityRow, 'fullyQualifiedName' | 'id'>

const compareKeys = (a: Key, b: Key): number =>
  compareTexts(a.fullyQualifiedName, b.fullyQualifiedName) || compareTexts(a.id, b.id)

const isBelow = ({ fullyQualifiedName }: EntityRow, scope: string): boolean =>
  ancestorFqns(fullyQualifiedName).includes(scope)

const hasEdge = (row: EntityRow, edge: Edge): boolean =>
  row.edges.some(({ rel, target }) => rel === edge.rel && target === edge.target)

const isOwnDeletion = ({ status, inherited }: EntityRow): boolean => status === 'deleted' && !inherited

const isWanted = (row: EntityRow, query: ListQuery, rows: readonly EntityRow[]): boolean =>
  row.kind === query.kind &&
  row.status !== 'gone' &&
  (query.include === 'all' || (row.status === 'deleted') === (query.include === 'deleted')) &&
  query.scopes.every((scope) => isBelow(row, scope)) &&
  (query.parent === undefined || row.parent === query.parent) &&
  (query.ids === undefined || query.ids.includes(row.id)) &&
  (query.entityStatus === undefined || row.entityStatus === query.entityStatus) &&
  query.edges.every((edge) => hasEdge(row, edge)) &&
  !query.lacking?.some((edge) => hasEdge(row, edge)) &&
  (query.own === undefined || query.own === isOwnDeletion(row)) &&
  (query.children ?? []).every(
    ({ kind, some, inherited = false }) =>
      some ===
      rows.some(
        (child) =>
          child.kind === kind &&
          child.parent === row.id &&
          (child.status === 'live' || (inherited && child.status === 'deleted' && child.inherited)),
      ),
  )

const contradicts = (row: EntityRow, parent: EntityRow): boolean => {
  if (row.status === 'gone') return false
  if (parent.status === 'gone' || parent.born > row.parentBorn) return true
  return parent.status === 'deleted' ? row.status === 'live' : row.inherited
}

const listed = (
  { id, kind, fullyQualifiedName, born, shownAlways, shownOnRequest, references }: EntityRow,
  query: ListQuery,
): ListRow => ({
  id,
  kind,
  fullyQualifiedName,
  born,
  shownAlways,
  shownOnRequest: query.withRequested === true ? shownOnRequest : '{}',
  references,
})

/** The read models as the port describes them, over an array: what every engine must agree with. */
export const makeNaiveReadModels = () => {
  const rows = new Map<string, EntityRow>()
  return {
    apply(batch: readonly EntityRow[]): void {
      for (const row of batch) if (row.revision > (rows.get(row.id)?.revision ?? -1n)) rows.set(row.id, row)
    },
    get: (id: string): EntityRow | undefined => rows.get(id),
    countBelow: (kind: string, scope: string): number =>
      [...rows.values()].filter((row) => row.kind === kind && row.status === 'live' && isBelow(row, scope)).length,
    list(query: ListQuery): ListPage {
      const all = [...rows.values()].filter((row, _, every) => isWanted(row, query, every)).toSorted(compareKeys)
      const { limit, after, before } = query
      if (limit === 0) return { rows: [], total: all.length, hasBefore: false, hasAfter: false }
      const end = before === undefined ? all.length : all.filter((row) => compareKeys(row, before) < 0).length
      const start = after === undefined ? 0 : all.filter((row) => compareKeys(row, after) <= 0).length
      const [from, to] =
        before === undefined ? [start, Math.min(all.length, start + limit)] : [Math.max(0, end - limit), end]
      return {
        rows: all.slice(from, to).map((row) => listed(row, query)),
        total: all.length,
        hasBefore: from > 0,
        hasAfter: to < all.length,
      }
    },
    getByFqn: (kind: string, fqn: string): EntityRow | undefined => {
      const named = [...rows.values()]
        .filter((row) => row.kind === kind && row.fullyQualifiedName === fqn)
        .toSorted(compareKeys)
      return named.find(({ status }) => status === 'live') ?? named.find(({ status }) => status === 'deleted')
    },
    relatedTo: (target: string, rel: string): EntityRow[] =>
      [...rows.values()]
        .filter((row) => row.status !== 'gone' && row.edges.some((edge) => edge.rel === rel && edge.target === target))
        .toSorted(compareKeys),
    childrenOf: (parent: string, kind: string): EntityRow[] =>
      [...rows.values()]
        .filter((row) => row.status !== 'gone' && row.parent === parent && row.kind === kind)
        .toSorted(compareKeys),
    unsettled: (): MismatchRow[] =>
      [...rows.values()].flatMap((row) => {
        const parent = row.parent === undefined ? undefined : rows.get(row.parent)
        return parent && contradicts(row, parent) ? [{ row, parent }] : []
      }),
  }
}
