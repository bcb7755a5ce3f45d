import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from '../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { makeAudit, type AuditOptions, type Finding } from '../../src/events/transfer/logAudit.ts'
import type { CatalogEvent, RecordedEvent } from '../../src/events/events.ts'
import { exactCodec } from '../../src/events/provenCodec.ts'
import { exportLine, readExportLine } from '../../src/events/transfer/exportLine.ts'
import { eventHash } from '../../src/events/codec.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { catalog } from '../support/commandLine.ts'
import { appendOf, appendOk, freshStream, recordedEvent } from '../support/events.ts'
import { temporaryFile, temporaryFolder } from '../support/folders.ts'

/** A log of several streams: at each position one of them goes on. */
const logOf = (turns: readonly number[]): RecordedEvent[] => {
  const tips = new Map<number, { stream: string; revision: bigint; hash: string }>()
  return turns.map((turn, index) => {
    const tip = tips.get(turn) ?? { stream: freshStream(), revision: -1n, hash: '' }
    const revision = tip.revision + 1n
    const event: CatalogEvent =
      revision === 0n
        ? { type: 'Created', data: { name: 'n', members: { secret: { $sealed: 'v1:a:b' }, ä: 'ö' } } }
        : { type: 'Updated', data: { set: { index }, unset: [] } }
    const previous = revision > 0n && { previousHash: tip.hash }
    const made = recordedEvent(event, { stream: tip.stream, revision, position: BigInt(index + 1), ...previous })
    tips.set(turn, { stream: tip.stream, revision, hash: made.metadata.hash })
    return made
  })
}

const audited = (events: readonly RecordedEvent[], options?: AuditOptions): Finding[] => {
  const audit = makeAudit(options)
  return [...events.flatMap((event) => audit.inspect(event)), ...audit.end()]
}

const turns = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 40 })
const place = fc.nat()

const rehashed = (event: RecordedEvent): RecordedEvent =>
  ({ ...event, metadata: { ...event.metadata, hash: eventHash(event) } }) as RecordedEvent

const hasNext = (events: readonly RecordedEvent[], event: RecordedEvent): boolean =>
  events.some((other) => other.stream === event.stream && other.revision > event.revision)

describe('a log', () => {
  test('a log that is as it was written has nothing to tell, also after a way through NDJSON', () => {
    fc.assert(
      fc.property(turns, (given) => {
        const events = logOf(given)
        expect(audited(events, { dense: true })).toEqual([])
        const read = events.map((event) => readExportLine(exportLine(event)) as RecordedEvent)
        expect(read).toEqual(events)
        expect(audited(read, { dense: true })).toEqual([])
      }),
    )
  })

  test('names an event whose data or metadata was changed', () => {
    fc.assert(
      fc.property(turns, place, fc.boolean(), (given, at, inData) => {
        const events = logOf(given)
        const index = at % events.length
        const event = events[index] as RecordedEvent
        events[index] = (
          inData
            ? { ...event, data: { ...event.data, extra: 1 } }
            : { ...event, metadata: { ...event.metadata, user: 'mallory' } }
        ) as RecordedEvent
        const found = audited(events)
        expect(found).toHaveLength(1)
        expect(found[0]).toMatchObject({ what: 'changed', message: expect.stringContaining(event.id) as string })
      }),
    )
  })

  test('names an event that is earlier than the one before it: in its stream, or, of one writer, in the log', () => {
    const [a, b, c] = logOf([0, 1, 0]) as [RecordedEvent, RecordedEvent, RecordedEvent]
    const at = (event: RecordedEvent, time: string, condition?: object): RecordedEvent =>
      rehashed({ ...event, metadata: { ...event.metadata, time, ...(condition && { condition }) } } as RecordedEvent)
    const backdated = (events: readonly RecordedEvent[], options?: AuditOptions) =>
      audited(events, options).flatMap(({ what, message }) => (what === 'backdated' ? message.split(' ')[1] : []))
    const [first, second, third] = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `${day}T00:00:00.000Z`)
    const ofTwo = [at(a, second!), at(b, first!), at(c, third!)]
    expect(backdated(ofTwo)).toEqual([])
    expect(backdated(ofTwo, { oneWriter: true })).toEqual([b.id])
    const copied = [at(a, second!), at(b, first!), at(c, third!, { after: '1' })]
    expect(backdated(copied, { oneWriter: true })).toEqual([])
    const inStream = [at(a, second!, { after: '1' }), at(b, third!), at(c, first!)]
    for (const oneWriter of [false, true]) expect(backdated(inStream, { oneWriter })).toEqual([c.id])
  })

  test('names an event that has the id of an earlier one', () => {
    fc.assert(
      fc.property(turns, place, place, (given, one, other) => {
        const events = logOf(given)
        const [first, second] = [one % events.length, other % events.length].toSorted((a, b) => a - b) as [
          number,
          number,
        ]
        fc.pre(first !== second)
        const event = { ...(events[second] as RecordedEvent), id: (events[first] as RecordedEvent).id }
        events[second] = rehashed(event)
        const found = audited(events).filter(({ what }) => what === 'repeated')
        expect(found).toEqual([{ what: 'repeated', message: expect.stringContaining(event.id) as string }])
      }),
    )
  })

  test('names an event that was changed and hashed anew, when another follows it', () => {
    fc.assert(
      fc.property(turns, place, (given, at) => {
        const events = logOf(given)
        const index = at % events.length
        const event = events[index] as RecordedEvent
        fc.pre(hasNext(events, event))
        events[index] = rehashed({ ...event, metadata: { ...event.metadata, user: 'mallory' } } as RecordedEvent)
        const found = audited(events)
        expect(found).toHaveLength(1)
        expect(found[0]?.what).toBe('changed')
        expect(found[0]?.message.startsWith(`${event.type} ${event.id}`)).toBe(true)
      }),
    )
  })

  test('names what was removed, by stream and by position', () => {
    fc.assert(
      fc.property(turns, place, (given, at) => {
        const events = logOf(given)
        const index = at % events.length
        const [event] = events.splice(index, 1) as [RecordedEvent]
        const found = audited(events)
        if (hasNext(events, event))
          expect(found).toEqual([
            { what: 'removed', message: `revision ${event.revision} of ${event.stream} is missing.` },
          ])
        else expect(found).toEqual([])
        if (index < events.length) {
          expect(audited(events, { dense: true })).toContainEqual({
            what: 'removed',
            message: `The event at position ${event.position} of the log is missing.`,
          })
        }
      }),
    )
  })

  test('names what was reordered, with the positions left as they were and exchanged', () => {
    fc.assert(
      fc.property(turns, place, fc.boolean(), (given, at, exchange) => {
        const events = logOf(given)
        const first = events[at % events.length] as RecordedEvent
        const index = events.findIndex(
          (event) => event.stream === first.stream && event.revision === first.revision + 1n,
        )
        fc.pre(index !== -1)
        const second = events[index] as RecordedEvent
        events[at % events.length] = exchange ? { ...second, position: first.position } : second
        events[index] = exchange ? { ...first, position: second.position } : first
        const found = audited(events)
        expect(found.length).toBeGreaterThan(0)
        expect(found.every(({ what }) => what === 'reordered')).toBe(true)
        expect(found.some(({ message }) => message.includes(first.id))).toBe(true)
      }),
    )
  })

  test('names an event that comes twice', () => {
    const events = logOf([0, 0, 1])
    expect(audited([...events, { ...(events[0] as RecordedEvent), position: 4n }])).toMatchObject([
      { what: 'reordered' },
    ])
  })

  test('whose first events are missing is only accepted as a part', () => {
    const events = logOf([0, 0, 1, 0, 1]).slice(1)
    expect(audited(events)).toMatchObject([{ what: 'removed' }])
    expect(audited(events, { partial: true })).toEqual([])
  })
})

test('events come exactly as they were written, whatever they are', () => {
  const place = { stream: 's-1', revision: 0n, position: 1n, id: 'i', type: 'Unheard' }
  expect(exactCodec.decode({ ...place, data: '{"a":1}', metadata: '{"schemaVersion":99}' })).toMatchObject({
    data: { a: 1 },
    metadata: { schemaVersion: 99 },
  })
  const broken = exactCodec.decode({ ...place, data: '{"a":', metadata: '{}' })
  expect(audited([broken])).toMatchObject([{ what: 'changed' }])
})

describe('catalog audit verify --file', () => {
  const verify = (file: string, ...more: string[]) => catalog(['audit', 'verify', '--file', file, ...more])

  test('needs no settings, tells what it finds and exits with 1 on any', async () => {
    const events = logOf([0, 1, 0, 0])
    const file = await temporaryFile(events.map(exportLine).join(''), 'log.ndjson')
    expect(await verify(file, '--complete')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^4 events in 2 streams, the last at position 4: Nothing was changed\.\nThe root of their tree is /,
      ) as string,
    })
    expect(await verify(file, '--until', '4')).toMatchObject({ code: 0 })
    expect(await verify(file, '--until', '5')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('removed: All events after position 4, up to position 5 are missing.') as string,
    })
    await writeFile(
      file,
      `${exportLine(events[0] as RecordedEvent)}nonsense\n${exportLine(events[3] as RecordedEvent)}`,
    )
    const { code, stdout } = await verify(file)
    expect(code).toBe(1)
    expect(stdout).toContain('Line 2 is not an event.')
    expect(stdout).toContain(`revision 1 of ${events[0]?.stream} is missing.`)
  })

  test('finds nothing in events whose texts have line separators of Unicode', async () => {
    const created: CatalogEvent = { type: 'Created', data: { name: 'first\u2028second\u2029third', members: {} } }
    const event = recordedEvent(created, { stream: freshStream(), revision: 0n, position: 1n })
    const { code, stdout } = await verify(await temporaryFile(exportLine(event), 'separators.ndjson'), '--complete')
    expect(stdout).toContain('Nothing was changed.')
    expect(code).toBe(0)
  })
})

test('an audit says why it compares the log with no stored tree', async () => {
  const folder = await temporaryFolder()
  const log = openSqliteEventStore({ path: join(folder, 'log.db') })
  await appendOk(log, appendOf(freshStream(), 'no_stream', 1))
  await log.close()
  const verified = () => catalog(['audit', 'verify'], { CATALOG_DATA_DIR: folder })
  const told = (reason: string) =>
    expect.stringMatching(new RegExp(`\\nIt was compared with no stored tree: .*${reason}`)) as string
  expect(await verified()).toMatchObject({ code: 0, stdout: told('has no read models of this version') })
  await writeFile(join(folder, 'readmodels.db'), 'damaged')
  expect(await verified()).toMatchObject({ code: 0, stdout: told('file is not a database') })
})
