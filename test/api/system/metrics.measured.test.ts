import { expect, it } from 'vitest'
import { longestTurnAtBest } from '../../support/longestTurn.ts'
import { everywhere } from '../everywhere.ts'
import { atThisPace } from '../../support/processorTime.ts'

it('Metrics are written in slices that let others through', async () => {
  const metrics = everywhere(2800)
  expect(await longestTurnAtBest(metrics.text)).toBeLessThan(atThisPace(100))
})
