import { expect, onTestFinished, test } from 'vitest'
import { createOdcsRunner } from '../../src/odcs/odcsThreads.ts'
import { longestTurnAtBest } from '../support/longestTurn.ts'
import { atThisPace } from '../support/processorTime.ts'

test('the event loop stays free while a megabyte is read', async () => {
  const hostile = `a: [${'{a: 1},'.repeat(100_000)}1]`
  const brief = createOdcsRunner({ count: 1, timeout: 1000 })
  onTestFinished(brief.close)
  const longest = await longestTurnAtBest(async () =>
    expect(
      await brief.run({ caller: 'ann', signal: new AbortController().signal }, 'parsePreview', hostile, 'yaml'),
    ).toMatchObject({ ok: false }),
  )
  expect(longest).toBeLessThan(atThisPace(100))
})
