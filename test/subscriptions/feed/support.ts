import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { CatalogEvent, RecordedEvent, Reference } from '../../../src/events/events.ts'
import type { EventStore } from '../../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { makeCloudEventWriter } from '../../../src/subscriptions/feed/cloudEvent.ts'
import { makeFeed, type Feed, type FeedOptions, type FeedLookup } from '../../../src/subscriptions/feed/feed.ts'
import type { EventMatcher } from '../../../src/projections/activity/matching.ts'
import type { LeafReader } from '../../../src/projections/tree/leafReader.ts'
import { newEvent } from '../../support/events.ts'

/** An empty log in memory. */
export const openLog = async (): Promise<EventStore> => {
  const log = openSqliteEventStore({ path: ':memory:' })
  onTestFinished(() => log.close())
  return log
}

export const write = makeCloudEventWriter((kind) => `${kind}s`)

/** As positions tell them, where these have no holes. */
export const leavesOf = (): LeafReader => (position) => Number(position) - 1

export const openFeed = (log: FeedOptions['log'], options: Partial<FeedOptions> = {}): Feed => {
  const feed = makeFeed({ log, write, leaves: leavesOf, ...options })
  onTestFinished(() => feed.close())
  return feed
}

/** Appends events to streams, each with the revision and the hash that come next. */
export const makeWriter = (log: EventStore) => {
  const tips = new Map<string, { revision: bigint; hash: string }>()
  return async (stream: string, ...events: CatalogEvent[]): Promise<void> => {
    let tip = tips.get(stream)
    const expected = tip?.revision ?? 'no_stream'
    const chained = events.map((event) => {
      const revision = (tip?.revision ?? -1n) + 1n
      const made = newEvent(event, { stream, revision, ...(tip && { previousHash: tip.hash }) })
      tip = { revision, hash: made.metadata.hash }
      return made
    })
    const [outcome] = await log.append([{ stream, expected, events: chained }])
    if (outcome?.ok !== true) throw new Error('refused')
    if (tip !== undefined) tips.set(stream, tip)
  }
}

export const domain = (name: string): Reference => ({ id: randomUUID(), type: 'domain', fullyQualifiedName: name })

/** Positions of all that matches, read page by page to the end. */
export const readPages = async (
  feed: Feed,
  match: EventMatcher,
  limit: number,
  after?: bigint,
  lookup?: FeedLookup,
): Promise<bigint[]> => {
  const positions: bigint[] = []
  for (let position = after; ;) {
    const page = await feed.read({ after: position, match, lookup, limit, upToDate: true })
    positions.push(...page.items.map((item) => item.event.position))
    position = page.position
    if (page.end) return positions
  }
}

export const all: EventMatcher = () => true

export const positionsOf = (events: readonly RecordedEvent[]): bigint[] => events.map((event) => event.position)
