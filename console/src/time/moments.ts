import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useMay } from '../api/permissions.ts'
import { historyQuery, versionsQuery } from '../api/queries.ts'
import type { Entity, HistoryEvent, Paging, Reference } from '../api/types.ts'
import { goesOn, type Pages } from '../ui/pages.ts'
import { formatVersion, lastName, wordsOf, type Time } from '../ui/format.ts'

/** Something that happened to an entity. */
export interface Moment {
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly user: string
  readonly version: number
  /** The event's type. */
  readonly verb: string
  /** What changed, in words. */
  readonly says: string
  /** What `asOf` takes to show the entity just after it: a log position or a version. */
  readonly asOf: string
  readonly correlationId?: string
}

interface Source extends Pages {
  readonly data: { readonly pages: readonly { readonly paging: Partial<Paging> }[] } | undefined
  readonly refetch: () => unknown
}

/** What is known of an entity's life, oldest first: the newest part of it, or all. */
export interface Life {
  readonly moments: readonly Moment[]
  /** Where it comes from; left out for those who may see neither events nor versions. */
  readonly source: Source | undefined
  /** How many moments there are, with those that have not been asked for. */
  readonly total: number
  /** It was deleted for good: only this is left of it. */
  readonly gone: boolean
}

/** What an event did, as the end of a sentence that begins with the name of who did it. */
export interface Said {
  /** What stands before the name of what it was done to, and what stands after it. */
  readonly before: string
  readonly after: string
  /** The same where everybody knows what it was done to. */
  readonly alone: string
}

const said = (before: string, after = ''): Said => ({ before, after, alone: `${before} it ${after}`.trim() })

const verbs: Readonly<Record<string, Said>> = {
  Created: said('created'),
  SoftDeleted: said('deleted'),
  HardDeleted: said('deleted', 'for good'),
  Restored: said('restored'),
  FollowerAdded: said('followed'),
  FollowerRemoved: said('stopped following'),
  AssetsAdded: said('added assets to'),
  AssetsRemoved: said('removed assets from'),
  PortsAdded: said('added ports to'),
  PortsRemoved: said('removed ports from'),
  Validated: said('validated'),
  KeyChanged: { ...said('changed the key of the log, noted at'), alone: 'changed the key of the log' },
  PoliciesChanged: { ...said('took over other policies, noted at'), alone: 'took over other policies' },
  Confirmed: said('confirmed'),
  FellDue: said('marked', 'as due for confirmation'),
  LineageStated: said('stated the lineage of'),
  RunReported: said('reported a run of'),
  Forgotten: said('erased who', 'is'),
}

const votes: Readonly<Record<string, Said>> = {
  votedUp: said('voted for'),
  votedDown: said('voted against'),
  unVoted: said('withdrew a vote on'),
}

const listed = (members: readonly string[]): string => {
  const names = members.map((member) => wordsOf(member).toLowerCase())
  if (names.length <= 1) return names[0] ?? 'nothing'
  if (names.length > 4) return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Who follows, or no more, where somebody else saw to it. */
const sayFollower = (type: string, { user }: Readonly<Record<string, unknown>>, by: string): Said | undefined => {
  const { name, fullyQualifiedName = '' } = (user ?? {}) as Partial<Reference>
  const follower = name ?? lastName(fullyQualifiedName)
  if (follower === '' || follower === by) return undefined
  return said(type === 'FollowerAdded' ? `made ${follower} a follower of` : `removed ${follower} as a follower of`)
}

const sayUpdate = ({ set, unset }: Readonly<Record<string, unknown>>): Said => {
  const names = { changed: Object.keys((set as object | undefined) ?? {}), cleared: (unset as string[]) ?? [] }
  const parts = Object.entries(names).flatMap(([verb, members]) =>
    members.length === 0 ? [] : `${verb} ${listed(members)}`,
  )
  return parts.length === 0 ? said('changed') : { ...said(`${parts.join(', ')} of`), alone: parts.join(', ') }
}

/** @param by name of who did it: it is not said again of somebody who began to follow */
export const sayEvent = (type: string, data: Readonly<Record<string, unknown>>, by: string): Said => {
  if (type === 'Updated') return sayUpdate(data)
  if (type === 'Validated' && data['run'] !== undefined) return said('reported a run of')
  if (type === 'Voted') return votes[String(data['vote'])] ?? said('voted on')
  const follower = type.startsWith('Follower') ? sayFollower(type, data, by) : undefined
  return follower ?? verbs[type] ?? said(`${wordsOf(type).toLowerCase()}:`)
}

const ofEvent = ({ id, type, time, user, version, position, correlationId, data }: HistoryEvent): Moment => ({
  key: id,
  time: Date.parse(time),
  user,
  version,
  verb: type,
  says: sayEvent(type, data, user).alone,
  asOf: position,
  correlationId,
})

interface ChangeDescription {
  readonly fieldsAdded?: readonly { readonly name: string }[]
  readonly fieldsUpdated?: readonly { readonly name: string }[]
  readonly fieldsDeleted?: readonly { readonly name: string }[]
}

const sayVersion = (version: Entity): string => {
  const change = version['changeDescription'] as ChangeDescription | undefined
  if (change === undefined) return 'created it'
  const names = [...(change.fieldsAdded ?? []), ...(change.fieldsUpdated ?? []), ...(change.fieldsDeleted ?? [])]
  const members = new Set(names.map(({ name }) => name.split('.')[0] as string))
  if (members.has('deleted')) return version.deleted ? 'deleted it' : 'restored it'
  return `changed ${listed([...members])}`
}

const ofVersion = (version: Entity): Moment => ({
  key: formatVersion(version.version),
  time: version.updatedAt,
  user: version.updatedBy,
  version: version.version,
  verb: version['changeDescription'] === undefined ? 'Created' : 'Updated',
  says: sayVersion(version),
  asOf: formatVersion(version.version),
})

/**
 * The life of an entity: its events for those who may read the history, else its versions.
 * @param asOf what the page shows: the life is asked for as far back
 */
export const useLife = (kind: string, id: string, asOf?: string): Life => {
  const mayHistory = useMay('history', kind)
  const mayVersions = useMay('versions', kind)
  const history = useInfiniteQuery({ ...historyQuery(kind, id), enabled: mayHistory })
  const versions = useInfiniteQuery({ ...versionsQuery(kind, id), enabled: !mayHistory && mayVersions })
  const moments = useMemo(() => {
    const newestFirst = mayHistory
      ? history.data?.pages.flatMap((page) => page.data.map(ofEvent))
      : versions.data?.pages.flatMap((page) => page.versions.map(ofVersion))
    return newestFirst?.toReversed() ?? []
  }, [mayHistory, history.data, versions.data])
  const source = mayHistory ? history : mayVersions ? versions : undefined
  const isFurtherBack = asOf !== undefined && source !== undefined && goesOn(source) && momentAt(moments, asOf) <= 0
  useEffect(() => {
    if (isFurtherBack) void source?.fetchNextPage()
  }, [isFurtherBack, source])
  return {
    moments,
    source,
    total: source?.data?.pages[0]?.paging.total ?? moments.length,
    gone: moments.at(-1)?.verb === 'HardDeleted',
  }
}

/** The end of a day of the reader's calendar, or of today until now, as `asOf` takes it. */
export const endOfDay = (day: string): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Math.min(Date.now(), new Date(year, month - 1, date, 23, 59, 59, 999).getTime())).toISOString()
}

/** The position of the log that an `asOf` names; `undefined`: it is an instant, a version, or the present. */
export const positionOf = (asOf: string | undefined): string | undefined => /^@?(\d+)$/.exec(asOf ?? '')?.[1]

/** Which of the moments is shown with this `asOf`: the last one not after it. -1: none of them, the entity was not there yet. */
export const momentAt = (moments: readonly Moment[], asOf: string): number => {
  const exact = moments.findIndex((moment) => moment.asOf === asOf || formatVersion(moment.version) === asOf)
  if (exact !== -1)
    return moments.findLastIndex((moment) => moment.asOf === asOf || formatVersion(moment.version) === asOf)
  const position = positionOf(asOf)
  const limit = BigInt(position ?? (Date.parse(asOf) || 0))
  return moments.findLastIndex((moment) =>
    position === undefined ? BigInt(moment.time) <= limit : /^\d+$/.test(moment.asOf) && BigInt(moment.asOf) <= limit,
  )
}

/** The instant that is shown with this `asOf`; unknown for a position of the log at which something else changed. */
export const timeAt = (moments: readonly Moment[], asOf: string): Time | undefined => {
  if (asOf.includes('T')) return asOf
  const moment = moments[momentAt(moments, asOf)]
  const position = positionOf(asOf)
  return position === undefined || position === moment?.asOf ? moment?.time : undefined
}
