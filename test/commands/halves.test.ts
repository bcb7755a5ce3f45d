import { expect, test } from 'vitest'
import { halvesOf } from '../../src/commands/unitOfWork/halves.ts'
import type { Decision } from '../../src/commands/decide.ts'
import type { CatalogEvent } from '../../src/events/events.ts'
import { lineageStated, person } from '../support/decider.ts'

const decided = (event: CatalogEvent, version = 7): Decision => ({ event, version })
const restored = decided({ type: 'Restored', data: { deletion: 'd' } })
const updated = (set: Record<string, string>, unset: string[] = []) =>
  decided({ type: 'Updated', data: { set, unset } })
const added = (...names: string[]) => decided({ type: 'AssetsAdded', data: { assets: names.map(person) } })
const stated = (edges: string[], ended: string[]) => decided(lineageStated(edges, ended))

test('decisions are cut between two of them, and a single one by what it lists', () => {
  const update = updated({ a: '1', b: '2', c: '3' }, ['d'])
  expect(halvesOf([restored, update, restored])).toEqual([[restored, update], [restored]])
  expect(halvesOf([update])).toEqual([[updated({ a: '1', b: '2' }, ['d'])], [updated({ c: '3' })]])
  expect(halvesOf([added('a', 'b', 'c')])).toEqual([[added('a', 'b')], [added('c')]])
  expect(halvesOf([stated(['a', 'b'], ['c'])])).toEqual([[stated(['a'], ['c'])], [stated(['b'], [])]])
})

test('what is about one thing is not cut', () => {
  for (const one of [restored, updated({ a: '1' }, ['b']), added('a'), stated(['a'], ['b'])])
    expect(halvesOf([one])).toBeUndefined()
})

test('what is written is cut as what is decided is', () => {
  const sealed = updated({ a: 'sealed 1', b: 'sealed 2' }).event
  const halves = halvesOf([{ ...updated({ a: '1', b: '2' }), written: sealed }])
  expect(halves?.map(([half]) => half?.written?.data)).toEqual([
    { set: { a: 'sealed 1' }, unset: [] },
    { set: { b: 'sealed 2' }, unset: [] },
  ])
})
