import { describe, expect, test } from 'vitest'
import { makeChanges, changedIds } from '../../../../src/projections/mongo/changedRows.ts'
import type { State } from '../../../../src/projections/mongo/generations.ts'
import { makeMemory } from '../../../../src/projections/entities/mongo/memory.ts'
import type { EntityRow } from '../../../../src/projections/entities/row.ts'
import { rowOf } from './support.ts'

const stateAt = (position: bigint, some: Partial<State> = {}): State => ({
  position,
  newest: undefined,
  time: undefined,
  applied: Number(position),
  ...some,
})

/** A memory that knows the collection `c` up to position 10. */
const memoryAt10 = () => {
  const memory = makeMemory(2 ** 20)
  const look = memory.look()
  look.saw('c', stateAt(10n))
  look.end()
  return memory
}

type Memory = ReturnType<typeof makeMemory>

const keep = (memory: Memory, ...rows: readonly EntityRow[]): void => {
  const look = memory.look()
  for (const row of rows) look.keep(row)
  look.end()
}

const see = (memory: Memory, state: State | undefined, name = 'c'): void => {
  const look = memory.look()
  look.saw(name, state)
  look.end()
}

const changesOf = (after: bigint, position: bigint, rows: readonly EntityRow[]) =>
  makeChanges().add(after, position, rows)

const anyKind = (): boolean => true

describe('what is remembered of entities', () => {
  test('is forgotten when a state tells that it has changed, and only that', () => {
    const memory = memoryAt10()
    const [changed, other] = [rowOf({ position: 5n }), rowOf({ position: 6n })]
    keep(memory, changed, other)
    see(memory, stateAt(12n, { changes: changesOf(9n, 12n, [{ ...changed, position: 12n }]) }))
    expect([memory.row(changed.id), memory.row(other.id)]).toEqual([undefined, other])
    expect([memory.reaches(12n), memory.reaches(13n)]).toEqual([true, false])
  })

  test('stays when it was read after the change', () => {
    const memory = memoryAt10()
    const row = rowOf({ position: 10n })
    keep(memory, row)
    see(memory, stateAt(12n, { changes: changesOf(8n, 12n, [row]) }))
    expect(memory.row(row.id)).toBe(row)
  })

  test.each([
    ['a state does not tell what has changed', stateAt(12n)],
    ['a state tells of later changes only', stateAt(12n, { changes: changesOf(11n, 12n, []) })],
    ['a state tells of changes up to another position', stateAt(13n, { changes: changesOf(9n, 12n, []) })],
    ['somebody has written at the same position', stateAt(10n, { applied: 11 })],
    ['the state has gone back', stateAt(9n)],
    ['another collection is about to take its place', stateAt(10n, { claimed: true })],
    ['the collection was emptied', undefined],
  ])('is all forgotten when %s', (_, state) => {
    const memory = memoryAt10()
    const row = rowOf({ position: 5n })
    keep(memory, row)
    see(memory, state)
    expect(memory.row(row.id)).toBeUndefined()
  })

  test('is all forgotten when another collection is read', () => {
    const memory = memoryAt10()
    const row = rowOf({ position: 5n })
    keep(memory, row)
    see(memory, stateAt(10n), 'd')
    expect(memory.row(row.id)).toBeUndefined()
  })

  test('does not go back when an older state arrives late', () => {
    const memory = memoryAt10()
    const late = memory.look()
    see(memory, stateAt(12n, { changes: changesOf(10n, 12n, []) }))
    const row = rowOf({ position: 5n })
    keep(memory, row)
    late.saw('c', stateAt(10n))
    late.end()
    expect([memory.row(row.id), memory.reaches(12n)]).toEqual([row, true])
  })

  test('takes no row that changed while it was read, nor one whose checkpoint is still to come', () => {
    const memory = memoryAt10()
    const [old, early] = [rowOf({ position: 5n }), rowOf({ position: 13n })]
    const look = memory.look()
    see(memory, stateAt(12n, { changes: changesOf(10n, 12n, [{ ...old, position: 11n }]) }))
    look.keep(old)
    look.keep(early)
    look.end()
    expect([memory.row(old.id), memory.row(early.id)]).toEqual([undefined, undefined])
  })

  test('has what the process itself has written, and references to that no more as they were', () => {
    const memory = memoryAt10()
    const before = rowOf({ position: 5n })
    const look = memory.look()
    look.keepReference(before, 5n)
    look.end()
    const after = { ...before, revision: 1n, position: 11n }
    memory.wrote({ name: 'c', after: 10n, position: 11n, changes: [after], rows: [after] })
    expect([memory.row(before.id), memory.reference(before.id), memory.reaches(11n)]).toEqual([after, undefined, true])
    memory.wrote({ name: 'c', after: 12n, position: 14n, changes: [] })
    expect([memory.row(before.id), memory.reaches(10n)]).toEqual([undefined, false])
  })

  test('that was worked out from entities of a kind holds until one of that kind changes', () => {
    const memory = memoryAt10()
    const look = memory.look()
    look.keepDerived('key', [1], 0)
    look.end()
    const row = rowOf({ kind: 'thing', position: 11n })
    memory.wrote({ name: 'c', after: 10n, position: 11n, changes: [row] })
    expect(memory.derived('key', (kind) => kind === 'other')).toEqual([1])
    expect(memory.derived('key', anyKind)).toBeUndefined()
  })
})

describe('what is told of changes', () => {
  test('are ids with their positions, of as many batches as there is room for', () => {
    const changes = makeChanges()
    const rows = Array.from({ length: 300 }, (_, index) => rowOf({ position: BigInt(index + 1) }))
    let told = changes.add(0n, 0n, [])
    for (const row of rows) told = changes.add(row.position - 1n, row.position, [row])
    expect(changedIds(told ?? { ids: Buffer.of() })).toEqual(
      rows.slice(-128).map(({ id, position }) => ({ id, position })),
    )
    expect([BigInt(told?.since ?? 0), BigInt(told?.to ?? 0)]).toEqual([172n, 300n])
    expect(told?.kinds).toEqual({ thing: told?.to })
  })

  test('begin anew where batches do not follow each other, and end where it is not known what came before', () => {
    const changes = makeChanges()
    changes.add(1n, 2n, [rowOf({ position: 2n })])
    expect(BigInt(changes.add(3n, 4n, [])?.since ?? 0)).toBe(3n)
    expect(changes.add(undefined, 5n, [])).toBeUndefined()
    expect(changes.add(5n, 6n, [rowOf({ id: 'not a UUID', position: 6n })])).toBeUndefined()
  })

  test('name nothing rather than more than a document should hold', () => {
    const rows = Array.from({ length: 2001 }, () => rowOf({ position: 2n }))
    const told = makeChanges().add(1n, 2n, rows)
    expect([told?.since, told?.ids.length]).toEqual([told?.to, 0])
  })
})
