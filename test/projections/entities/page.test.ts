import { expect, test } from 'vitest'
import { compareKeys, pagesOf, streamPage } from '../../../src/projections/entities/page.ts'
import type { ListPage, ListQuery } from '../../../src/projections/entities/port.ts'
import { makeRow } from '../../support/rows.ts'
import { listOf } from './contract/support.ts'

/** A list of so many rows that counts how often it is counted. */
const countedList = (size: number) => {
  const rows = Array.from({ length: size }, (_, at) => makeRow(`r${String(at).padStart(5, '0')}`))
  let counts = 0
  const list = async ({ after, limit, total }: ListQuery): Promise<ListPage> => {
    if (total === undefined) counts += 1
    const from = after === undefined ? 0 : rows.findIndex((row) => compareKeys(row, after) > 0)
    const end = Math.min(size, from + limit)
    return { rows: rows.slice(from, end), total: total ?? size, hasBefore: from > 0, hasAfter: end < size }
  }
  return { rows, list, counts: () => counts }
}

test('a long list is counted once', async () => {
  const { rows, list, counts } = countedList(3 * streamPage + 7)
  const found: string[] = []
  const totals = new Set<number>()
  for await (const page of pagesOf({ list }, listOf({ limit: 1_000_000 }))) {
    found.push(...page.rows.map(({ id }) => id))
    totals.add(page.total)
  }
  expect(found).toEqual(rows.map(({ id }) => id))
  expect([...totals]).toEqual([rows.length])
  expect(counts()).toBe(1)
})
