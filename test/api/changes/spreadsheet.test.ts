import fc from '../../support/fastCheck.ts'
import { expect, it } from 'vitest'
import { cellOf, cellText, ownItems, readCell, withCells } from '../../../src/api/changes/cells.ts'
import { csvFile, csvLine, csvRecords } from '../../../src/api/changes/csvRoutes.ts'
import { buildFqn, splitFqn } from '../../../src/kinds/names.ts'

const text = fc
  .string({ unit: fc.oneof(fc.constantFrom(...'=+-@\t\n\'",;| .ä😀'), fc.string({ unit: 'grapheme', maxLength: 1 })) })
  .map((each) => each.replaceAll('\r', ''))

const read = async (file: string): Promise<string[][]> => {
  const records: string[][] = []
  for await (const record of csvRecords(Buffer.from(file))) records.push(record)
  return records
}

it('what was written comes back, whatever it holds and separates it, and begins like no formula', async () => {
  const cells = fc.array(text, { minLength: 2, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(fc.array(cells), fc.constantFrom(',', ';'), async (rows, separator) => {
      const lines = [['one', 'two'], ...rows]
      const file = lines.map((line) => csvLine(line, separator)).join('')
      expect(await read(`\uFEFF${file}`)).toEqual(lines)
      for (const cell of rows.flat()) expect(csvLine([cell], separator).slice(0, -2)).not.toMatch(/^"?[=+\-@\t\r\n]/)
    }),
  )
})

it('ends a row at line breaks of any kind, also where they differ and where a piece of the file ends', async () => {
  const [unix, windows, mac] = ['\n', '\r\n', '\r'] as const
  for (const [first, second] of [
    [unix, unix],
    [unix, windows],
    [windows, unix],
    [windows, windows],
    [mac, mac],
  ] as const)
    for (const length of [2, 16_380, 16_381, 16_382, 16_383]) {
      const rows = [
        ['a', 'b'],
        ['x'.repeat(length - 2), 'c'],
        ['1', '2'],
      ]
      const [header, ...others] = rows.map((cells) => cells.join())
      expect(await read(`${header}${first}${others.join(second)}${second}`)).toEqual(rows)
    }
  expect(await read('a,b\r"of\ntwo",c\r')).toEqual([
    ['a', 'b'],
    ['of\ntwo', 'c'],
  ])
  expect(await read('a,b\nof two\rlines,c\n')).toEqual([
    ['a', 'b'],
    ['of two\rlines', 'c'],
  ])
})

it('is read whole where it is long, also characters of two code units', async () => {
  for (const length of [16_383, 16_384]) {
    const cell = `${'x'.repeat(length)}${'😀'.repeat(20_000)}`
    expect(await read(cell)).toEqual([[cell]])
  }
})

it('begins no file whose first rows cannot be read', async () => {
  const next = () => Promise.reject(new Error('The read models are down.'))
  const failing = { [Symbol.asyncIterator]: () => ({ next }) }
  await expect(csvFile('name\r\n', failing).next()).rejects.toThrow('The read models are down.')
  const pages = async function* (rows: readonly string[]): AsyncGenerator<string> {
    yield* rows
  }
  expect(await Array.fromAsync(csvFile('name\r\n', pages(['a\r\n', 'b\r\n'])))).toEqual(['name\r\na\r\n', 'b\r\n'])
  expect(await Array.fromAsync(csvFile('name\r\n', pages([])))).toEqual(['name\r\n'])
})

it('lists of names come back, whatever their parts hold', () => {
  const part = text.filter((each) => each.trim() !== '')
  const names = fc.uniqueArray(fc.array(part, { minLength: 1, maxLength: 3 }).map(buildFqn), { maxLength: 4 })
  fc.assert(fc.property(names, (list) => void expect(readCell(cellText(list), 'tags')).toEqual(list)))
})

it('an owner comes back as himself, whatever he is called, in his own row and in others', () => {
  const name = fc.tuple(
    fc.constantFrom('', 'user:', 'team:', 'team:user:'),
    fc.constantFrom('sales', 'a.b', ' "|', 'user:'),
  )
  const owner = fc.record({
    type: fc.constantFrom('user', 'team'),
    fullyQualifiedName: name.map((each) => buildFqn([each.join('')])),
  })
  const owners = fc.uniqueArray(owner, { selector: (each) => JSON.stringify(each), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(owners, owners, (some, others) => {
      const cell = readCell(cellText(cellOf({ owners: some }, 'owners')), 'owners') as string[]
      for (const present of [{ owners: some }, {}]) {
        const { owners: after } = withCells(present, new Map([['owners', ownItems(present, 'owners', cell)]]))
        const given = (after as (string | object)[]).map((each, at) =>
          each === some[at]?.fullyQualifiedName ? { type: some[at].type, fullyQualifiedName: each } : each,
        )
        expect(given).toEqual(some)
      }
      const typed = some.map(({ type, fullyQualifiedName }) => `${type}:${splitFqn(fullyQualifiedName)}`)
      const items = ownItems({ owners: others }, 'owners', typed)
      expect(withCells({ owners: others }, new Map([['owners', items]]))['owners']).toEqual(some)
    }),
  )
})

it('gives other requests turns while a long row is read', async () => {
  const most = 2 ** 24
  let turns = 0
  const count = (): NodeJS.Immediate => {
    turns++
    return (next = setImmediate(count))
  }
  let next = setImmediate(count)
  for await (const [cell] of csvRecords(Buffer.alloc(most))) expect(cell).toHaveLength(most)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(2)
})

it('refuses a row of more cells than are made in one piece', async () => {
  expect(await read(`a\n${','.repeat(9999)}`)).toEqual([['a'], Array.from({ length: 10_000 }, () => '')])
  await expect(read(`a\n${','.repeat(10_000)}`)).rejects.toThrow('more than 10000 cells in the row at line 2')
})
