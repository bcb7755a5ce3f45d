import { expect, test } from 'vitest'
import type { ListQuery } from '../../../src/projections/entities/port.ts'
import type { Region } from '../../../src/projections/entities/pending.ts'
import type { ListRow } from '../../../src/projections/entities/row.ts'
import { listSettled } from '../../../src/projections/entities/settledLists.ts'

test('a list goes on behind a page that is cut by its text and has only what is hidden', async () => {
  const kind = 'glossaryTerm'
  const rows = ['g.a.x', 'g.b'].map((name) => ({ id: name, fullyQualifiedName: name, kind }) as ListRow)
  /** Pages hold one row, which is how much text fits into them. */
  const lists = {
    countSettled: async () => 1,
    list: async ({ scopes, after }: ListQuery) => {
      const left = scopes.includes('g')
        ? rows.filter((row) => row.fullyQualifiedName > (after?.fullyQualifiedName ?? ''))
        : []
      return { rows: left.slice(0, 1), total: 1, hasBefore: false, hasAfter: left.length > 1 }
    },
  }
  const region = { id: 'g', kind: 'glossary', fullyQualifiedName: 'g', status: 'live', kinds: new Set([kind]) } as const
  const deleted: Region = { ...region, id: 'g.a', kind, fullyQualifiedName: 'g.a', status: 'deleted' }
  const query: ListQuery = { kind, include: 'non-deleted', scopes: [], edges: [], limit: 10 }
  expect((await listSettled(lists, [region, deleted], query)).rows).toEqual([rows[1]])
})
