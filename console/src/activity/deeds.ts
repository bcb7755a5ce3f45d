import { infiniteQueryOptions } from '@tanstack/react-query'
import { get } from '../api/client.ts'
import type { FeedEvent, Reference } from '../api/types.ts'
import { sayEvent } from '../time/moments.ts'
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
  /** What it was, as the end of a sentence that begins with a name. */
  readonly says: string
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
  readonly correlationId: string
}

export interface EntryPage {
  readonly data: readonly Entry[]
  readonly paging: { readonly after?: string }
}

const says = ({ type, changed, summary, user }: Entry): string => {
  if (type === 'Voted') return `${summary.charAt(0).toLowerCase()}${summary.slice(1).replace(/\.$/, '')}:`
  const [, follower] = /^(.*) follows it/.exec(summary) ?? []
  if (type.startsWith('Follower')) return sayEvent(type, { user: { fullyQualifiedName: follower } }, user)
  return sayEvent(type, { set: Object.fromEntries(changed.map((name) => [name, null])), unset: [] }, user)
}

export const deedOfEntry = (entry: Entry): Deed => ({
  position: entry.position,
  time: entry.time,
  user: entry.user,
  says: says(entry),
  entity: entry.entity,
  correlationId: entry.correlationId,
})

export const deedOfEvent = (event: FeedEvent): Deed => {
  const { position, time, actor, type, subject, entityid, correlationid, data } = event
  const { kind, verb } = partsOfType(type)
  const entity = { id: entityid, type: kind, fullyQualifiedName: subject, name: subject }
  return { position, time, user: actor, says: sayEvent(verb, data, actor), entity, correlationId: correlationid }
}

const day = 86_400_000

/** What was done until now, newest first. */
export const activityQuery = ({ kind, type, user, days }: ActivityFilter) =>
  infiniteQueryOptions({
    queryKey: ['activity', kind, type, user, days],
    queryFn: ({ pageParam, signal }) => {
      const since =
        pageParam.since ?? (days === undefined ? undefined : new Date(Date.now() - Number(days) * day).toISOString())
      const query = { kind, type, user, since, limit: 50, after: pageParam.after }
      return get<EntryPage>('/v1/activity', query, signal).then((page) => ({ ...page, since }))
    },
    initialPageParam: {} as { readonly after?: string | undefined; readonly since?: string | undefined },
    getNextPageParam: ({ paging: { after }, since }) => (after === undefined ? undefined : { after, since }),
  })
