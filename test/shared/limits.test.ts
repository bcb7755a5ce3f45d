import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inProportion, limits } from '../../src/shared/limits.ts'

const units = new Map([
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['s', 1000],
])

const rows = readFileSync('docs/limits.md', 'utf8').matchAll(/^\| .+ <!-- (\w+) --> \| ([\d,]+) (\w+) \| .+ \|$/gm)

it('docs/limits.md shows every limit as it is', () => {
  const shown = [...rows].map(([, name, number = '', unit = '']) => [
    name,
    { value: Number(number.replaceAll(',', '')) * (units.get(unit) ?? 1) },
  ])
  expect(shown).toEqual(Object.entries(limits))
})

it('what bodies may take is less in proportion to the memory that there is', () => {
  const bytes = [64, 4, 1, 0.5].map((gibibytes) => inProportion(limits.bodies, gibibytes * 2 ** 30))
  expect(bytes).toEqual([512, 512, 128, 64].map((mebibytes) => mebibytes * 2 ** 20))
})
