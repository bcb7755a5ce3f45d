import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../docs/adr')
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
const records = readdirSync(folder)
  .filter((file) => file !== 'README.md')
  .toSorted()

it('Decision records have a number each, and no two the same', () => {
  const numbers = records.map((file) => Number(/^(\d{4})-/.exec(file)?.[1]))
  expect(records.length).toBeGreaterThan(0)
  expect(numbers).not.toContain(NaN)
  expect(new Set(numbers).size).toBe(records.length)
})

it('The list of decision records names each once, in order, by its number and title', () => {
  const titled = records.map((file) => `- [${read(file).split('\n', 1)[0]?.replace('# ', '')}](${file})`)
  expect(titled).toEqual(records.map((file) => expect.stringContaining(`- [${file.slice(0, 4)} `)))
  expect(
    read('README.md')
      .split('\n')
      .filter((line) => line.startsWith('- [')),
  ).toEqual(titled)
})
