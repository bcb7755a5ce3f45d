import { type RecordedEvent, type Reference, incarnationKey } from '../events/events.ts'
import type { EventStore } from '../events/eventStore.ts'
import { entrySize, makeMemoryCache } from './entities/memoryCache.ts'

export interface Labels {
  readonly domains: readonly string[]
  /** Owners, as `incarnationKey`s. */
  readonly owners: readonly string[]
}

const none: Labels = { domains: [], owners: [] }

const toList = (value: unknown): Reference[] =>
  value === undefined ? [] : ((Array.isArray(value) ? value : [value]) as Reference[])

const domainsIn = (value: unknown): string[] => toList(value).map((reference) => reference.fullyQualifiedName)
/** The incarnations that a member refers to. */
export const incarnationsIn = (value: unknown): string[] => toList(value).map(incarnationKey)

const labelsSetBy = (event: RecordedEvent) => {
  if (event.type === 'Created') {
    const { members } = event.data
    return { domains: domainsIn(members['domains']), owners: incarnationsIn(members['owners']) }
  }
  if (event.type !== 'Updated') return { domains: undefined, owners: undefined }
  const { set, unset } = event.data
  const touched = (name: string): boolean => name in set || unset.includes(name)
  return {
    domains: touched('domains') ? domainsIn(set['domains']) : undefined,
    owners: touched('owners') ? incarnationsIn(set['owners']) : undefined,
  }
}

const mergeLabels = (before: Labels, after: Labels): Labels => {
  if (before === after || before === none) return after
  return { domains: [...before.domains, ...after.domains], owners: [...before.owners, ...after.owners] }
}

const labelsAfter = (before: Labels, event: RecordedEvent): Labels => {
  const { domains, owners } = labelsSetBy(event)
  if (domains === undefined && owners === undefined) return before
  return { domains: domains ?? before.domains, owners: owners ?? before.owners }
}

/** Reads the stream backwards from a revision to the event that last set the labels. */
const labelsAt = async (log: Pick<EventStore, 'readStream'>, stream: string, revision: bigint): Promise<Labels> => {
  let domains: readonly string[] | undefined
  let owners: readonly string[] | undefined
  for await (const event of log.readStream(stream, { from: revision, backwards: true })) {
    const found = labelsSetBy(event)
    domains ??= found.domains
    owners ??= found.owners
    if (event.type === 'HardDeleted' || (domains !== undefined && owners !== undefined)) break
  }
  return { domains: domains ?? [], owners: owners ?? [] }
}

/** The labels of an event's entity: see {@link makeLabels}. */
export type LabelsOf = (event: RecordedEvent) => Labels | Promise<Labels>

interface CachedLabels {
  readonly revision: bigint
  readonly labels: Labels
}

/**
 * Gives the domains and owners of an entity directly before and after an event, so that followers of a domain see an
 * entity enter, change and leave. Synchronous while the log is read in order; otherwise the stream is read backwards.
 * @param capacity number of streams whose newest labels are cached
 */
export const makeLabels = (log: Pick<EventStore, 'readStream'>, capacity = 50_000): LabelsOf => {
  const cache = makeMemoryCache<CachedLabels>(capacity * entrySize)

  const cacheNewest = (stream: string, revision: bigint, labels: Labels): void => {
    const known = cache.get(stream)
    if (known !== undefined && known.revision > revision) return
    cache.set(stream, { revision, labels }, 0)
  }

  const apply = (before: Labels, event: RecordedEvent): Labels => {
    const after = labelsAfter(before, event)
    cacheNewest(event.stream, event.revision, after)
    return mergeLabels(before, after)
  }

  return (event) => {
    if (event.type === 'Created') return apply(none, event)
    const known = cache.get(event.stream)
    if (known?.revision === event.revision - 1n) return apply(known.labels, event)
    return labelsAt(log, event.stream, event.revision - 1n).then((before) => apply(before, event))
  }
}
