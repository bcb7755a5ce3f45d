import { expect, it } from 'vitest'
import { changedNames, withDependencies } from '../../../src/api/entities/reads/answerDependencies.ts'
import { hashOf } from '../../../src/api/http/responseCache.ts'
import type { EventType } from '../../../src/events/events.ts'
import type { ListQuery } from '../../../src/projections/entities/port.ts'
import type { Api, CatalogRequest } from '../../../src/api/deps.ts'

const nothing = { list: () => ({ rows: [] }), relatedTo: () => [], childrenOf: () => [], countBelow: () => 0 }
const all = { kind: 'testCase', include: 'non-deleted', scopes: [], edges: [], limit: 10 } as const

const reads: readonly [string, (readModels: Api['readModels']) => Promise<unknown>][] = [
  ['a list', (readModels) => readModels.list(all)],
  ['what is related', (readModels) => readModels.relatedTo(['suite'], 'testSuite', 10)],
  ['children', (readModels) => readModels.childrenOf(['table'], 'testCase', 10)],
  ['a number of descendants', (readModels) => readModels.countBelow('testCase', 's.d.p.t')],
]

const dependenciesOf = async (read: (readModels: Api['readModels']) => Promise<unknown>) => {
  const api = { readModels: nothing, log: {}, history: {}, commands: { secretCodec: {} } }
  const { dependencies = new Set() } = await withDependencies(
    { api, isRepeated: true } as unknown as CatalogRequest,
    async ({ api: { readModels } }) => {
      await read(readModels)
      return { status: 200 }
    },
  )
  return ({ id, kind }: { id: string; kind: string }, type: EventType): boolean =>
    [...changedNames({ id, kind, edges: [] }, [{ type: 'Updated' }, { type }])].some((name) =>
      dependencies.has(hashOf(name)),
    )
}

it.each(reads)('An answer with %s is cached until anything is deleted or restored', async (_, read) => {
  const isStaleAfter = await dependenciesOf(read)
  const schema = { id: 'schema', kind: 'databaseSchema' }
  expect(isStaleAfter(schema, 'Updated')).toBe(false)
  for (const type of ['SoftDeleted', 'Restored', 'HardDeleted'] as const)
    expect(isStaleAfter(schema, type), type).toBe(true)
})

const narrowed: readonly [string, Partial<ListQuery>, EventType][] = [
  ['has a relation', { edges: [{ rel: 'testSuite', target: 'suite' }] }, 'Updated'],
  ['lacks one', { lacking: [{ rel: 'owners', target: '' }] }, 'Updated'],
  ['has a status', { entityStatus: 'Draft' }, 'Updated'],
  ['has children', { kind: 'table', children: [{ kind: 'testCase', some: true }] }, 'Created'],
]

it.each(narrowed)('A list of what %s is made anew when other entities come to have it', async (_, conditions, type) => {
  const isStaleAfter = await dependenciesOf((readModels) => readModels.list({ ...all, ...conditions }))
  expect(isStaleAfter({ id: 'case', kind: 'testCase' }, type)).toBe(true)
})
