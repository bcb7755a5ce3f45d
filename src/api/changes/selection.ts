import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { ListQuery } from '../../projections/entities/port.ts'
import type { KindRequest } from '../deps.ts'
import type { PastMoment } from '../entities/answers/pointInTime.ts'
import { findInList } from '../lists/foundList.ts'
import { readListQuery } from '../entities/listQuery.ts'
import { listFilters } from '../entities/parameters.ts'
import { mustBeAllowed } from '../entities/reads/callerReads.ts'
import { badQuery } from '../http/queryParameters.ts'
import { queryParameter, type Parameter } from '../http/route.ts'
import { limits } from '../../shared/limits.ts'

/** List filters, and words. */
export const selectionParameters = (definition: KindDefinition): Parameter[] => [
  queryParameter('q', `Only what a search finds, at most ${limits.bulkItems.value}; of the present`),
  ...listFilters(definition),
]

/**
 * The list query for the filters and words of a request.
 * @returns `undefined` when nothing matches
 */
export const readSelection = async (request: KindRequest, past?: PastMoment): Promise<ListQuery | undefined> => {
  const permission = mustBeAllowed(request, 'view', request.definition)
  const asked = { limit: Number.MAX_SAFE_INTEGER, after: undefined, before: undefined, position: undefined, past }
  const query = await readListQuery({ ...request, permission }, asked)
  if (query === undefined || !request.query.has('q')) return query
  if (past !== undefined) throw badQuery('q', 'finds what there is now: leave it out with asOf')
  const found = await idsFound(request, query)
  return found.length === 0 ? undefined : { ...query, ids: found }
}

/** Ids found by a search within a list. */
const idsFound = async (request: KindRequest, query: ListQuery): Promise<readonly string[]> => {
  const most = limits.bulkItems.value
  const find = await findInList(request, query, { sort: 'fullyQualifiedName', descending: false })
  const found: string[] = []
  for (let whole = 1; found.length < whole;) {
    const { hits, total } = await find(found.length, 1000)
    if (total > most) throw badQuery('q', `finds ${total} entities: narrow it to at most ${most}`)
    for (const { row } of hits) found.push(row.id)
    whole = hits.length === 0 ? 0 : total
    request.progress()
  }
  return found
}
