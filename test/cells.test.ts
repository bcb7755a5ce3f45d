import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { simulate } from '../bench/cells/simulation.ts'

const simulated = async (fenced: boolean) => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-cells-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return simulate({ folder, roots: 300, entities: 1500, writers: 8, margin: 150, fenced, random: Math.random })
}

test('a cell moves while others write to it: names stay unique, no event is lost and no reader misses one', async () => {
  const { findings, kills, duringMove } = await simulated(true)
  expect(findings).toEqual([])
  expect(kills).toBe(5)
  expect(duringMove.length).toBeGreaterThan(0)
})

test('without the seal of its log that simulation finds what was lost', async () => {
  expect((await simulated(false)).findings).not.toEqual([])
})
