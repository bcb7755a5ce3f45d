import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteFile, type SqliteFile } from '../../../../src/projections/sqlite/file.ts'
import { parseSearchQuery, type SearchExpression } from '../../../../src/projections/search/query.ts'
import { firstMatching, matchFor, termsIn } from '../../../../src/projections/search/sqlite/search.ts'
import { indexTables, searchViews } from '../../../../src/projections/search/sqlite/indexFile.ts'
import { entityTables } from '../../../support/entityFile.ts'
import { temporaryFolder } from '../../../support/folders.ts'

const open = async (): Promise<SqliteFile> => {
  const file = openSqliteFile({ path: join(await temporaryFolder(), 'readModels.db') }, [entityTables, indexTables])
  onTestFinished(() => file.close())
  file.database.exec(searchViews)
  return file
}

/** So many entities with the same terms, the first one with this key. */
const add = (file: SqliteFile, first: number, count: number, terms: string): void => {
  file.database.exec(`WITH RECURSIVE keys (key) AS (SELECT ${first} UNION ALL SELECT key + 1 FROM keys LIMIT ${count})
    INSERT INTO search_index (rowid, terms) SELECT key, '${terms}' FROM keys`)
  file.database.exec(`WITH RECURSIVE keys (key) AS (SELECT ${first} UNION ALL SELECT key + 1 FROM keys LIMIT ${count})
    INSERT INTO search (key, id, kind, status, place) SELECT key, key, 'thing', 0, key FROM keys`)
}

const found = (file: SqliteFile, q: string): number[] => {
  const { expression } = parseSearchQuery(q) as { expression: SearchExpression }
  const match = matchFor({ expression, parts: ['name'] }, termsIn(file))
  const rows = file
    .statement('SELECT rowid FROM search_index WHERE search_index MATCH ? ORDER BY rowid')
    .all(match ?? '')
  return (rows as [number][]).flat()
}

test('an identifier is found written as one word and apart, however many entities have its words', async () => {
  const file = await open()
  add(file, 1, 2, 'norder nitem _ _ norderitem _')
  add(file, 3, 2, 'norder nitem ncode _ _ norderitemcode _')
  add(file, 5, 2, 'norderitem _')
  add(file, 7, 2, 'nitem norder _')
  const expected = [1, 2, 3, 4, 5, 6]
  expect(found(file, 'order_item')).toEqual(expected)
  add(file, 100, 10_001, 'nitem norder _')
  expect(found(file, 'order_item')).toEqual(expected)
})

const everything = { status: 'live', kinds: ['thing'] } as const

/** The first hits of a query among live entities. */
const first = (file: SqliteFile, q: string, limit: number): readonly number[] => {
  const { expression } = parseSearchQuery(q) as { expression: SearchExpression }
  return firstMatching(file, everything, matchFor({ expression, parts: ['name'] }, termsIn(file)) as string, limit)
}

test.each([10, 50])('a beginning that %i words have finds all of these, in order, and nothing else', async (count) => {
  const file = await open()
  const words = Array.from({ length: count }, (_, word) => `ntable${String(word).padStart(4, '0')}`)
  words.forEach((word, index) => add(file, 1000 - 2 * index, 1, `${word} _`))
  add(file, 1, 1, 'ntablet _')
  add(file, 2000, 40, 'ntablea _')
  add(file, 2, 1, 'ntabs _')
  const often = Array.from({ length: 40 }, (_, index) => 2000 + index)
  const all = [1, ...words.map((_, index) => 1000 - 2 * index).toReversed(), ...often]
  expect(first(file, 'tabl*', 1000)).toEqual(all)
  expect(first(file, 'tabl*', 7)).toEqual(all.slice(0, 7))
  expect(first(file, '-tabl*', 1000)).toEqual([2])
  expect(first(file, 'table0009 -tabl*', 1000)).toEqual([])
})
