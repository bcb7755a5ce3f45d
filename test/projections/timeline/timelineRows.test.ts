import { describe, expect, it } from 'vitest'
import type { RecordedEvent } from '../../../src/events/events.ts'
import type { ReadStreamOptions } from '../../../src/events/eventStore.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { makeHistory } from '../../../src/projections/history.ts'
import { makeTimelineRows } from '../../../src/projections/timeline/timelineRows.ts'
import type { StatusSpan } from '../../../src/projections/timeline/port.ts'
import { created, newEvent, updated } from '../../support/events.ts'

const id = entityId('glossary', 'g')
const stream = `glossary-${id}`
const identity = { kind: 'glossary', id }

/** Nothing stands above these. */
const statusesAt = async () => new Map<string, StatusSpan>()

/** A stream at every third position, in which every hundredth event ends a life and the next begins one. */
const eventsOf = (count: number): RecordedEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const options = { stream, name: 'g', revision: BigInt(index) }
    const event =
      index % 100 === 99
        ? newEvent({ type: 'HardDeleted', data: { deletion: id } }, options)
        : index % 100 === 0
          ? created({ description: `${index}` }, options)
          : updated({ description: `${index}` }, options)
    return { ...event, stream, revision: BigInt(index), position: BigInt(index * 3 + 3) }
  })

const logOf = (events: readonly RecordedEvent[]) => {
  const read = { events: 0 }
  const readStream = async function* (_: string, { from = 0n, limit = Infinity }: ReadStreamOptions = {}) {
    for (const event of events.slice(Number(from), Number(from) + limit)) {
      read.events++
      yield event
    }
  }
  return { readStream, read }
}

describe('rows of the past', () => {
  for (const [length, maxSize] of [
    [3, 0],
    [4, undefined],
    [25, undefined],
    [199, 5000],
    [200, 0],
    [450, undefined],
  ] as const)
    it(`are those of every position of a stream of ${length} events, whatever is remembered`, async () => {
      const events = eventsOf(length)
      const log = logOf(events)
      const rows = makeTimelineRows({
        log,
        history: makeHistory(log),
        kindNamed,
        statusesAt,
        ...(maxSize !== undefined && { maxSize }),
      })
      const positions = Array.from({ length: length * 3 + 6 }, (_, index) => BigInt(index))
      for (const position of [...positions, ...positions.toReversed()]) {
        const last = events.findLast((event) => event.position <= position)
        const row = await rows.rowAt(identity, position)
        if (last === undefined || last.type === 'HardDeleted') expect(row).toBeUndefined()
        else
          expect([row?.revision, JSON.parse(row?.shownAlways ?? '{}')['description']]).toEqual([
            last.revision,
            `${last.revision}`,
          ])
      }
    })

  it('rows of the past of an early moment of a long stream are found without reading all of it, and of a known one without reading', async () => {
    const log = logOf(eventsOf(180))
    const rows = makeTimelineRows({ log, history: makeHistory(log), kindNamed, statusesAt })
    await rows.rowAt(identity, 7n)
    expect(log.read.events).toBe(3)
    await rows.rowAt(identity, 8n)
    expect(log.read.events).toBe(3)
    const known = [5n, 6n, 7n, 8n, 9n].map((position) => rows.cached(id, position)?.revision)
    expect(known).toEqual([undefined, 1n, 1n, 1n, undefined])
  })

  it('rows of the past that many ask for at once are read once', async () => {
    const log = logOf(eventsOf(3))
    const rows = makeTimelineRows({ log, history: makeHistory(log), kindNamed, statusesAt })
    const found = await Promise.all([6n, 7n, 8n, 7n].map((position) => rows.rowAt(identity, position)))
    expect(found.map((row) => row?.revision)).toEqual([1n, 1n, 1n, 1n])
    expect(log.read.events).toBe(3)
  })

  it('rows of the past say when a deletion above counted, and each change at its position, in whatever order they are asked for', async () => {
    const term = { kind: 'glossaryTerm', id: entityId('glossaryTerm', 'g.a') }
    const own = { stream: `glossaryTerm-${term.id}`, name: 'g.a' }
    const parent = { id, type: 'glossary', fullyQualifiedName: 'g' }
    const events = [
      newEvent({ type: 'Created', data: { name: 'a', members: {}, parent } }, { ...own, revision: 0n }),
      updated({ description: 'changed' }, { ...own, revision: 1n }),
      newEvent({ type: 'SoftDeleted', data: { deletion: id, inherited: true } }, { ...own, revision: 2n }),
      newEvent({ type: 'Restored', data: { deletion: id } }, { ...own, revision: 3n }),
    ].map((event, at) => ({
      ...event,
      stream: own.stream,
      revision: BigInt(at),
      position: [1n, 5n, 17n, 19n][at] ?? 0n,
    }))
    const log = logOf(events)
    const spanAt = (position: bigint): StatusSpan => {
      if (position < 10n) return { status: 'live', from: 1n, to: 10n }
      return position < 16n ? { status: 'deleted', from: 10n, to: 16n } : { status: 'live', from: 16n, to: undefined }
    }
    const statusesAt = async (_: unknown, position: bigint) => new Map([[term.id, spanAt(position)]])
    const options = { log, history: makeHistory(log), kindNamed, statusesAt }
    const positions = [1n, 4n, 5n, 9n, 10n, 15n, 16n, 17n, 18n, 19n, 20n]
    for (const order of [positions, positions.toReversed(), [...positions.toReversed(), ...positions]]) {
      const rows = makeTimelineRows(options)
      for (const position of order) {
        const row = await rows.rowAt(term, position)
        const last = events.findLast((event) => event.position <= position)
        expect([position, row?.status, row?.revision]).toEqual([position, spanAt(position).status, last?.revision])
      }
    }
  })

  it('rows of the past of a kind that is not remembered are remembered for one answer', async () => {
    const log = logOf(eventsOf(3))
    const rows = makeTimelineRows({ log, history: makeHistory(log), kindNamed, statusesAt, isCacheable: () => false })
    await rows.rowAt(identity, 7n)
    expect(rows.cached(id, 7n)).toBeUndefined()
    const answer = rows.forOneAnswer()
    await answer.rowAt(identity, 7n)
    expect(answer.cached(id, 7n)?.revision).toBe(1n)
    expect(rows.cached(id, 7n)).toBeUndefined()
  })

  it('rows of the past of the end of a stream are known up to the moment that was asked for', async () => {
    const log = logOf(eventsOf(2))
    const rows = makeTimelineRows({ log, history: makeHistory(log), kindNamed, statusesAt })
    await rows.rowAt(identity, 7n)
    await rows.rowAt(identity, 8n)
    expect([6n, 7n, 8n, 9n].map((position) => rows.cached(id, position)?.revision)).toEqual([1n, 1n, 1n, undefined])
  })
})
