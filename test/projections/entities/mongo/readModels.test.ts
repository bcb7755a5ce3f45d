import fc from '../../../support/fastCheck.ts'
import type { Document } from 'mongodb'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readMismatches } from '../../../../src/projections/entities/hierarchy.ts'
import { pointerId, openGeneration, advanceUpdate, stateId } from '../../../../src/projections/mongo/generations.ts'
import { decodeOrder, encodeOrder, placeOf } from '../../../../src/projections/entities/place.ts'
import { type EntityRow, entitiesProjection } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import {
  databaseOfTest,
  describeMongo,
  entityCollections,
  freshDatabase,
  mongoUrl,
  rowOf,
  singleServer,
  wordless,
  type MongoDatabase,
} from './support.ts'
import { searchFor } from '../contract/corpus.ts'
import { listOf } from '../contract/support.ts'
import { makeRow } from '../../../support/rows.ts'
import { applyRows, checkpointOf, applyBatch } from '../../../support/projecting.ts'
import { created, updated } from '../../../support/events.ts'
import { keepingOrder, startMongoProxy } from '../../../support/mongoProxy.ts'
import { parseStreamName, type RecordedEvent } from '../../../../src/events/events.ts'
import { entityId } from '../../../../src/kinds/names.ts'
import { preservesOrder, toUpsert, writeWithCheckpoint } from '../../../../src/projections/mongo/writes.ts'
import { entities, serverIndexes as entityIndexes } from '../../../../src/projections/entities/entityDocuments.ts'
import { idOf, storedField, tablesIn } from '../../../../src/projections/documents/mongoFields.ts'

const table = tablesIn(entities)(entities)

/** The field of a member of an entity. */
const field = (member: string): string => storedField(table, member)

/** The indexes of the collection, by its fields. */
const storedIndexes = Object.fromEntries(
  Object.entries<object>(entityIndexes).map(([name, keys]) => [
    name,
    Object.fromEntries(Object.keys(keys).map((member) => [field(member), 1])),
  ]),
)

/** The id of the document of an entity. */
const storedId = ({ id }: EntityRow): string => idOf(table, [id])

/** A write of a row over older ones. */
const replacing = (row: EntityRow) => {
  const { revision, fullyQualifiedName, id } = row
  const _id = storedId(row)
  return toUpsert(
    { _id, [field('revision')]: revision, [field('place')]: placeOf(fullyQualifiedName, id), [field('edges')]: null },
    { _id, [field('revision')]: { $lt: revision } },
  )
}

const ownedBy = (...targets: string[]) => targets.map((target) => ({ rel: 'owners', target }))

describe('orderly texts', () => {
  const text = fc.string({ unit: 'binary', maxLength: 8 })
  const edges = fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}')
  const odd = fc.string({ unit: edges, maxLength: 5 })
  const either = fc.oneof(text, odd)
  const compareUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

  test('compare as code points do, by code units and by bytes', () => {
    fc.assert(
      fc.property(either, either, (a, b) => {
        const expected = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(compareUnits(encodeOrder(a), encodeOrder(b))).toBe(expected)
        expect(Math.sign(Buffer.compare(Buffer.from(encodeOrder(a)), Buffer.from(encodeOrder(b))))).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  test('can be read back', () => {
    fc.assert(
      fc.property(either, (a) => decodeOrder(encodeOrder(a)) === a),
      { numRuns: 2000 },
    )
  })
})

const noLabels = { domains: [], owners: [] }

/** The commands for both projections that make documents of rows; the others are given no event: a checkpoint each. */
const forEach = ({ projections }: ReadModels, commands: readonly string[]): string[] =>
  [...commands, ...commands, ...projections.slice(2).map(() => 'update')].toSorted()

/** Name of the collection that is read. */
const pointed = async (db: MongoDatabase['db']): Promise<unknown> =>
  (
    await db
      .collection<{ _id: string; collection: string }>('read_models')
      .findOne({ _id: pointerId(entitiesProjection) })
  )?.collection

describeMongo('read models on MongoDB', () => {
  test('what the collection keeps beside its rows is none', async () => {
    const readModels = await (await databaseOfTest()).open()
    await applyRows(readModels, [rowOf()], 1n)
    expect(await readModels.get(stateId)).toBeUndefined()
    expect(await readModels.getMany([stateId])).toEqual(new Map())
  })

  test('a document near the limit of the server is kept', async () => {
    const readModels = await (await databaseOfTest()).open()
    const row = rowOf({ shownOnRequest: JSON.stringify({ text: 'words and words '.repeat(1_300_000) }) })
    await applyRows(readModels, [row], 1n)
    expect((await readModels.get(row.id))?.shownOnRequest.length).toBe(row.shownOnRequest.length)
  })

  test('a row with more relations than an index takes is kept whole, and found by the first of them', async () => {
    const readModels = await (await databaseOfTest()).open()
    const edges = Array.from({ length: 100_001 }, (_, index) => ({ rel: 'assets', target: `a${index}` }))
    const row = rowOf({ edges })
    await applyRows(readModels, [row], 1n)
    expect((await readModels.get(row.id))?.edges).toEqual(row.edges)
    expect(await readModels.relatedTo(['a89999'], 'assets', 1)).toHaveLength(1)
  })

  test('words that only a person had are gone with them, and come back with somebody else', async () => {
    const { open, db } = await databaseOfTest()
    const readModels = await open()
    const user = (name: string, revision: bigint, more: object) => makeRow(name, { kind: 'user', revision, ...more })
    const wordsStored = async (): Promise<string[]> => {
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
      const found = names
        .filter((name) => name.startsWith('search_'))
        .map((name) => db.collection(name).find().toArray())
      const stored = JSON.stringify(await Promise.all(found))
      return ['zebulonix', 'quarkson', 'phantomville', 'leaver'].filter((word) => stored.includes(word))
    }
    const told = { displayName: 'Zebulonix Quarkson', description: 'Lives in Phantomville' }
    await applyRows(readModels, [user('leaver', 0n, told), makeRow('a', { description: 'Quarkson' })], 1n)
    expect(await wordsStored()).toEqual(['zebulonix', 'quarkson', 'phantomville', 'leaver'])
    await applyRows(readModels, [user('leaver', 0n, told)], 2n)
    expect(await wordsStored()).toContain('zebulonix')
    await applyRows(readModels, [user('leaver', 1n, { displayName: 'Phantomville' })], 3n)
    expect(await wordsStored()).toEqual(['quarkson', 'phantomville', 'leaver'])
    await applyRows(readModels, [user('leaver', 2n, {}), user('other', 0n, { displayName: 'Zebulonix' })], 4n)
    expect(await wordsStored()).toEqual(['zebulonix', 'quarkson', 'leaver'])
    expect((await searchFor(readModels, 'zebulonxi', { kinds: ['user'] })).total).toBe(1)
  })

  test('rows of eight processes in any order end at the newest', async () => {
    const { open } = await databaseOfTest()
    const processes = await Promise.all(Array.from({ length: 8 }, () => open()))
    const ids = Array.from({ length: 10 }, () => crypto.randomUUID())
    const revisions = Array.from({ length: 10 }, (_, index) => BigInt(index))
    await Promise.all(
      processes.map(async (readModels, process) => {
        const rank = (revision: bigint): number => (Number(revision) * 7 + process * 3) % 10
        const order = revisions.toSorted((a, b) => rank(a) - rank(b))
        for (const revision of order) {
          const rows = ids.map((id) => rowOf({ id, fullyQualifiedName: id, revision, shownOnRequest: `"${revision}"` }))
          await applyRows(readModels, rows, revision)
        }
      }),
    )
    const [first] = processes
    const rows = [...(await (first as ReadModels).getMany(ids)).values()]
    expect(rows.map(({ shownOnRequest }) => shownOnRequest)).toEqual(ids.map(() => '"9"'))
    expect(await checkpointOf(first as ReadModels)).toBe(9n)
    expect((await first?.list(listOf({ limit: 0 })))?.total).toBe(10)
  })

  test('after closing every call says that the store is unavailable', async () => {
    const readModels = await (await databaseOfTest()).open()
    await readModels.close()
    const calls = [
      readModels.get('x'),
      readModels.list(listOf()),
      applyRows(readModels, [rowOf()], 1n),
      readModels.ping(),
      checkpointOf(readModels),
    ]
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } })
    }
  })

  test('totals follow what another process has applied', async () => {
    const { open } = await databaseOfTest()
    const [one, other] = [await open(), await open()]
    await applyRows(one, [rowOf()], 1n)
    expect((await other.list(listOf())).total).toBe(1)
    await applyRows(one, [rowOf()], 2n)
    expect((await other.list(listOf())).total).toBe(2)
    await applyRows(one, [rowOf()], 2n)
    expect((await other.list(listOf())).total).toBe(3)
  })

  test('totals follow what a process has applied that ended before its checkpoint', async () => {
    const { db, open } = await databaseOfTest()
    const [one, other] = [await open(), await open()]
    const row = rowOf()
    await applyRows(one, [row], 1n)
    expect((await other.list(listOf())).total).toBe(1)
    await db
      .collection<{ _id: string }>(String(await pointed(db)))
      .updateOne({ _id: storedId(row) }, { $set: { [field('status')]: 1 } })
    await applyRows(one, [], 2n)
    expect((await other.list(listOf())).total).toBe(0)
  })

  test('a total that is counted anew agrees with rows that were written before their checkpoint', async () => {
    const { db, open } = await databaseOfTest()
    const [one, other] = [await open(), await open()]
    const row = rowOf()
    await applyRows(one, [row], 1n)
    expect((await other.list(listOf())).total).toBe(1)
    await db
      .collection<{ _id: string }>(String(await pointed(db)))
      .updateOne({ _id: storedId(row) }, { $set: { [field('status')]: 1 } })
    expect((await other.list({ ...listOf(), countAnew: true })).total).toBe(0)
  })

  test('what is deleted and restored again and again is found by its name at every moment', async () => {
    const { open } = await databaseOfTest()
    const [writer, reader] = [await open(), await open()]
    const row = rowOf(wordless)
    await applyRows(writer, [row], 1n)
    let turns = 1n
    const turning = (async () => {
      for (const status of Array.from({ length: 60 }, () => ['deleted', 'live'] as const).flat())
        await applyRows(writer, [{ ...row, status, revision: turns++ }], turns)
    })()
    const found = new Set<string | undefined>()
    while (turns <= 120n) found.add((await reader.getByFqn(row.kind, row.fullyQualifiedName))?.status)
    await turning
    expect(found).toEqual(new Set(['live', 'deleted']))
  })

  test('a batch takes a write for its rows and one for the checkpoint after it, or one for both, for each projection', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const sent: string[] = []
    const { db, open } = await databaseOfTest()
    const readModels = await open({ onCommand: (command) => sent.push(Object.keys(command)[0] as string) })
    // Words that nobody has used before take an insert more.
    const beginning = () => rowOf({ revision: 0n, ...wordless })
    const first = beginning()
    await applyRows(readModels, [first], 1n)
    const ordered = await preservesOrder(db)
    // Once in the life of a process it is asked whether the server keeps the order.
    await applyRows(readModels, [{ ...beginning(), revision: 3n }], 1n)
    sent.length = 0
    await applyRows(readModels, [{ ...first, revision: 1n }, beginning()], 2n)
    const apart = ['insert', 'update', 'update']
    expect(sent.toSorted()).toEqual(forEach(readModels, ordered ? ['update'] : apart).toSorted())
    sent.length = 0
    await applyRows(readModels, [{ ...first, revision: 5n }], 3n)
    expect(sent.toSorted()).toEqual(forEach(readModels, ordered ? ['update'] : ['update', 'update']).toSorted())
    expect((await readModels.get(first.id))?.revision).toBe(5n)
    vi.advanceTimersByTime(1001)
    sent.length = 0
    await Promise.all(readModels.projections.map((each) => applyRows({ ...readModels, projections: [each] }, [], 4n)))
    // One for all.
    const looksAtPointers = 'find'
    expect(sent.toSorted()).toEqual([looksAtPointers, ...forEach(readModels, ['update'])].toSorted())
  })

  test.runIf(singleServer)(
    'on a server that keeps the order each projection takes one command for a batch',
    async () => {
      const proxy = await startMongoProxy(mongoUrl as string, keepingOrder)
      onTestFinished(() => proxy.close())
      const sent: string[] = []
      const { open } = await databaseOfTest()
      const onCommand = (command: object) => sent.push(Object.keys(command)[0] as string)
      const readModels = await open({ url: proxy.url, onCommand })
      const stream = `thing-${crypto.randomUUID()}`
      const write = async (revision: bigint): Promise<void> => {
        const made = revision === 0n ? created({}, { stream }) : updated({}, { stream })
        const event = { ...made, stream, revision, position: revision + 1n } as RecordedEvent
        const row = rowOf({ id: parseStreamName(stream).id, revision, fullyQualifiedName: `n${revision}` })
        const batch = { events: [event], position: event.position, rows: async () => [row], labelsOf: () => noLabels }
        await applyBatch(readModels, batch)
      }
      await write(0n)
      sent.length = 0
      await write(1n)
      expect(sent.filter((name) => !['find', 'hello'].includes(name))).toEqual(
        readModels.projections.map(() => 'update'),
      )
    },
  )

  test('collections can be divided by hashed ids: nothing else is unique, and each write names the id of its document', async () => {
    const sent: Readonly<Record<string, unknown>>[] = []
    const { db, open } = await databaseOfTest()
    const readModels = await open({ onCommand: (command) => sent.push(command) })
    const row = rowOf({ revision: 0n })
    await applyRows(readModels, [row, rowOf({ revision: 0n })], 1n)
    await applyRows(readModels, [{ ...row, revision: 5n }], 2n)
    const indexes = await Promise.all(
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => db.collection(name).indexes()),
    )
    expect(indexes.flat().filter(({ unique }) => unique === true)).toEqual([])
    const filters = sent.flatMap(({ updates, deletes }) => [updates ?? [], deletes ?? []].flat() as { q: Document }[])
    expect(filters.length).toBeGreaterThan(20)
    expect(filters.filter(({ q }) => typeof q['_id'] !== 'string')).toEqual([])
  })

  test('rows and the checkpoint after them are stored by one command, unless others came first', async () => {
    const { db, open } = await databaseOfTest()
    const readModels = await open()
    const [row, other] = [rowOf({ revision: 0n }), rowOf({ revision: 0n })]
    const [name = ''] = await entityCollections({ db })
    const { documents, state } = openGeneration(db, name)
    const store = (rows: readonly EntityRow[], position: bigint) =>
      writeWithCheckpoint(documents, rows.map(replacing), advanceUpdate({ position, applied: true }))
    expect(await store([row, other], 7n)).toEqual({ moved: true })
    expect(await store([{ ...row, revision: 1n }], 8n)).toEqual({ moved: true })
    const storedRevision = async () => (await readModels.getHeads([row.id])).get(row.id)?.revision
    expect([await checkpointOf(readModels), await storedRevision()]).toEqual([8n, 1n])
    expect(await store([row], 9n)).toBeUndefined()
    await state.updateOne({ _id: stateId }, { $set: { claim: 'x' } })
    expect((await store([{ ...row, revision: 2n }], 10n))?.moved).not.toBe(true)
    expect(await storedRevision()).toBe(2n)
  })

  test('what one process writes is what another one reads from then on', async () => {
    const { open } = await databaseOfTest()
    const [one, other] = [await open(), await open()]
    const first = rowOf({ id: entityId('thing', 'a'), fullyQualifiedName: 'a', position: 1n })
    const asked = async () => ({
      row: await other.get(first.id),
      named: await other.getByFqn('thing', 'a'),
      reference: (await other.getReferences([first.id])).get(first.id)?.reference,
      related: (await other.relatedTo(['u1'], 'owners', 10)).length,
    })
    await applyRows(one, [first], 1n)
    expect(await asked()).toEqual({ row: first, named: first, reference: first.reference, related: 0 })
    const second = { ...first, revision: 1n, position: 2n, reference: '{}', edges: ownedBy('u1') }
    await applyRows(one, [second], 2n)
    expect(await asked()).toEqual({ row: second, named: second, reference: '{}', related: 1 })
  })

  test('what many ask for at once is read at once, and each gets his own', async () => {
    // Once a second it is looked which collection is to be read.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const sent: string[] = []
    const readModels = await (
      await databaseOfTest()
    ).open({ onCommand: (command) => sent.push(Object.keys(command)[0] as string) })
    const rows = Array.from({ length: 50 }, (_, index) => rowOf({ edges: ownedBy(`u${index}`, 'all') }))
    await applyRows(readModels, rows, 1n)
    sent.length = 0
    const found = await Promise.all(rows.map(({ id }) => readModels.get(id)))
    expect(found).toEqual(rows)
    const related = await Promise.all(rows.map((_, index) => readModels.relatedTo([`u${index}`], 'owners', 10)))
    expect(related.map((each) => each.map(({ of, row }) => [of, row.id]))).toEqual(
      rows.map(({ id }, index) => [[`u${index}`, id]]),
    )
    const references = await Promise.all(rows.map(({ id }) => readModels.getReferences([id, 'nobody'])))
    expect(references.map((each) => [...each.keys()])).toEqual(rows.map(({ id }) => [id]))
    expect(sent.toSorted()).toEqual(['find', 'find', 'find', 'find'])
    sent.length = 0
    await Promise.all(rows.map((_, index) => readModels.countBelow('thing', `s${index}`)))
    expect(sent.filter((name) => name === 'find')).toHaveLength(1)
  })

  test('relations beyond what one query reads keep their order and their limit', async () => {
    const readModels = await (await databaseOfTest()).open()
    const [many, few] = ['many', 'few']
    const rows = Array.from({ length: 2100 }, (_, index) =>
      rowOf({
        fullyQualifiedName: `t${String(index).padStart(5, '0')}`,
        parent: many,
        edges: ownedBy(many),
        status: index % 3 === 1 ? 'deleted' : 'live',
      }),
    )
    const one = rowOf({ fullyQualifiedName: 'x', parent: few, edges: ownedBy(few, 'c', few) })
    const gone = rowOf({ fullyQualifiedName: 'a', parent: few, edges: ownedBy(few), status: 'gone' })
    await applyRows(readModels, [...rows, one, gone], 1n)
    const expected = [...rows.slice(0, 50).map(({ id }) => [many, id]), [few, one.id]]
    const related = await readModels.relatedTo([many, few], 'owners', 50)
    expect(related.map(({ of, row }) => [of, row.id])).toEqual(expected)
    const children = await readModels.childrenOf([many, few, 'nobody'], 'thing', 50)
    expect(children.map(({ of, row }) => [of, row.id])).toEqual(expected)
    const both = await readModels.relatedTo(['c', few], 'owners', 50)
    expect(both.map(({ of, row }) => [of, row.id])).toEqual([
      ['c', one.id],
      [few, one.id],
    ])
  })

  test('of very many relations none is missing whose end is deleted and restored meanwhile', async () => {
    const { db, open } = await databaseOfTest()
    const readModels = await open()
    const rows = Array.from({ length: 2100 }, (_, index) =>
      rowOf({ fullyQualifiedName: `t${String(index).padStart(5, '0')}`, parent: 'p', edges: ownedBy('u') }),
    )
    await applyRows(readModels, rows, 1n)
    const [turning = rowOf()] = rows
    const [name = ''] = await entityCollections({ db })
    const documents = db.collection<{ _id: string }>(name)
    let over = false
    const turn = async (): Promise<void> => {
      for (let status = 1; !over; status = 1 - status)
        await documents.updateOne({ _id: storedId(turning) }, { $set: { [field('status')]: status } })
    }
    const turned = turn()
    try {
      for (let again = 0; again < 60; again++) {
        const found = await Promise.all([
          readModels.relatedTo(['u'], 'owners', 5),
          readModels.childrenOf(['p'], 'thing', 5),
        ])
        expect(found.map((related) => related[0]?.row.id)).toEqual([turning.id, turning.id])
      }
    } finally {
      over = true
      await turned
    }
  })

  test('what shows the deleted with the others walks along one index in which a turning status moves nothing', async () => {
    const sent: { filter: Record<string, unknown>; sort?: object }[] = []
    const { open } = await databaseOfTest()
    const readModels = await open({ onCommand: (command) => void ('find' in command && sent.push(command as never)) })
    await applyRows(readModels, [rowOf({ parent: 'p', edges: ownedBy('u') })], 1n)
    const list = listOf({ include: 'all' })
    const reads = [
      () => readModels.list(list),
      () => readModels.list({ ...list, scopes: ['s'] }),
      () => readModels.list({ ...list, parent: 'p' }),
      () => readModels.list({ ...list, edges: ownedBy('u') }),
      () => readModels.list({ ...list, entityStatus: 'Draft' }),
      () => readModels.childrenOf(['p'], 'thing', 10),
      () => readModels.childrenOf(['p', 'q'], 'thing', 10),
      () => readModels.relatedTo(['u'], 'owners', 10),
    ]
    for (const read of reads) {
      sent.length = 0
      await read()
      const [walk] = sent.filter(({ filter }) => field('status') in filter)
      const { [field('status')]: status, [field('place')]: _, ...equal } = walk?.filter ?? {}
      // Of single statuses MongoDB merges one walk for each, and another index would be as good.
      expect(status).toEqual({ $lte: 1 })
      const walked = Object.values<object>(storedIndexes).filter((keys) => {
        const names = Object.keys(keys)
        const first = names.slice(0, names.indexOf(field('place')))
        const sorted = Object.keys(walk?.sort ?? {}).filter((name) => !first.includes(name))
        return (
          first.toSorted().join() === Object.keys(equal).toSorted().join() &&
          sorted.every((name) => name === field('place'))
        )
      })
      expect(walked.map((keys) => Object.keys(keys).slice(-2))).toContainEqual([field('place'), field('status')])
    }
  })
})

describeMongo('the collections on MongoDB', () => {
  let fresh: MongoDatabase
  beforeAll(async () => {
    fresh = await freshDatabase()
  })
  afterAll(() => fresh.dispose())

  test('a reader creates nothing and finds nothing', async () => {
    const reader = await fresh.open({ readOnly: true })
    expect(await checkpointOf(reader)).toBeUndefined()
    expect(await reader.get('x')).toBeUndefined()
    expect(await reader.list(listOf())).toEqual({ rows: [], total: 0, hasBefore: false, hasAfter: false })
    expect(await readMismatches(reader, 10, ['x'])).toEqual([])
    expect(await fresh.db.listCollections().toArray()).toEqual([])
  })

  test('of many processes that start at once one makes the collections', async () => {
    const [one] = await Promise.all(Array.from({ length: 8 }, () => fresh.open()))
    const names = (await fresh.db.listCollections().toArray()).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('entities_'))).toHaveLength(1)
    expect(names.filter((name) => name.startsWith('search_'))).toHaveLength(1)
    expect(names.filter((name) => name.startsWith('activity_'))).toHaveLength(1)
    expect(names.filter((name) => name.startsWith('tree_'))).toHaveLength(1)
    expect(names.filter((name) => name.startsWith('timeline_'))).toHaveLength(1)
    expect(names).toHaveLength(Number(one?.projections.length) + 1)
  })

  test('have the indexes that they need', async () => {
    const [name] = await entityCollections(fresh)
    const indexes = await fresh.db
      .collection(name as string)
      .listIndexes()
      .toArray()
    expect(Object.fromEntries(indexes.map(({ name, key }) => [name, key]))).toMatchObject(storedIndexes)
  })
})

describeMongo('an index that differs', () => {
  test('is named and refused', async () => {
    const { db, open } = await databaseOfTest()
    await (await open()).close()
    const [name = ''] = await entityCollections({ db })
    await db.collection(name).dropIndex('children')
    await db.collection(name).createIndex({ [field('parent')]: 1 }, { name: 'children' })
    const [first, second] = [field('parent'), field('status')]
    await expect(open()).rejects.toThrow(
      new RegExp(`"children".*\\{"${first}":1\\}, not \\{"${first}":1,"${second}":1,"_id":1\\}`),
    )
    await db.collection(name).dropIndex('children')
    await (await open()).ping()
  })

  test('only by its name is taken as it is, and not made again', async () => {
    const { db, open } = await databaseOfTest()
    await (await open()).close()
    const [name = ''] = await entityCollections({ db })
    const documents = db.collection(name)
    const before = await documents.listIndexes().toArray()
    const { key } = before.find((index) => index['name'] === 'children') as { key: Record<string, 1> }
    await documents.dropIndex('children')
    await documents.createIndex(key, { name: 'of_an_operator' })
    await (await open()).ping()
    const after = await documents.listIndexes().toArray()
    expect(after.map((index) => index['name'] as string).toSorted()).toEqual(
      before.map((index) => (index['name'] === 'children' ? 'of_an_operator' : (index['name'] as string))).toSorted(),
    )
  })
})
