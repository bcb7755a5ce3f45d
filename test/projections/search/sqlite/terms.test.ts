import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteFile, type SqliteFile } from '../../../../src/projections/sqlite/file.ts'
import { entityTables } from '../../../../src/projections/entities/sqlite/tables.ts'
import { parseSearchQuery, type SearchExpression } from '../../../../src/projections/search/language/query.ts'
import { matchFor } from '../../../../src/projections/search/sqlite/match.ts'
import { searchTables, searchViews } from '../../../../src/projections/search/sqlite/tables.ts'
import { termsIn } from '../../../../src/projections/search/sqlite/terms.ts'

const open = (): SqliteFile => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  const file = openSqliteFile({ path: join(folder, 'readModels.db') }, [entityTables, searchTables])
  onTestFinished(() => {
    file.close()
    rmSync(folder, { recursive: true, force: true })
  })
  file.database.exec(searchViews)
  return file
}

/** So many entities with the same terms, the first one with this key. */
const add = (file: SqliteFile, first: number, count: number, terms: string): void => {
  file.database.exec(`WITH RECURSIVE keys (key) AS (SELECT ${first} UNION ALL SELECT key + 1 FROM keys LIMIT ${count})
    INSERT INTO search_live (rowid, terms) SELECT key, '${terms}' FROM keys`)
}

const found = (file: SqliteFile, q: string): number[] => {
  const { expression } = parseSearchQuery(q) as { expression: SearchExpression }
  const match = matchFor({ expression, parts: ['name'] }, termsIn(file, 'search_live'))
  const rows = file.statement('SELECT rowid FROM search_live WHERE search_live MATCH ? ORDER BY rowid').all(match ?? '')
  return (rows as [number][]).flat()
}

test('the rarest of some terms is the one that the fewest entities have, unless very many have each of them', () => {
  const file = open()
  add(file, 1, 10_001, 'ncommon nusual _')
  add(file, 20_001, 1500, 'nseldom _')
  add(file, 30_001, 3, 'nrare _')
  const rarest = (...terms: string[]): string | undefined => termsIn(file, 'search_live').rarest(terms)
  expect(rarest('ncommon', 'nseldom', 'nrare')).toBe('nrare')
  expect(rarest('ncommon', 'nseldom')).toBe('nseldom')
  expect(rarest('nseldom', 'nnothing')).toBe('nnothing')
  expect(rarest('ncommon', 'nusual')).toBeUndefined()
  expect(rarest('ncommon', 'nusual')).toBeUndefined()
})

test('an identifier is found written as one word and apart, however many entities have its words', () => {
  const file = open()
  add(file, 1, 2, 'norder nitem _ _ norderitem _')
  add(file, 3, 2, 'norder nitem ncode _ _ norderitemcode _')
  add(file, 5, 2, 'norderitem _')
  add(file, 7, 2, 'nitem norder _')
  const expected = [1, 2, 3, 4, 5, 6]
  expect(found(file, 'order_item')).toEqual(expected)
  add(file, 100, 10_001, 'nitem norder _')
  expect(termsIn(file, 'search_live').rarest(['norder', 'nitem'])).toBeUndefined()
  expect(found(file, 'order_item')).toEqual(expected)
})
