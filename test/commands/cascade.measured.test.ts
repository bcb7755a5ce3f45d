import { expect, test } from 'vitest'
import type { StatusMismatch } from '../../src/commands/lookup.ts'
import { cascade } from '../../src/processes/cascade.ts'
import { longestTurnAtBest } from '../support/longestTurn.ts'
import { atThisPace, computed } from '../support/processorTime.ts'
import { openWriteSide } from '../support/writeSide.ts'

test('looking below very many that have nothing below them lets others through', async () => {
  const { context } = await openWriteSide()
  let looked = 0
  const statusMismatches = async (_: number, ids: readonly string[] = []): Promise<StatusMismatch[]> => {
    looked += ids.length
    for (const end = computed() + 10; computed() < end;);
    return []
  }
  const slow = { ...context, hierarchy: { ...context.hierarchy, statusMismatches } }
  const ids = Array.from({ length: 20_000 }, (_, index) => `id ${index}`)
  const look = async (): Promise<void> => {
    looked = 0
    await cascade(slow, ids)
    expect(looked).toBe(20_000)
  }
  expect(await longestTurnAtBest(look)).toBeLessThan(atThisPace(100))
})
