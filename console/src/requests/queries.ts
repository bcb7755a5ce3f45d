import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { EntryPage } from '../activity/deeds.ts'
import { call, get } from '../api/client.ts'
import type { Reference } from '../api/types.ts'

const pathOf = (correlationId: string): string => `/v1/requests/${encodeURIComponent(correlationId)}`

/** All that a request did, oldest first. */
export const requestQuery = (correlationId: string) =>
  infiniteQueryOptions({
    queryKey: ['request', correlationId],
    queryFn: ({ pageParam, signal }) => get<EntryPage>(pathOf(correlationId), { limit: 100, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  })

/** What becomes of one entity when a request is undone. */
export interface Reverted {
  readonly entity: Pick<Reference, 'id' | 'type' | 'fullyQualifiedName'>
  readonly undo: 'change' | 'delete' | 'restore' | 'none'
  readonly outcome: 'reverted' | 'unchanged' | 'conflict' | 'refused'
  readonly changed: readonly string[]
  readonly message?: string
}

const revert = async (correlationId: string, query: Readonly<Record<string, boolean>>, signal?: AbortSignal) =>
  (await call<{ data: Reverted[] }>('POST', `${pathOf(correlationId)}/revert`, { query, signal })).data.data

/** What undoing it would do, which is worked out when it is asked for and not by itself again. */
export const previewQuery = (correlationId: string) =>
  queryOptions({
    queryKey: ['request', correlationId, 'preview'],
    queryFn: ({ signal }) => revert(correlationId, { dryRun: true }, signal),
    gcTime: 0,
    staleTime: Infinity,
  })

/**
 * Undoes a request.
 * @param skipConflicts leaves out what cannot be undone; else that is a Problem that names each
 */
export const undoRequest = (correlationId: string, skipConflicts: boolean): Promise<Reverted[]> =>
  revert(correlationId, { skipConflicts })
