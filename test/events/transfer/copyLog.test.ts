import fc from '../../support/fastCheck.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyLog, digestOfLog, findInCopy, OtherEvents } from '../../../src/events/transfer/copyLog.ts'
import type { EventStore } from '../../../src/events/eventStore.ts'
import type { NewEvent, RecordedEvent } from '../../../src/events/events.ts'
import { exactCodec } from '../../../src/events/provenCodec.ts'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { appendOf, appendOk, changedAppend, collect, freshStream } from '../../support/events.ts'
import { unconditional } from '../../support/writeSide.ts'

const openLog = async (): Promise<EventStore> => {
  const log = openSqliteEventStore({ path: ':memory:', codec: exactCodec })
  onTestFinished(() => log.close())
  return log
}

const silent = (): void => undefined

/** Each turn appends so many events to one of a few streams. */
const fill = async (log: EventStore, turns: readonly { stream: number; count: number }[]): Promise<void> => {
  const tips = new Map<number, { name: string; revision: bigint }>()
  for (const { stream, count } of turns) {
    const tip = tips.get(stream)
    const name = tip?.name ?? freshStream()
    const { revision } = await appendOk(
      log,
      appendOf(name, tip?.revision ?? 'no_stream', count, { ä: 'ö', 7: 1, deep: { b: [null], a: 1.5 } }),
    )
    tips.set(stream, { name, revision })
  }
}

const copyAll = async (from: EventStore, to: EventStore) => copyLog(from, to, await from.head(), silent)

const turns = fc.array(fc.record({ stream: fc.nat(4), count: fc.integer({ min: 1, max: 130 }) }), { maxLength: 12 })

describe('a copy of a log', () => {
  test('has every event as it was, in the same order, and nothing twice, wherever an earlier one was interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(400), async (given, enough) => {
        const [from, to] = [await openLog(), await openLog()]
        await fill(from, given)
        await copyLog(from, to, BigInt(enough), silent)
        const total = (await collect(from.readAll())).length
        expect(await copyAll(from, to)).toEqual({ found: Math.min(enough, total), copied: Math.max(0, total - enough) })
        expect(await collect(to.readAll())).toEqual(await collect(from.readAll()))
        expect(await digestOfLog(to, await to.head())).toEqual(await digestOfLog(from, await from.head()))
      }),
      { numRuns: 20, examples: [[[0, 1, 0].map((stream) => ({ stream, count: 130 })), 0]] },
    )
  })

  test('is refused where there are other events, or more of them', async () => {
    const [from, to] = [await openLog(), await openLog()]
    await fill(from, [{ stream: 0, count: 3 }])
    await copyAll(from, to)
    await fill(to, [{ stream: 1, count: 1 }])
    await expect(copyAll(from, to)).rejects.toThrow(OtherEvents)
    await fill(from, [{ stream: 1, count: 5 }])
    await expect(copyAll(from, to)).rejects.toThrow('its event 4')
    expect(await collect(to.readAll())).toHaveLength(4)
  })

  test('is refused where the target would judge conditions that name positions of the source, before it writes', async () => {
    const [from, to] = [await openLog(), await openLog()]
    const condition = { after: '7', dependencies: [] }
    const conditional = changedAppend(freshStream(), 2, ({ metadata }) => ({ metadata: { ...metadata, condition } }))
    await fill(from, [{ stream: 0, count: 3 }])
    await appendOk(from, conditional)
    await expect(copyAll(from, unconditional(to))).rejects.toThrow('positions of the log that it was written to')
    expect(await to.head()).toBeUndefined()
    await copyAll(from, to)
    expect(await digestOfLog(to, await to.head())).toEqual(await digestOfLog(from, await from.head()))
  })

  test('is refused from where an event is not what was written, though its text can be read', async () => {
    const [from, to] = [await openLog(), await openLog()]
    const append = appendOf(freshStream(), 'no_stream', 3)
    const events = append.events.map((event, at) =>
      at === 1 ? { ...event, data: { set: { a: 'X' }, unset: [] } } : event,
    )
    await appendOk(from, { ...append, events: events as NewEvent[] })
    await expect(copyAll(from, to)).rejects.toThrow('The event at position 2 of the log is not what was written.')
    expect(await to.head()).toBeUndefined()
  })

  test('is told from another log by its digest, whatever differs', async () => {
    const [one, other] = [await openLog(), await openLog()]
    await fill(one, [{ stream: 0, count: 2 }])
    await fill(other, [{ stream: 0, count: 2 }])
    expect((await digestOfLog(one, 2n)).digest).not.toBe((await digestOfLog(other, 2n)).digest)
  })
})

describe('a position of a log in its copy', () => {
  /** A log of which only positions matter. */
  const logAt = (positions: readonly bigint[]): Pick<EventStore, 'readAll'> => ({
    readAll: async function* () {
      for (const position of positions) yield { position } as RecordedEvent
    },
  })

  test('is that of the same event, or of the last one before it', async () => {
    const [source, target] = [logAt([10n, 25n, 40n, 41n]), logAt([1n, 2n, 3n])]
    const found = await findInCopy(source, target, [41n, 9n, 10n, 39n, 40n, 10n, 0n])
    expect(found).toEqual(
      new Map([
        [0n, { upTo: undefined, event: undefined }],
        [9n, { upTo: undefined, event: undefined }],
        [10n, { upTo: 1n, event: 1n }],
        [39n, { upTo: 2n, event: undefined }],
        [40n, { upTo: 3n, event: 3n }],
        [41n, { upTo: 3n, event: undefined }],
      ]),
    )
  })

  test('is found for any positions of any logs', async () => {
    const ascending = fc.uniqueArray(fc.bigInt(0n, 60n)).map((all) => all.toSorted((a, b) => (a < b ? -1 : 1)))
    await fc.assert(
      fc.asyncProperty(ascending, fc.nat(70), fc.array(fc.bigInt(0n, 70n)), async (positions, length, wanted) => {
        const copied = positions.slice(0, length).map((_, index) => BigInt(100 + 3 * index))
        const found = await findInCopy(logAt(positions), logAt(copied), wanted)
        expect(found.size).toBe(new Set(wanted).size)
        for (const one of wanted)
          expect(found.get(one)).toEqual({
            upTo: copied.filter((_, index) => (positions[index] as bigint) <= one).at(-1),
            event: copied[positions.indexOf(one)],
          })
      }),
    )
  })
})
