import { expect, test } from 'vitest'
import type { CatalogEvent, RecordedEvent } from '../../src/events/events.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { entityId } from '../../src/kinds/names.ts'
import type { EntityRow } from '../../src/projections/entities/row.ts'
import { makeFolding } from '../../src/projections/folding.ts'
import { newEvent } from '../support/events.ts'

const names = ['a', 'b', 'c']

/** Three changes of three glossaries, by turns. */
const recorded = (): RecordedEvent[] => {
  const changes: CatalogEvent[] = [
    { type: 'Created', data: { name: '', members: { description: 'x'.repeat(500) } } },
    { type: 'Updated', data: { set: { description: 'y' }, unset: [] } },
    { type: 'Updated', data: { set: {}, unset: ['description'] } },
  ]
  return changes.flatMap((change, revision) =>
    names.map((name, index): RecordedEvent => {
      const event = change.type === 'Created' ? { ...change, data: { ...change.data, name } } : change
      const place = { stream: `glossary-${entityId('glossary', name)}`, revision: BigInt(revision) }
      const made = newEvent(event, { ...place, name })
      return { ...made, ...place, position: BigInt(revision * names.length + index + 1) } as RecordedEvent
    }),
  )
}

/** Folds the events one batch of two after the other, and stores what it takes whenever it is full. */
const foldAll = async (events: readonly RecordedEvent[], room: number) => {
  const stored = new Map<string, EntityRow>()
  const readModels = {
    getMany: async (ids: readonly string[]) => new Map([...stored].filter(([id]) => ids.includes(id))),
  }
  const folding = makeFolding({ readModels, kindNamed }, room)
  let taken = 0
  const take = (): void => {
    const { rows, isNew } = folding.take(2)
    const some = [...rows].flat()
    expect(isNew).toBe(stored.size === 0)
    taken += some.length
    for (const row of some) stored.set(row.id, row)
  }
  for (let at = 0; at < events.length; at += 2) {
    await folding.add(events.slice(at, at + 2))
    if (folding.isFull()) take()
  }
  take()
  return { taken, rows: [...stored.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
}

test('entities that are folded in memory give each row once, and go on from what was stored where there was no room', async () => {
  const events = recorded()
  const once = await foldAll(events, 2 ** 20)
  const [again, always] = [await foldAll(events, 4000), await foldAll(events, 1)]
  expect(once.rows.map(({ fullyQualifiedName, revision }) => [fullyQualifiedName, revision])).toEqual(
    expect.arrayContaining(names.map((name) => [name, 2n])),
  )
  expect([once.taken, again.taken > 3, always.taken]).toEqual([3, true, 9])
  expect(again.rows).toEqual(once.rows)
  expect(always.rows).toEqual(once.rows)
})
