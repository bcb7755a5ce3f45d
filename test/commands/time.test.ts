import { expect, test } from 'vitest'
import { submitBulk } from '../../src/commands/bulk.ts'
import type { DomainError } from '../../src/commands/errors.ts'
import { makeClock, setByLog } from '../../src/commands/clock.ts'
import { deleteEntity, existing, submit, submitCommand } from '../../src/commands/submit.ts'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { causeOf, openWriteSide } from '../support/writeSide.ts'

const glossary = kindNamed('glossary')
const term = kindNamed('glossaryTerm')
const service = kindNamed('databaseService')

const named = (name: string, values: Record<string, string> = {}) => ({ name, values, cleared: [] })

const times = (events: readonly RecordedEvent[]): string[] => events.map(({ metadata }) => metadata.time)

test('the time of events never goes back along the log, although the clock of the machine does', async () => {
  const clock = [5000, 4000, 6000, 1000, 7000, 2000]
  const { commands, events } = await openWriteSide({ machine: () => clock.shift() ?? 0 })
  for (const name of ['a', 'b', 'c', 'd']) await submit(commands, glossary, 'Create', named(name), causeOf())
  const [first, second, third, fourth] = times(await events())
  expect([first, second, third, fourth]).toEqual([5000, 5000, 6000, 6000].map((time) => new Date(time).toISOString()))
})

test('every event of a bulk request and of a cascade has the time of its own append', async () => {
  let now = 0
  const { commands, events } = await openWriteSide({ machine: () => (now += 1000) })
  await submitBulk(
    commands,
    service,
    Array.from({ length: 501 }, (_, index) => ({ name: `s${index}`, values: { serviceType: 'x' }, cleared: [] })),
    causeOf(),
  )
  await submit(commands, glossary, 'Create', named('g'), causeOf())
  await submit(
    commands,
    term,
    'Create',
    { name: 't', values: { glossary: { fullyQualifiedName: 'g' } }, cleared: [] },
    causeOf(),
  )
  const entity = await existing(commands, 'glossary', entityId('glossary', 'g'), 'live')
  await deleteEntity(commands, glossary, entity, { recursive: true, hard: false, childKinds: [] }, causeOf())
  const all = times(await events())
  expect(all).toEqual(all.toSorted())
  expect(new Set(all).size).toBe(6)
})

test('a clock that is behind the log goes on from its newest event', async () => {
  const { commands, log } = await openWriteSide({ machine: () => 9000 })
  await submit(commands, glossary, 'Create', named('a'), causeOf())
  const clock = makeClock(() => 1000)
  await setByLog(clock, log)
  expect(clock.now()).toBe(9000)
})

test('a child that comes back below the same deletion is taken by an event with an id of its own', async () => {
  const { commands, events } = await openWriteSide()
  await submit(commands, glossary, 'Create', named('g'), causeOf())
  const request = { name: 't', values: { glossary: { fullyQualifiedName: 'g' } }, cleared: [] }
  await submit(commands, term, 'Create', request, causeOf())
  const entity = await existing(commands, 'glossary', entityId('glossary', 'g'), 'live')
  await deleteEntity(commands, glossary, entity, { recursive: true, hard: false, childKinds: [glossary] }, causeOf())
  const child = await existing(commands, 'glossaryTerm', entityId('glossaryTerm', 'g.t'), 'any')
  const restored = submitCommand(commands, term, child, { type: 'Restore' }, causeOf())
  await expect(restored).rejects.toThrow('deleted meanwhile')
  expect((await events()).filter(({ type }) => type === 'SoftDeleted')).toHaveLength(3)
  const ids = (await events()).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('an item of a bulk request that is too large for the log fails alone, also beside another of its name', async () => {
  const { commands, events } = await openWriteSide({ maxAppendSize: 5000 })
  const item = (name: string, description: string) => named(name, { serviceType: 'x', description })
  const { outcomes } = await submitBulk(
    commands,
    service,
    [
      item('a', 'small'),
      item('b', 'x'.repeat(6000)),
      item('c', 'y'.repeat(3000)),
      item('c', 'z'.repeat(3000)),
      item('d', 'small'),
    ],
    causeOf(),
  )
  expect(outcomes.map((outcome) => (outcome.ok ? outcome.created : (outcome.error as DomainError).code))).toEqual([
    true,
    'too_large',
    true,
    false,
    true,
  ])
  expect((await events()).map(({ metadata }) => metadata.fullyQualifiedName)).toEqual(['a', 'd', 'c', 'c'])
})
