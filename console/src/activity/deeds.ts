import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, get } from '../api/client.ts'
import type { FeedEvent, Reference } from '../api/types.ts'
import { sayEvent, type Said } from '../time/moments.ts'
import { lastName } from '../ui/format.ts'
import { partsOfType } from './live.ts'

/** What narrows activity, as it stands in the address of the page. */
export interface ActivityFilter {
  readonly kind?: string | undefined
  readonly type?: string | undefined
  readonly user?: string | undefined
  /** Days back from now; left out: all time. */
  readonly days?: string | undefined
}

/** One thing that somebody did. */
export interface Deed {
  readonly position: string
  readonly time: string
  readonly user: string
  readonly says: Said
  readonly entity: Reference
  /** Of the request that did it. */
  readonly correlationId: string
}

/** One thing that somebody did, as the API tells it. */
export interface Entry {
  readonly position: string
  readonly time: string
  readonly user: string
  readonly type: string
  readonly entity: Reference
  readonly changed: readonly string[]
  readonly summary: string
  readonly follower?: string
  readonly vote?: string
  readonly correlationId: string
}

export interface EntryPage {
  readonly data: readonly Entry[]
  readonly paging: { readonly after?: string }
}

/** What an event of this entry says, as far as it is told. */
const dataOf = ({ changed, follower, vote }: Entry): Readonly<Record<string, unknown>> => ({
  set: Object.fromEntries(changed.map((name) => [name, null])),
  unset: [],
  ...(follower !== undefined && { user: { name: follower } }),
  ...(vote !== undefined && { vote }),
})

export const deedOfEntry = (entry: Entry): Deed => ({
  position: entry.position,
  time: entry.time,
  user: entry.user,
  says: sayEvent(entry.type, dataOf(entry), entry.user),
  entity: entry.entity,
  correlationId: entry.correlationId,
})

export const deedOfEvent = (event: FeedEvent): Deed => {
  const { position, time, actor, type, subject, entityid, correlationid, data } = event
  const { kind, verb } = partsOfType(type)
  const entity = { id: entityid, type: kind, fullyQualifiedName: subject, name: lastName(subject) }
  return { position, time, user: actor, says: sayEvent(verb, data, actor), entity, correlationId: correlationid }
}

const day = 86_400_000

/** The position where the log ended when the page was opened: what came before is asked for, what comes after is heard. */
export const endQuery = queryOptions({
  queryKey: ['events', 'end'],
  queryFn: ({ signal }) =>
    get<{ readonly paging: { readonly after: string } }>('/v1/events', { after: 'latest' }, signal).then(
      ({ paging }) => paging.after,
    ),
  staleTime: Infinity,
})

/**
 * What was done until now, newest first.
 * @param end position up to which nothing may be missing
 */
export const activityQuery = ({ kind, type, user, days }: ActivityFilter, end: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['activity', kind, type, user, days],
    queryFn: async ({ pageParam, signal }) => {
      const since =
        pageParam.since ?? (days === undefined ? undefined : new Date(Date.now() - Number(days) * day).toISOString())
      const query = { kind, type, user, since, limit: 50, after: pageParam.after }
      const { data } = await call<EntryPage>('GET', '/v1/activity', { query, signal, position: end })
      return { ...data, since }
    },
    initialPageParam: {} as { readonly after?: string | undefined; readonly since?: string | undefined },
    getNextPageParam: ({ paging: { after }, since }) => (after === undefined ? undefined : { after, since }),
  })
