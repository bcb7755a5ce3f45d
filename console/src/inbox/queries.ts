import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, get, read } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { deliveriesRead, inboxRead } from '../api/reads.ts'
import type { Reference } from '../api/types.ts'

/** Something that happened and concerns me. */
export interface InboxEntry {
  /** Place in the log. */
  readonly position: string
  readonly time: string
  readonly user: string
  readonly summary: string
  readonly concern: 'owned' | 'followed' | 'proposed' | 'failed' | 'due'
  readonly read: boolean
  readonly entity: Reference
}

/** Why something is told. */
export const reasons: Readonly<Record<InboxEntry['concern'], string>> = {
  owned: 'You own it',
  followed: 'You follow it',
  proposed: 'Proposal',
  failed: 'Failed',
  due: 'To confirm',
}

/** How one channel tells me what is new. */
export interface Delivery {
  readonly channel: string
  readonly when: 'atOnce' | 'daily'
  readonly concerns: readonly InboxEntry['concern'][]
  readonly enabled: boolean
  readonly endpoint?: string
  /** In the answer to its creation alone. */
  readonly secret?: string
  readonly status: {
    readonly state: 'disabled' | 'failing' | 'delivering' | 'upToDate'
    readonly deadLetters: number
    readonly lastSuccess?: { readonly time: string }
    readonly lastError?: { readonly message: string }
  }
}

export const deliveriesQuery = queryOptions({
  queryKey: ['deliveries'],
  queryFn: ({ signal }) => read<{ readonly data: readonly Delivery[]; readonly mail: boolean }>(deliveriesRead, signal),
  refetchInterval: 10_000,
})

interface InboxPage {
  readonly data: readonly InboxEntry[]
  readonly paging: { readonly after?: string }
  /** At most 100 are counted. */
  readonly unread: number
}

export const inboxQuery = infiniteQueryOptions({
  queryKey: ['inbox', 'entries'],
  queryFn: ({ pageParam, signal }) => read<InboxPage>(inboxRead(pageParam), signal),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ paging }) => paging.after,
})

/** How many entries are not read; when there are others than the page shows, it shows them too. */
export const unreadQuery = queryOptions({
  queryKey: ['inbox', 'unread'],
  queryFn: async ({ signal }) => {
    const { data, unread } = await get<InboxPage>('/v1/inbox', { limit: 1 }, signal)
    const [shown] = queryClient.getQueryData(inboxQuery.queryKey)?.pages ?? []
    if (shown && (shown.unread !== unread || shown.data[0]?.position !== data[0]?.position))
      void queryClient.invalidateQueries({ queryKey: inboxQuery.queryKey })
    return unread
  },
  refetchInterval: 60_000,
})

/** Marks one entry, or all up to one, as read. */
export const markRead = async (marks: { upTo: string } | { positions: readonly string[] }): Promise<void> => {
  await call('PUT', '/v1/inbox/read', { body: marks })
  await queryClient.invalidateQueries({ queryKey: ['inbox'] })
}
