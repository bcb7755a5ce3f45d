import { setImmediate as nextTurn } from 'node:timers/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { streamName, type RecordedEvent } from '../../../src/events/events.ts'
import type { EntityRow } from '../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import { openIndex, searchPathOf } from '../../../src/projections/search/sqlite/indexFile.ts'
import { indexEntitiesOf } from '../../../src/projections/search/sqlite/indexing.ts'
import { openSqliteReadModels, type SqliteReadModelsOptions } from '../../../src/projections/embedded/readModels.ts'
import { corpus, everywhere, searchFor, shortNames } from '../entities/contract/corpus.ts'
import { rebuilding } from '../entities/contract/rebuilding.ts'
import { applyBatch, applyRows, labelsOf } from '../../support/projecting.ts'
import { makeRow } from '../../support/rows.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { makeWith } from './workers.ts'

const openWith = async (some: Partial<SqliteReadModelsOptions> = {}) => {
  const { readModels, dispose } = await makeWith({ readThreads: true, ...some })()
  onTestFinished(dispose)
  return readModels
}

rebuilding(makeWith({ readThreads: true, commitEvery: 60_000 }))

const queries = [
  'orders',
  'cust*',
  '"orders of customers"',
  'tags:pii',
  'sku OR NOT sales',
  'custmer',
  '京大',
  '*',
  'no',
]

/** Every search gives the same, in the same order. */
const expectSame = async (beside: ReadModels, here: ReadModels): Promise<void> => {
  for (const some of [
    {},
    { deleted: true },
    { sort: 'name', size: 3 },
    { sort: 'updatedAt', descending: true, from: 1 },
    { highlight: true, facets: ['kind', 'tag'] },
  ] as const)
    for (const q of queries) expect(await searchFor(beside, q, some)).toEqual(await searchFor(here, q, some))
  for (const prefix of ['order', 's', 'CAF', ''])
    expect(await beside.suggest(prefix, ['thing', 'domain'], 5)).toEqual(
      await here.suggest(prefix, ['thing', 'domain'], 5),
    )
}

describe('a search in a thread', () => {
  it('finds the same, in the same order, as one here', async () => {
    const [beside, here] = [await openWith({ commitEvery: 60_000 }), await openWith({ readThreads: false })]
    for (const readModels of [beside, here]) await applyRows(readModels, corpus, 1n)
    await expectSame(beside, here)
  })

  it('finds the same in an index that has a file of its own', async () => {
    const path = join(await temporaryFolder(), 'readModels.db')
    const followed = { path: 'of nobody' }
    const apart = await openSqliteReadModels({ path, followed, readThreads: true, commitEvery: 60_000 })
    onTestFinished(() => apart.close())
    const here = await openWith({ readThreads: false })
    for (const readModels of [apart, here]) await applyRows(readModels, corpus, 1n)
    await apart.search({ expression: undefined, ...everywhere })
    const index = openIndex({ path: searchPathOf(path), entities: path })
    const events = corpus.map(({ kind, id }) => ({ stream: streamName(kind, id) }) as RecordedEvent)
    index.transaction(() => indexEntitiesOf(index, events))
    index.close()
    await expectSame(apart, here)
  })

  it('finds what was applied before it was asked, whatever is being asked and applied at the time', async () => {
    const readModels = await openWith({ commitEvery: 60_000 })
    const asked: Promise<void>[] = []
    for (let at = 1; at <= 60; at += 1) {
      await applyRows(readModels, [makeRow(`shop.word${at}`, { displayName: `turn${at}` })], BigInt(at))
      asked.push(
        searchFor(readModels, `turn${at}`).then((found) => expect(shortNames(found)).toContain(`word${at}`)),
        searchFor(readModels, '*').then(({ total }) => expect(total).toBeGreaterThanOrEqual(at)),
      )
    }
    await Promise.all(asked)
  })

  it('keeps the words of what is only deleted and restored, without reading them', async () => {
    const readModels = await openWith({ readThreads: false })
    const projections = readModels.projections.filter(({ name }) => name === 'entities' || name === 'search')
    const apply = (type: string, row: EntityRow) => {
      const event = { stream: streamName(row.kind, row.id), type, revision: row.revision } as RecordedEvent
      const [events, position] = [[event], row.revision]
      return applyBatch(readModels, { events, position, rows: async () => [row], labelsOf }, { position }, projections)
    }
    const found = async (q: string) => [
      await searchFor(readModels, q),
      await searchFor(readModels, q, { deleted: true }),
    ]
    const totals = async (q: string) => (await found(q)).map(({ total }) => total)
    await apply('Created', makeRow('shop.one', { displayName: 'early' }))
    // No such event changes the name: where it is found by another one, its words were read again.
    await apply('SoftDeleted', makeRow('shop.one', { displayName: 'late', revision: 1n, status: 'deleted' }))
    expect([await totals('early'), await totals('late')]).toEqual([
      [0, 1],
      [0, 0],
    ])
    await apply('Restored', makeRow('shop.one', { displayName: 'late', revision: 2n }))
    expect([await totals('early'), await totals('late')]).toEqual([
      [1, 0],
      [0, 0],
    ])
    const missed = makeRow('shop.one', { displayName: 'late', revision: 4n, status: 'deleted' })
    await apply('SoftDeleted', missed)
    expect([await totals('early'), await totals('late')]).toEqual([
      [0, 0],
      [0, 1],
    ])
  })

  it('shows nothing that was deleted while it was done', async () => {
    const readModels = await openWith({ commitEvery: 60_000 })
    const row = (revision: bigint, status: 'live' | 'deleted') => makeRow('shop.blinking', { revision, status })
    for (let at = 1; at <= 60; at += 1) {
      await applyRows(readModels, [row(BigInt(at), at % 2 === 1 ? 'live' : 'deleted')], BigInt(at))
      const found = searchFor(readModels, 'blinking')
      await applyRows(readModels, [row(BigInt(at) + 1n, at % 2 === 1 ? 'deleted' : 'live')], BigInt(at) + 1n)
      for (const { row: hit } of (await found).hits) expect(hit.status).toBe('live')
    }
  })

  it('a search in a thread that has begun is answered when the read models are closed', async () => {
    const readModels = await openWith()
    await applyRows(readModels, corpus, 1n)
    await searchFor(readModels, 'orders')
    const found = searchFor(readModels, 'orders')
    await nextTurn()
    await readModels.close()
    expect((await found).total).toBe(5)
  })
})
