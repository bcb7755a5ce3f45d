import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import type { CatalogEvent } from '../../../src/events/events.ts'
import type { EventStore } from '../../../src/events/eventStore.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { entityId } from '../../../src/kinds/names.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import { rebuildReadModels, replay } from '../../../src/projections/readModels/rebuildReadModels.ts'
import { appendOk, newEvent } from '../../support/events.ts'
import { temporaryDataDir } from '../../support/service.ts'
import { describeMongo, freshDatabase, type MongoDatabase } from '../entities/mongo/support.ts'

const owner = { id: entityId('user', 'ann'), type: 'user', fullyQualifiedName: 'ann' }
const parent = { id: entityId('glossary', 'g'), type: 'glossary', fullyQualifiedName: 'g' }
const termId = entityId('glossaryTerm', 'g.fresh')
const list = { include: 'all', scopes: [], edges: [], limit: 5 } as const
const search = {
  deleted: false,
  from: 0,
  size: 5,
  sort: 'relevance',
  descending: false,
  expression: undefined,
} as const

/** Whether a process reads what was written last. */
const reads: Record<string, (readModels: ReadModels, position: bigint) => Promise<boolean>> = {
  'an entity by id': async ({ get }) => (await get(termId)) !== undefined,
  'an entity by name': async ({ getByFqn }) => (await getByFqn('glossaryTerm', 'g.fresh')) !== undefined,
  'several entities': async ({ getMany }) => (await getMany([termId])).size === 1,
  references: async ({ getReferences }) => (await getReferences([termId])).size === 1,
  'a list': async (readModels) => (await readModels.list({ ...list, kind: 'glossaryTerm' })).rows.length === 1,
  'a total': async (readModels) => (await readModels.list({ ...list, kind: 'glossaryTerm', limit: 0 })).total === 1,
  relations: async ({ relatedTo }) => (await relatedTo([owner.id], 'owners', 5)).length === 1,
  children: async ({ childrenOf }) => (await childrenOf([parent.id], 'glossaryTerm', 5)).length === 1,
  'what lies below': async ({ countBelow }) => (await countBelow('glossaryTerm', 'g')) === 1,
  'a search for all': async (readModels) =>
    (await readModels.search({ ...search, kinds: ['glossaryTerm'] })).hits.length === 1,
  suggestions: async ({ suggest }) => (await suggest('fre', ['glossaryTerm'], 5)).length === 1,
  activity: async ({ activity }) => (await activity({ limit: 5 })).rows[0]?.fullyQualifiedName === 'g.fresh',
  'activity at a position': async ({ activityAt }, position) => (await activityAt([position])).length === 1,
  'the end of the tree': async ({ treeLeaves }) => (await treeLeaves())?.hashes.length === 64,
  'tiles of the tree': async ({ treeTiles }) =>
    (await treeTiles([{ level: 0, number: 0 }])).values().next().value?.hashes.length === 64,
  'a list of the past': async ({ listAsOf }, position) =>
    (await listAsOf({ ...list, kind: 'glossaryTerm', position })).total === 1,
  'a position of the past': async ({ positionAt }, position) => (await positionAt(Date.now())) === position,
}

describeMongo('a process that has not noticed that a rebuild has taken the place of what it reads', () => {
  const folder = temporaryDataDir()
  let log: EventStore
  let database: MongoDatabase
  let position: bigint
  const readers = new Map<string, ReadModels>()

  const append = async (
    stream: string,
    fqn: string,
    data: Omit<Extract<CatalogEvent, { type: 'Created' }>['data'], 'name'>,
  ): Promise<bigint> => {
    const name = fqn.slice(fqn.lastIndexOf('.') + 1)
    const made = newEvent({ type: 'Created', data: { name, ...data } }, { stream, name: fqn })
    return (await appendOk(log, { stream, expected: 'no_stream', events: [made] })).position
  }

  beforeAll(async () => {
    // No time passes, so that nobody notices because time has passed.
    vi.useFakeTimers({ toFake: ['performance'] })
    log = await openSqliteEventStore({ path: join(folder.path, 'log.db') })
    database = await freshDatabase()
    const [writer, other] = [await database.open(), await database.open()]
    const options = { log, kindNamed, progress: () => undefined }
    await replay({ ...options, readModels: writer }, await append(`glossary-${parent.id}`, 'g', { members: {} }))
    for (const name of Object.keys(reads)) readers.set(name, await database.open())
    await rebuildReadModels({ ...options, readModels: other })
    const members = { glossary: parent, owners: [owner] }
    position = await append(`glossaryTerm-${termId}`, 'g.fresh', { parent, members })
    await replay({ ...options, readModels: other }, position)
  })

  afterAll(async () => {
    await database.dispose()
    await log.close()
    await folder.remove()
    vi.useRealTimers()
  })

  for (const [name, sees] of Object.entries(reads)) {
    test(`reads what was written after that all the same: ${name}`, async () => {
      expect(await sees(readers.get(name) as ReadModels, position)).toBe(true)
    })
  }
})
