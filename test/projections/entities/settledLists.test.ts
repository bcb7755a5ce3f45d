import { expect, test } from 'vitest'
import type { ListKey, ListQuery } from '../../../src/projections/entities/port.ts'
import type { Region } from '../../../src/projections/entities/pending.ts'
import type { ListRow } from '../../../src/projections/entities/row.ts'
import { listSettled } from '../../../src/projections/entities/settledReads.ts'

const kind = 'glossaryTerm'
const rowOf = (name: string) => ({ id: name, fullyQualifiedName: name, kind }) as ListRow

/** A store whose pages hold so many rows, which is how much text fits into them. */
const listsOf = (names: readonly string[], most: number) => ({
  countSettled: async () => names.length,
  list: async ({ scopes, after, before, limit }: ListQuery) => {
    const found = names
      .filter((name) => scopes.every((scope) => name.startsWith(`${scope}.`)))
      .filter((name) => name > (after?.fullyQualifiedName ?? '') && name < (before?.fullyQualifiedName ?? '~'))
    const length = Math.min(limit, most)
    const rows = (before === undefined ? found.slice(0, length) : found.slice(-length)).map(rowOf)
    const more = found.length > rows.length
    return {
      rows,
      total: names.length,
      hasBefore: more && before !== undefined,
      hasAfter: more && before === undefined,
    }
  },
})

const region = (name: string, status: Region['status']): Region => ({
  id: name,
  kind,
  fullyQualifiedName: name,
  status,
  kinds: new Set([kind]),
})

const query: ListQuery = { kind, include: 'non-deleted', scopes: [], edges: [], limit: 5 }

test('a list goes on behind a page that is cut by its text and has only what is hidden', async () => {
  const regions = [region('g', 'live'), region('g.a', 'deleted')]
  expect((await listSettled(listsOf(['g.a.x', 'g.b'], 1), regions, query)).rows).toEqual([rowOf('g.b')])
})

test.each(['after', 'before'] as const)(
  'pages %s a place have every row once where what is pending and what is beside it are cut by their texts',
  async (direction) => {
    const names = ['a.1', 'a.2', 'a.3', 'b.1', 'b.2', 'b.3', 'b.4', 'c.1', 'c.2']
    const seen: string[] = []
    let key: ListKey | undefined = { fullyQualifiedName: direction === 'after' ? '' : '~', id: '' }
    while (key !== undefined) {
      const page = await listSettled(listsOf(names, 2), [region('b', 'live')], { ...query, [direction]: key })
      seen.push(...page.rows.map(({ fullyQualifiedName }) => fullyQualifiedName))
      if (direction === 'after') key = page.hasAfter ? page.rows.at(-1) : undefined
      else key = page.hasBefore ? page.rows[0] : undefined
    }
    expect(seen.toSorted()).toEqual(names)
  },
)
