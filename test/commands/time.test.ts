import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeClock, syncClockWithLog } from '../../src/commands/recording.ts'
import type { DomainError } from '../../src/commands/errors.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { creating, openWriteSide, patching, removing, upserting } from '../support/writeSide.ts'

const times = (events: readonly RecordedEvent[]): string[] => events.map(({ metadata }) => metadata.time)

test('the time of events never goes back along the log, although the clock of the machine does', async () => {
  const clock = [5000, 4000, 6000, 1000, 7000, 2000]
  const { given, events } = await openWriteSide({ machine: () => clock.shift() ?? 0 })
  await given(...['a', 'b', 'c', 'd'].map((name) => creating('glossary', name)))
  expect(times(await events())).toEqual([5000, 5000, 6000, 6000].map((time) => new Date(time).toISOString()))
})

test('nothing comes between the time of an event and its append, however long it takes to make', async () => {
  let told = false
  const machine = () => {
    told = true
    queueMicrotask(() => (told = false))
    return Date.now()
  }
  const appended: boolean[] = []
  const change = (log: EventStore): EventStore => ({
    ...log,
    append: (appends) => {
      appended.push(told)
      return log.append(appends)
    },
  })
  const { given, askAll } = await openWriteSide({ machine, change })
  const columns = Array.from({ length: 9000 }, (_, index) => ({ name: `c${index}`, dataType: 'INT' }))
  await given(creating('databaseService', 's', { serviceType: 'x' }), creating('database', 's.d'))
  await given(creating('databaseSchema', 's.d.p'), creating('table', 's.d.p.t', { columns }))
  await askAll([upserting('table', 's.d.p.u', { columns }), upserting('table', 's.d.p.v', { columns: [] })])
  await given(removing('databaseService', 's', { recursive: true }))
  expect(appended.length).toBeGreaterThan(5)
  expect(appended).not.toContain(false)
})

test('every event of a bulk request and of a cascade has the time of its own append', async () => {
  let now = 0
  const { given, askAll, events } = await openWriteSide({ machine: () => (now += 1000) })
  await askAll(
    Array.from({ length: 501 }, (_, index) => upserting('databaseService', `s${index}`, { serviceType: 'x' })),
  )
  await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.t'))
  await given(removing('glossary', 'g', { recursive: true }))
  const all = times(await events())
  expect(all).toEqual(all.toSorted())
  expect(new Set(all).size).toBe(6)
})

test('a clock that is behind the log goes on from its newest event', async () => {
  const { given, log } = await openWriteSide({ machine: () => 9000 })
  await given(creating('glossary', 'a'))
  const clock = makeClock(() => 1000)
  await syncClockWithLog(clock, log)
  expect(clock.appendTime()).toEqual({ time: 9000, machine: 1000 })
})

test('the present is never earlier than the newest event, and asking for it moves nothing', async () => {
  let machine = 20_000
  const clock = makeClock(() => machine)
  expect(clock.time()).toBe(20_000)
  machine = 1000
  expect([clock.time(), clock.appendTime().time]).toEqual([1000, 1000])
  clock.observe(9000)
  expect([clock.time(), clock.appendTime().time]).toEqual([9000, 9000])
})

test('what is decided by a process whose clock is behind is never earlier than what it was decided on', async () => {
  const { given, askAll, context, events } = await openWriteSide({ machine: () => 9000 })
  await given(creating('glossary', 'g'), creating('team', 'x'))
  const inAnother = async (act: () => Promise<unknown>): Promise<void> => {
    context.clock = makeClock(() => 1000)
    await act()
  }
  const owners = [{ type: 'team', fullyQualifiedName: 'x' }]
  await inAnother(() => given(patching('glossary', 'g', { description: 'd' })))
  await inAnother(() => given(creating('glossaryTerm', 'g.a')))
  await inAnother(() => given(creating('domain', 'y', { domainType: 'Aggregate', owners })))
  await inAnother(() => askAll([upserting('glossaryTerm', 'g.b')]))
  await inAnother(() => given(removing('glossary', 'g', { recursive: true })))
  const all = await events()
  expect(new Set(times(all))).toEqual(new Set([new Date(9000).toISOString()]))
  const machines = all.map(({ metadata }) => metadata.machineTime)
  expect(new Set(machines)).toEqual(new Set([undefined, new Date(1000).toISOString()]))
})

test('a child that comes back below the same deletion is taken by an event with an id of its own', async () => {
  const { given, only, settle, events } = await openWriteSide()
  await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.t'))
  await given(removing('glossary', 'g', { recursive: true }))
  await only('glossaryTerm', 'g.t', { type: 'Restore' })
  await settle()
  expect((await events()).filter(({ type }) => type === 'SoftDeleted')).toHaveLength(3)
  const ids = (await events()).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('an item of a bulk request that is too large for the log fails alone, also beside another of its name', async () => {
  const { askAll, events, context } = await openWriteSide({ maxAppendSize: 5000 })
  const { lookup } = context
  let delay = 20
  // The first look-up of an item on its own takes longer than the next.
  context.lookup = async (ids) => {
    if (ids.length === 1) await setTimeout((delay -= 10))
    return lookup(ids)
  }
  const item = (name: string, description: string) =>
    upserting('databaseService', name, { serviceType: 'x', description })
  const { summaries } = await askAll([
    item('a', 'small'),
    item('b', 'x'.repeat(6000)),
    item('c', 'y'.repeat(3000)),
    item('c', 'z'.repeat(3000)),
    item('d', 'small'),
  ])
  expect(
    summaries.map((one) => ('result' in one ? one.result.before === undefined : (one.error as DomainError).code)),
  ).toEqual([true, 'too_large', true, false, true])
  expect((await events()).map(({ metadata }) => metadata.fullyQualifiedName)).toEqual(['a', 'd', 'c', 'c'])
})
