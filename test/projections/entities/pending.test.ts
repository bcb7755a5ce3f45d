import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isBelow, makePending, type Region } from '../../../src/projections/entities/pending.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import { applyRows } from '../../support/projecting.ts'
import { makeRow, rowId } from '../../support/rows.ts'

const schema = { kind: 'databaseSchema', parent: rowId('s.d', 'database') }
const root = rowId('s.d.big', schema.kind)

const open = async () => {
  const readModels = await openSqliteReadModels({ path: ':memory:' })
  await applyRows(readModels, [makeRow('s.d.big', schema)], 1n)
  let read = 0
  const ownDeletions: typeof readModels.ownDeletions = (...of) => {
    read++
    return readModels.ownDeletions(...of)
  }
  const shown = { entities: 1n, search: 1n }
  const inFlight: { until?: Promise<void> } = {}
  const getHeads: typeof readModels.getHeads = async (ids) => {
    const found = await readModels.getHeads(ids)
    if (ids.includes(rowId('s.d.big', 'topic'))) await inFlight.until
    return found
  }
  const reading = { ...readModels, ownDeletions, getHeads }
  const pending = makePending(reading, { entities: () => shown.entities, search: () => shown.search })
  pending.add(root, 1n)
  return { pending, readModels, shown, inFlight, read: () => read }
}

test('what is pending is read once for all that is asked before anything changes', async () => {
  const { pending, shown, read } = await open()
  const [one, other] = await Promise.all([pending.regions(), pending.regions()])
  expect(await pending.regions()).toBe(one)
  expect(other).toBe(one)
  expect([one.length, read()]).toEqual([1, 1])
  shown.entities = 2n
  expect(await pending.regions()).toEqual(one)
  expect(read()).toBe(2)
  pending.add(rowId('s.d.other', schema.kind), 3n)
  expect(await pending.regions()).toHaveLength(1)
  expect(read()).toBe(3)
  pending.remove([root])
  expect(await pending.regions()).toEqual([])
})

test('what is pending twice is so since the first time', async () => {
  const { pending } = await open()
  pending.add(root, 3n)
  expect(pending.all()).toEqual(new Map([[root, 1n]]))
})

test('nothing is below a name that only begins like its own', async () => {
  const [region] = await (await open()).pending.regions()
  const isIn = (fullyQualifiedName: string) => isBelow(region as Region, { kind: 'table', fullyQualifiedName })
  expect(['s.d.big.t', 's.d.bigger.t'].map(isIn)).toEqual([true, false])
})

test('the search index shows what children have followed later than rows, and is told of it for as long', async () => {
  const { pending, shown } = await open()
  shown.entities = 5n
  pending.remove([root])
  expect(await pending.regions()).toEqual([])
  expect(await pending.searchRegions()).toMatchObject([{ id: root }])
  shown.search = 4n
  expect(await pending.searchRegions()).toHaveLength(1)
  shown.search = 5n
  expect(await pending.searchRegions()).toEqual([])
})

test('what a read in flight learned of a root is not known of the next deletion of that root', async () => {
  const { pending, readModels, inFlight } = await open()
  const { promise, resolve } = Promise.withResolvers<void>()
  inFlight.until = promise
  const before = pending.regions()
  await nextTurn()
  pending.remove([root])
  await applyRows(readModels, [makeRow('s.d.big', { kind: 'topic' })], 2n)
  pending.add(root, 2n)
  resolve()
  const kindsIn = async (regions: ReturnType<typeof pending.regions>) => (await regions).map(({ kinds }) => [...kinds])
  expect(await kindsIn(before)).toEqual([expect.arrayContaining(['table', 'dataContract'])])
  expect(await kindsIn(pending.regions())).toEqual([expect.not.arrayContaining(['dataContract'])])
})
