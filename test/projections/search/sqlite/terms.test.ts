import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { statusNumber } from '../../../../src/projections/entities/row.ts'
import { openSqliteFile, type SqliteFile } from '../../../../src/projections/sqlite/file.ts'
import { parseSearchQuery, type SearchExpression } from '../../../../src/projections/search/query.ts'
import { firstMatching, matchFor, type Extent } from '../../../../src/projections/search/sqlite/match.ts'
import { indexTables, searchViews } from '../../../../src/projections/search/sqlite/indexFile.ts'
import { entityTables } from '../../../support/entityFile.ts'

const open = (): SqliteFile => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  const file = openSqliteFile({ path: join(folder, 'readModels.db') }, [entityTables, indexTables])
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
    INSERT INTO search_index (rowid, terms) SELECT key, '${terms}' FROM keys`)
  file.database.exec(`WITH RECURSIVE keys (key) AS (SELECT ${first} UNION ALL SELECT key + 1 FROM keys LIMIT ${count})
    INSERT INTO search (key, id, kind, status, place) SELECT key, key, 'thing', 0, key FROM keys`)
}

const found = (file: SqliteFile, q: string): number[] => {
  const { expression } = parseSearchQuery(q) as { expression: SearchExpression }
  const match = matchFor({ expression, parts: ['name'] }, file)
  const rows = file
    .statement('SELECT rowid FROM search_index WHERE search_index MATCH ? ORDER BY rowid')
    .all(match ?? '')
  return (rows as [number][]).flat()
}

test('an identifier is found written as one word and apart, however many entities have its words', () => {
  const file = open()
  add(file, 1, 2, 'norder nitem _ _ norderitem _')
  add(file, 3, 2, 'norder nitem ncode _ _ norderitemcode _')
  add(file, 5, 2, 'norderitem _')
  add(file, 7, 2, 'nitem norder _')
  const expected = [1, 2, 3, 4, 5, 6]
  expect(found(file, 'order_item')).toEqual(expected)
  add(file, 100, 10_001, 'nitem norder _')
  expect(found(file, 'order_item')).toEqual(expected)
})

const everything = { status: statusNumber.live, kinds: ['thing'] }

/** The first hits of a query among live entities, and what the index was asked for. */
const first = (file: SqliteFile, q: string, limit: number): { keys: readonly number[]; asked: unknown[] } => {
  const { expression } = parseSearchQuery(q) as { expression: SearchExpression }
  const asked: unknown[] = []
  const watched: SqliteFile = {
    ...file,
    statement: (sql) => {
      const statement = file.statement(sql)
      return {
        get: (...values) => (asked.push(values.at(-2)), statement.get(...values)),
        all: (...values) => statement.all(...values),
        run: statement.run.bind(statement),
        iterate: (...values) => statement.iterate(...values),
      }
    },
  }
  const matchAt = (extent: Extent): string | undefined => matchFor({ expression, parts: ['name'] }, file, extent)
  return { keys: firstMatching(watched, everything, limit, matchAt), asked }
}

test('a beginning that very many words have is not read to its end where some of them, or a shorter one, say as much', () => {
  const file = open()
  for (let word = 0; word < 50; word++) add(file, 1 + word * 10, 10, `ntable ntable${String(word).padStart(4, '0')} _`)
  const { keys, asked } = first(file, 'tabl*', 100)
  expect(keys).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  expect(asked).not.toContain('"ntabl" *')
  expect(first(file, 'tabl*', 1000).keys).toHaveLength(500)
  expect(first(file, '-tabl*', 1000).keys).toEqual([])
})

test('a beginning that very many words have finds all, and nothing else, where some of them, or a shorter one, would not', () => {
  const file = open()
  const words = Array.from({ length: 50 }, (_, word) => `ntable${String(word).padStart(4, '0')}`)
  words.forEach((word, index) => add(file, 1000 - 2 * index, 1, `${word} _`))
  add(file, 1, 1, 'ntablet _')
  add(file, 2, 1, 'ntabs _')
  const { keys, asked } = first(file, 'tabl*', 1000)
  expect(keys).toEqual([1, ...words.map((_, index) => 1000 - 2 * index).toReversed()])
  expect(asked).toContain('"ntabl" *')
  expect(first(file, '-tabl*', 1000).keys).toEqual([2])
  expect(first(file, 'table0049 -tabl*', 1000).keys).toEqual([])
})
