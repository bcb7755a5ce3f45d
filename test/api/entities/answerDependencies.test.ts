import { expect, it } from 'vitest'
import { changedNames, withDependencies } from '../../../src/api/entities/reads/answerDependencies.ts'
import { hashOf } from '../../../src/api/http/responseCache.ts'
import type { Api, CatalogRequest } from '../../../src/api/deps.ts'

const nothing = { list: () => ({ rows: [] }), relatedTo: () => [], childrenOf: () => [], countBelow: () => 0 }
const all = { kind: 'testCase', include: 'non-deleted', scopes: [], edges: [], limit: 10 } as const

const reads: readonly [string, (readModels: Api['readModels']) => Promise<unknown>][] = [
  ['a list', (readModels) => readModels.list(all)],
  ['a list by a relation', (readModels) => readModels.list({ ...all, edges: [{ rel: 'testSuite', target: 'suite' }] })],
  [
    'a list of what lacks a relation',
    (readModels) => readModels.list({ ...all, lacking: [{ rel: 'owners', target: '' }] }),
  ],
  ['what is related', (readModels) => readModels.relatedTo(['suite'], 'testSuite', 10)],
  ['children', (readModels) => readModels.childrenOf(['table'], 'testCase', 10)],
  ['a number of descendants', (readModels) => readModels.countBelow('testCase', 's.d.p.t')],
]

it.each(reads)('An answer with %s is cached until something is deleted or restored, above it too', async (_, read) => {
  const api = { readModels: nothing, log: {}, history: {}, timelineRows: {}, commands: { secretCodec: {} } }
  const { dependencies = new Set() } = await withDependencies(
    { api, isRepeated: true } as unknown as CatalogRequest,
    async ({ api: { readModels } }) => {
      await read(readModels)
      return { status: 200 }
    },
  )
  const schema = { id: 'schema', kind: 'databaseSchema', fullyQualifiedName: 's.d.p', edges: [] }
  const isStaleAfter = (type: 'Updated' | 'SoftDeleted' | 'Restored' | 'HardDeleted'): boolean =>
    changedNames(schema, [{ type }]).some((name) => dependencies.has(hashOf(name)))
  expect(isStaleAfter('Updated')).toBe(false)
  for (const type of ['SoftDeleted', 'Restored', 'HardDeleted'] as const) expect(isStaleAfter(type), type).toBe(true)
})
