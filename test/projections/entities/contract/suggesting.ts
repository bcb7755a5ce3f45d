import { describe, expect, test } from 'vitest'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { fqnOf, makeRow } from '../../../support/rows.ts'
import { corpus } from './corpus.ts'
import { freshWith, type MakeReadModels } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

/** Beginnings, and the names that are suggested for them. */
const beginnings: readonly (readonly [prefix: string, ...names: string[]])[] = [
  ['order', 'order_items', 'orders'],
  ['Order I', 'order_items'],
  ['orderitems', 'order_items'],
  ['order_items', 'order_items'],
  ['cust', 'CustomerOrders', 'customers'],
  ['customer o', 'CustomerOrders'],
  ['CAF', 'café'],
  ['s', 'sales', 'shop'],
  ['odd.n', 'odd.name'],
  ['old'],
  ['lost'],
  ['items'],
  [''],
  ['%'],
]

/** What type-ahead suggests. */
export const suggesting = (make: MakeReadModels): void => {
  const suggested = async (
    readModels: ReadModels,
    prefix: string,
    kinds = ['thing', 'table', 'domain'],
    limit = 10,
  ): Promise<string[]> =>
    (await readModels.suggest(prefix, kinds, limit)).map(
      ({ reference }) => (JSON.parse(reference) as { name: string }).name,
    )

  describe('suggest', () => {
    test('gives names that begin so', async () => {
      const readModels = await freshWith(make)()
      await applyRows(readModels, corpus, 1n)
      for (const [prefix, ...names] of beginnings)
        expect([prefix, ...(await suggested(readModels, prefix))]).toEqual([prefix, ...names])
    })

    test('finds names whatever their case, signs and planes', async () => {
      const readModels = await freshWith(make)()
      const names = ['Order Items', 'order-items 2', 'Örder', '\u{20BB7}野家', '~~']
      await applyRows(
        readModels,
        names.map((name) => makeRow(fqnOf(name))),
        1n,
      )
      expect(await suggested(readModels, 'ORD')).toEqual(['Örder', 'Order Items', 'order-items 2'])
      expect(await suggested(readModels, 'order i', ['thing'], 1)).toEqual(['Order Items'])
      expect(await suggested(readModels, '\u{20BB7}')).toEqual(['\u{20BB7}野家'])
      expect(await suggested(readModels, '~')).toEqual(['~~'])
    })

    test('keeps to kinds and limit, and orders equal names by FQN', async () => {
      const readModels = await freshWith(make)()
      const rows = ['b.same', 'a.same', 'a.samething', 'c.sam'].map((fqn) => makeRow(fqn))
      await applyRows(readModels, [...rows, makeRow('same', { kind: 'domain' }), makeRow('+++')], 1n)
      const found = await readModels.suggest('sa', ['thing'], 3)
      expect(
        found.map(({ reference }) => (JSON.parse(reference) as { fullyQualifiedName: string }).fullyQualifiedName),
      ).toEqual(['c.sam', 'a.same', 'b.same'])
      expect(await suggested(readModels, 'same', ['domain'])).toEqual(['same'])
      expect(await suggested(readModels, 'same', [])).toEqual([])
      expect(await suggested(readModels, '++')).toEqual(['+++'])
    })
  })
}
