import { expect, test } from 'vitest'
import { compareKeys, pagesOf, streamPage } from '../../../src/projections/entities/page.ts'
import type { ListPage, ListQuery } from '../../../src/projections/entities/port.ts'
import { makeRow } from '../../support/rows.ts'
import { listOf } from './contract/support.ts'

/** A list of so many rows that counts how often it is counted. @param onRead what happens before each read */
const countedList = (size: number, onRead: (rows: ReturnType<typeof makeRow>[]) => void = () => {}) => {
  const rows = Array.from({ length: size }, (_, at) => makeRow(`r${String(at).padStart(5, '0')}`))
  let counts = 0
  const list = async ({ after, before, limit, total }: ListQuery): Promise<ListPage> => {
    if (total === undefined) counts += 1
    onRead(rows)
    const from = after === undefined ? 0 : rows.findIndex((row) => compareKeys(row, after) > 0)
    const to = before === undefined ? rows.length : rows.findIndex((row) => compareKeys(row, before) >= 0)
    const [begin, end] = before === undefined ? [from, Math.min(to, from + limit)] : [Math.max(0, to - limit), to]
    return {
      rows: rows.slice(begin, end),
      total: total ?? size,
      hasBefore: begin > 0,
      hasAfter: end < rows.length,
    }
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

test('a long list that is read backwards lacks none that was there throughout, whatever comes in between', async () => {
  let reads = 0
  const { rows, list } = countedList(3 * streamPage + 7, (present) => {
    reads += 1
    if (reads === 3) present.splice(2500, 0, makeRow('r02499a'), makeRow('r02499b'))
  })
  const there = rows.map(({ id }) => id)
  const before = rows.at(-5)
  const found: string[] = []
  let last: ListPage | undefined
  for await (const page of pagesOf({ list }, listOf({ limit: 2 * streamPage, before }))) {
    found.push(...page.rows.map(({ id }) => id))
    last = page
    expect(page.hasBefore || found.length > page.rows.length).toBe(true)
  }
  expect(found.filter((id) => there.includes(id))).toEqual(there.slice(-5 - 2 * streamPage, -5))
  expect(last?.hasAfter).toBe(true)
})
