import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteReadModels } from '../../../src/projections/sqlite/readModels.ts'
import { searchFor } from '../entities/contract/corpus.ts'
import { applyRows } from '../../support/projecting.ts'
import { makeRow } from '../../support/rows.ts'
import { atThisPace, computed } from '../../support/processorTime.ts'

it('indexing lets others have their turn after some tens of milliseconds, however many words entities have', async () => {
  const readModels = await openSqliteReadModels({ path: ':memory:' })
  onTestFinished(() => readModels.close())
  const rows = Array.from({ length: 1500 }, (_, at) =>
    makeRow(`shop.t${at}`, {
      fields: Array.from({ length: 300 }, (__, word) => `field${(at * 7 + word * 13) % 5000}`),
    }),
  )
  await applyRows(readModels, rows, 1n)
  let found = false
  const begun = computed()
  const searching = searchFor(readModels, 'field7').then(() => (found = true))
  let turns = 0
  while (!found) {
    await nextTurn()
    turns += 1
  }
  await searching
  const held = (computed() - begun) / turns
  // Three slices of five hundred entities each took hundreds of milliseconds.
  expect(turns).toBeGreaterThan(20)
  expect(held).toBeLessThan(atThisPace(200))
})
