import { expect, test } from 'vitest'
import { pagesOf, streamPage } from '../../../src/projections/entities/page.ts'
import type { ListPage, ListQuery } from '../../../src/projections/entities/port.ts'
import { makeRow } from '../../support/rows.ts'
import { listOf } from './contract/support.ts'

/** A list of so many rows that counts how often it is counted. */
const countedList = (size: number) => {
  const rows = Array.from({ length: size }, (_, at) => makeRow(`r${String(at).padStart(5, '0')}`))
  let counts = 0
  const list = async ({ after, before, limit, total }: ListQuery): Promise<ListPage> => {
    if (total === undefined) counts += 1
    const at = (key: { readonly fullyQualifiedName: string } | undefined) =>
      rows.findIndex(({ fullyQualifiedName }) => fullyQualifiedName === key?.fullyQualifiedName)
    const to = before === undefined ? Math.min(size, at(after) + 1 + limit) : at(before)
    const from = before === undefined ? at(after) + 1 : Math.max(0, to - limit)
    return { rows: rows.slice(from, to), total: total ?? size, hasBefore: from > 0, hasAfter: to < size }
  }
  return { rows, list, counts: () => counts }
}

test.each(['after', 'before'])('a long list is counted once, read from %s', async (direction) => {
  const { rows, list, counts } = countedList(3 * streamPage + 7)
  const last = rows.at(-1)
  const query = listOf({ limit: 1_000_000, ...(direction === 'before' && { before: last }) })
  const found: string[] = []
  const totals = new Set<number>()
  for await (const page of pagesOf({ list }, query)) {
    found.push(...page.rows.map(({ id }) => id))
    totals.add(page.total)
  }
  const wanted = direction === 'before' ? rows.slice(0, -1) : rows
  expect(found).toEqual(wanted.map(({ id }) => id))
  expect([...totals]).toEqual([rows.length])
  expect(counts()).toBe(1)
})
