import { expect, test } from 'vitest'
import { attributeChanges } from '../../src/commands/provenance.ts'
import { atThisPace, processorTimeAtBest } from '../support/processorTime.ts'

/** Columns with one in front of them, so that each gets another position. */
const columns = (count: number, first: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `c${first + at}`, dataType: 'INT', ordinalPosition: at + 1 }))

test('The time that it takes to tell who wrote what grows with the columns of a table, and not with their square', () => {
  const count = 20_000
  const [before, after] = [{ columns: columns(count, 1) }, { columns: columns(count + 1, 0) }]
  const time = processorTimeAtBest(() => {
    const authors = new Map<string, { user: string }>()
    attributeChanges(authors, {}, before, { user: 'ann' })
    attributeChanges(authors, before, after, { user: 'bob' })
    expect(authors.size).toBe(3 * (count + 1))
  })
  expect(time).toBeLessThan(atThisPace(1500))
})

test('Who cleared what in each column, whatever the names of the columns, is told as fast', () => {
  const count = 5000
  const named = (description?: string) => ({
    columns: Array.from({ length: count }, (_, at) => ({
      name: `${'.'.repeat(250)}${at}`,
      dataType: 'INT',
      ...(description !== undefined && { description }),
    })),
  })
  const time = processorTimeAtBest(() => {
    const authors = new Map<string, { user: string }>()
    attributeChanges(authors, {}, named('said'), { user: 'ann' })
    attributeChanges(authors, named('said'), named(), { user: 'bob' })
    expect(authors.size).toBe(3 * count)
  })
  expect(time).toBeLessThan(atThisPace(250))
})
