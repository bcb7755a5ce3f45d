import { type RecordedEvent, type Reference, incarnationKey } from '../events/events.ts'
import type { EventStore } from '../events/eventStore.ts'
import { entrySize, makeMemoryCache } from './entities/memoryCache.ts'

export interface Labels {
  readonly domains: readonly string[]
  /** Owners, as `incarnationKey`s. */
  readonly owners: readonly string[]
}

const none: Labels = { domains: [], owners: [] }

const list = (value: unknown): Reference[] =>
  value === undefined ? [] : ((Array.isArray(value) ? value : [value]) as Reference[])

const domainsIn = (value: unknown): string[] => list(value).map((reference) => reference.fullyQualifiedName)
/** The incarnations that a member refers to. */
export const incarnationsIn = (value: unknown): string[] => list(value).map(incarnationKey)

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

const stepped = (before: Labels, event: RecordedEvent): Labels => {
  const { domains, owners } = labelsSetBy(event)
  if (domains === undefined && owners === undefined) return before
  return { domains: domains ?? before.domains, owners: owners ?? before.owners }
}

/** Reads back from a revision to the event that last set the labels. */
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

/** Synchronous while the log is read in order. */
export type LabelsOf = (event: RecordedEvent) => Labels | Promise<Labels>

interface Remembered {
  readonly revision: bigint
  readonly labels: Labels
}

/**
 * Tells the domains and owners of an entity directly before and after an event, so that followers of a domain see an
 * entity enter, change and leave. Synchronous while the log is read in order, else by reading back in the stream.
 * @param capacity number of streams whose newest labels are cached
 */
export const makeLabels = (log: Pick<EventStore, 'readStream'>, capacity = 50_000): LabelsOf => {
  const remembered = makeMemoryCache<Remembered>(capacity * entrySize)

  const remember = (stream: string, revision: bigint, labels: Labels): void => {
    const known = remembered.get(stream)
    if (known !== undefined && known.revision > revision) return
    remembered.set(stream, { revision, labels }, 0)
  }

  const step = (before: Labels, event: RecordedEvent): Labels => {
    const after = stepped(before, event)
    remember(event.stream, event.revision, after)
    return mergeLabels(before, after)
  }

  return (event) => {
    if (event.type === 'Created') return step(none, event)
    const known = remembered.get(event.stream)
    if (known?.revision === event.revision - 1n) return step(known.labels, event)
    return labelsAt(log, event.stream, event.revision - 1n).then((before) => step(before, event))
  }
}
