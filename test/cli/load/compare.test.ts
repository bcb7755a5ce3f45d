import { describe, expect, it } from 'vitest'
import { changesOf } from '../../../src/cli/load/compare.ts'
import type { JsonObject } from '../../../src/shared/json.ts'

const paths = (wanted: JsonObject, standing: JsonObject): string[] =>
  changesOf(wanted, standing).map(({ path }) => path)

describe('what a create request would change', () => {
  it('is nothing where all of it stands, references by their names', () =>
    expect(
      paths(
        { name: 't', databaseSchema: 'a.b', tags: ['PII.Email', 'dbt.x'], columns: [{ name: 'c', dataType: 'INT' }] },
        {
          name: 't',
          databaseSchema: { id: '1', fullyQualifiedName: 'a.b' },
          tags: [{ tagFQN: 'dbt.x' }, { tagFQN: 'PII.Email' }],
          columns: [{ name: 'c', dataType: 'INT', description: 'by hand', ordinalPosition: 1 }],
          version: 0.3,
        },
      ),
    ).toEqual([]))

  it('is nothing where constraints only stand in another order, and something where one is another', () => {
    const on = (constraintType: string) => ({ constraintType, columns: ['a'] })
    const [key, unique, foreign] = [on('PRIMARY_KEY'), on('UNIQUE'), on('FOREIGN_KEY')]
    expect(paths({ tableConstraints: [key, unique] }, { tableConstraints: [unique, key] })).toEqual([])
    expect(paths({ tableConstraints: [key, unique] }, { tableConstraints: [unique, foreign] })).toEqual([
      'tableConstraints',
    ])
  })

  it('is told column by column, at any depth', () =>
    expect(
      paths(
        {
          columns: [
            { name: 'a', dataType: 'STRUCT', children: [{ name: 'x', dataType: 'INT', description: 'new' }] },
            { name: 'b.c', dataType: 'INT' },
          ],
        },
        {
          columns: [
            { name: 'a', dataType: 'STRUCT', children: [{ name: 'x', dataType: 'INT' }] },
            { name: 'gone', dataType: 'INT' },
          ],
        },
      ),
    ).toEqual(['columns.a.children.x.description', 'columns."b.c"', 'columns.gone']))

  it('tells what people may write from the rest, and what has no value yet', () =>
    expect(
      changesOf(
        { description: 'new', displayName: 'D', tags: ['a.b'], tableType: 'View' },
        { description: 'old', tags: [], tableType: 'Regular' },
      ).map(({ describes, fills }) => [describes, fills]),
    ).toEqual([
      [true, false],
      [true, true],
      [true, true],
      [false, false],
    ]))

  it('can be left out, and then stays as it is', () => {
    const wanted: JsonObject = { description: 'new', columns: [{ name: 'a', description: 'new' }] }
    for (const change of changesOf(wanted, { description: 'old', columns: [{ name: 'a', description: 'old' }] }))
      change.exclude()
    expect(wanted).toEqual({ columns: [{ name: 'a' }] })
  })
})
