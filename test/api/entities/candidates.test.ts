import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import fc from '../../support/fastCheck.ts'
import { expect, onTestFinished, test } from 'vitest'
import { findCandidates, type Asked } from '../../../src/api/history/candidates.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { collect, created, updated } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'

const minute = 60_000
const begin = Date.parse('2026-01-01T00:00:00Z')

/** A log with the events of one stream among those of another, each an hour after the one before, by two users in turn. */
const logOf = async (own: readonly boolean[]) => {
  const log = openSqliteEventStore({ path: join(await temporaryFolder(), 'log.db') })
  onTestFinished(() => log.close())
  const streams = [`apple-${randomUUID()}`, `apple-${randomUUID()}`] as const
  const revisions = new Map<string, bigint>()
  for (const [index, isOwn] of own.entries()) {
    const stream = streams[isOwn ? 0 : 1]
    const revision = (revisions.get(stream) ?? -1n) + 1n
    revisions.set(stream, revision)
    const options = { stream, revision }
    const event = revision === 0n ? created({}, options) : updated({ index }, options)
    const time = new Date(begin + index * 60 * minute).toISOString()
    const metadata = { ...event.metadata, time, user: index % 3 === 0 ? 'zoe' : 'ann' }
    const expected = revision === 0n ? 'no_stream' : revision - 1n
    await log.append([{ stream, expected, events: [{ ...event, metadata }] }])
  }
  return { log, stream: streams[0] }
}

const hour = fc.option(fc.nat(60), { nil: undefined })

test('a narrowed history is the same however it is found, page after page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        own: fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
        since: hour,
        until: hour,
        user: fc.constantFrom('ann', 'zoe', undefined),
        limit: fc.integer({ min: 1, max: 5 }),
        few: fc.integer({ min: 0, max: 20 }),
        lookThrough: fc.integer({ min: 1, max: 9 }),
        come: fc.option(fc.nat(60), { nil: undefined }),
      }),
      async ({ own, user, come, since, until, ...bounds }) => {
        const { log, stream } = await logOf(own)
        const filter = {
          since: since === undefined ? undefined : begin + since * 60 * minute,
          until: until === undefined ? undefined : begin + until * 60 * minute,
        }
        const matches = ({ stream: at, metadata }: RecordedEvent): boolean =>
          at === stream &&
          (user ?? metadata.user) === metadata.user &&
          (filter.since ?? 0) <= Date.parse(metadata.time) &&
          (filter.until ?? Infinity) >= Date.parse(metadata.time)
        const all = await collect(log.readAll())
        const known = all.slice(0, come)
        /** As activity answers: it may have come less far than the log, and looks through a few at a time. */
        const lookup: Asked['lookup'] = async (after, most) => {
          const looked = known.filter(({ position }) => position > (after ?? 0n)).slice(0, bounds.lookThrough * 2)
          const found = looked.filter(matches).slice(0, most)
          const last = found.length === most ? found.at(-1) : looked.at(-1)
          return last && { positions: found.map(({ position }) => position), reached: last.position }
        }
        const found: bigint[] = []
        for (let from = 0n; ;) {
          const asked = { ...bounds, stream, from, filter, lookup: come === undefined ? undefined : lookup }
          const { events, upTo } = await findCandidates(log, asked)
          for await (const event of events) if (matches(event)) found.push(event.position)
          if (upTo === undefined) break
          expect(upTo).toBeGreaterThanOrEqual(from)
          from = upTo + 1n
        }
        expect(found).toEqual(all.filter(matches).map(({ position }) => position))
      },
    ),
    { numRuns: 60 },
  )
})

test('of a long history little is read for what an index knows, or for a time', async () => {
  const { log, stream } = await logOf(Array.from({ length: 400 }, () => true))
  let read = 0
  const counted: Parameters<typeof findCandidates>[0] = {
    eventAt: (position) => {
      read++
      return log.eventAt(position)
    },
    readStream: async function* (...asked) {
      for await (const event of log.readStream(...asked)) {
        read++
        yield event
      }
    },
  }
  const asked = { stream, from: 0n, limit: 10, few: 50 }
  const lookup: Asked['lookup'] = async () => ({ positions: [17n, 300n], reached: 400n })
  const indexed = await findCandidates(counted, { ...asked, filter: {}, lookup })
  expect((await collect(indexed.events)).map(({ position }) => position)).toEqual([17n, 300n])
  expect(read).toBeLessThan(10)
  read = 0
  const day = { since: begin + 200 * 60 * minute, until: begin + 224 * 60 * minute }
  const timed = await findCandidates(counted, { ...asked, filter: day, lookup: undefined })
  expect((await collect(timed.events)).map(({ revision }) => Number(revision))).toEqual(
    Array.from({ length: 25 }, (_, index) => 200 + index),
  )
  expect(read).toBeLessThan(60)
})
