import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../docs/adr')
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
const records = readdirSync(folder)
  .filter((file) => file !== 'README.md')
  .toSorted()

it('Decision records have the numbers from one on, each its own', () => {
  expect(records.map((file) => file.slice(0, 5))).toEqual(
    records.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  )
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
