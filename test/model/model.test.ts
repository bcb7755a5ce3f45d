import { expect, it } from 'vitest'
import { summary, unexpected } from './findings.ts'
import { run } from './run.ts'

it('many clients, a kill, and every answer is what a naive model of the catalog says', async () => {
  const { findings } = await run({
    seed: 1,
    operations: 250,
    kill: true,
    killStores: false,
    width: 8,
    processes: 1,
    share: 0.3,
    shrinkFor: 0,
  })
  expect(summary(unexpected(findings))).toBe('')
})
