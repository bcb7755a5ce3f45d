import type { Collection, Filter } from 'mongodb'
import {
  stateFields,
  stateId,
  type Generation,
  type Indexes,
  type StateDocument,
  type Stored,
} from '../mongo/generations.ts'
import {
  openMongoProjection,
  mongoBatching,
  mongoCrowd,
  type MongoLayout,
  type MongoProjectionOptions,
} from '../mongo/mongoProjection.ts'
import { readsIn, type GenerationReads } from '../mongo/reading.ts'
import { toUpsert, type DocumentChanges } from '../mongo/writes.ts'
import {
  conditionsIn,
  isRange,
  isValuesOf,
  partsOf,
  type BatchWrite,
  type Condition,
  type DocumentLayout,
  type ServerDocuments,
  type DocumentProjection,
  type Query,
  type MemberLayout,
  type DocumentMatch,
  type DocumentWrite,
} from './port.ts'
import {
  documentsOf,
  elementsField,
  fieldsOf,
  setFields,
  idOf,
  isElement,
  isIdIn,
  membersIn,
  storedField,
  pathTo,
  toStored,
  tablesIn,
  tablesOfLayout,
  type Fields,
  type CollectionTable,
} from './mongoFields.ts'
import { batchReads } from '../../shared/batchReads.ts'
import { chunksOf } from '../../shared/bounds.ts'
import { memoize } from '../../shared/memoize.ts'

type Documents = Collection<Stored>

/** The value or values to compare with; those of other documents are read. */
const operandOf = async (
  layout: CollectionTable,
  member: string,
  value: unknown,
  documents: Documents,
): Promise<unknown> => {
  const of = (one: unknown) => (storedField(layout, member) === '_id' ? idOf(layout, [one]) : one)
  if (!isValuesOf(value)) return Array.isArray(value) ? value.map(of) : of(value)
  const other = layout.other(value.of)
  const name = storedField(other, value.member)
  const filter = await filterOf(other, value.where, documents)
  const found = await documents
    .find(filter)
    .project<Record<string, unknown>>({ _id: 0, [name]: 1 })
    .toArray()
  const values = [...new Set(found.flatMap((each) => each[name] ?? []))]
  return name === '_id' ? values : values.map(of)
}

const conditionOf = async (layout: CollectionTable, member: string, condition: Condition, documents: Documents) => {
  if (!isRange(condition)) return operandOf(layout, member, condition, documents)
  const isSpan = layout.members[member] === 'list' && condition.$in === undefined && condition.$nin === undefined
  const operators = Object.entries(condition).map(
    async ([operator, value]) => [operator, await operandOf(layout, member, value, documents)] as const,
  )
  const range = Object.fromEntries(await Promise.all(operators))
  return isSpan ? { $elemMatch: range } : range
}

/** Conditions on elements in one match are about the same element. */
const filterOf = async (
  layout: CollectionTable,
  where: DocumentMatch<object>,
  documents: Documents,
): Promise<Filter<Stored>> => {
  const all = (matches: readonly DocumentMatch<object>[] | undefined) =>
    matches && Promise.all(matches.map((each) => filterOf(layout, each, documents)))
  const filter: Fields = {}
  const element: Fields = {}
  for (const [member, of] of conditionsIn(where))
    (isElement(layout, member) ? element : filter)[storedField(layout, member)] = await conditionOf(
      layout,
      member,
      of,
      documents,
    )
  const [$or, $and, $nor] = [await all(where.$or), await all(where.$and), await all(where.$nor)]
  return {
    ...filter,
    ...(Object.keys(element).length > 0 && { [elementsField]: { $elemMatch: element } }),
    ...($or && { $or }),
    ...($and && $and.length > 0 && { $and }),
    ...($nor && { $nor }),
  }
}

const sortOf = (layout: CollectionTable, { sort = {} }: Query<object>): Record<string, 1 | -1> =>
  Object.fromEntries(Object.entries<1 | -1>(sort).map(([member, sign]) => [storedField(layout, member), sign]))

const idsAtOnce = 2000

/** Milliseconds that a read waits for a running one, so that under load fewer commands read more. */
const batchDelay = 20

/** Reads documents by id, with the state in the same command. Reads of one tick of the event loop are combined. */
const makeGetter = (
  layout: CollectionTable,
  { readWithState }: Pick<GenerationReads, 'readWithState'>,
  members: readonly string[],
) => {
  const fields = { ...fieldsOf(layout, members), ...stateFields }
  return batchReads(
    (ids) =>
      readWithState(async ({ documents }) => {
        const found = new Map<string, object>()
        let state: StateDocument | undefined
        for (const some of chunksOf(ids, idsAtOnce)) {
          const read = documents.find({ _id: { $in: [stateId, ...some] } }).project<Stored>(fields)
          for (const stored of await read.batchSize(idsAtOnce + 1).toArray())
            if (stored._id === stateId) state = stored as unknown as StateDocument
            else found.set(stored._id, membersIn(layout, stored, members))
        }
        return { state, complete: found.size === new Set(ids).size, result: () => found }
      }),
    batchDelay,
  )
}

const documentsIn = <D>(layout: CollectionTable, reader: GenerationReads): ServerDocuments<D> => {
  const getter = memoize((members: readonly string[]) => makeGetter(layout, reader, members))
  return {
    embedded: false,
    in: (table) => documentsIn(layout.other(table), reader),
    together: (work) => reader.read((generation) => work(documentsIn(layout, readsIn(generation, reader.count)))),
    count: ({ where, limit }) =>
      reader.read(async (generation) => {
        const filter = await filterOf(layout, where as DocumentMatch<object>, generation.documents)
        return limit === undefined
          ? reader.count(generation, filter)
          : generation.documents.countDocuments(filter, { limit })
      }),
    countBy: (list, where) =>
      reader.read(async ({ documents }) => {
        const name = storedField(layout, list)
        const counted = documents.aggregate<{ _id: string; count: number }>([
          { $match: await filterOf(layout, where as DocumentMatch<object>, documents) },
          { $project: { [name]: 1 } },
          { $unwind: `$${name}` },
          { $group: { _id: `$${name}`, count: { $sum: 1 } } },
        ])
        return (await counted.toArray()).map(({ _id, count }) => [_id, count] as const)
      }),
    find: (query) =>
      reader.read(async ({ documents }) => {
        const { where, members, limit = Infinity, skip = 0, only, while: isWanted } = query
        const end = only === undefined ? limit : skip + limit
        const fields = fieldsOf(layout, members)
        const cursor = documents
          .find(await filterOf(layout, where as DocumentMatch<object>, documents))
          .sort(sortOf(layout, query as Query<object>))
          .skip(only === undefined ? skip : 0)
          .limit(only === undefined ? (query.limit ?? 0) : 0)
          .project<Stored>(fields ?? {})
        const most = only === undefined ? maxBatchSize : maxFilteredBatchSize
        const all: D[] = []
        for await (const stored of cursor.batchSize(Math.min(end + 1, most))) {
          const read = documentsOf(layout, stored, members as string[] | undefined) as D[]
          if (isWanted !== undefined && !read.every(isWanted)) break
          all.push(...(only === undefined ? read : read.filter(only)))
          if (all.length >= end) break
        }
        return only === undefined ? all : all.slice(skip)
      }),
    get: async (keys, members) => {
      const ids = keys.map((key) => idOf(layout, [key]))
      return [...(await getter(members)(ids)).values()] as D[]
    },
  }
}

/** Documents per reply of a server; fewer if `only` drops some of them here. */
const maxBatchSize = 10_000
const maxFilteredBatchSize = 1000

/** The changes of a write; for a put or set the values of other documents may have to be read. */
const changesOf = async (
  layout: CollectionTable,
  write: DocumentWrite<object>,
  documents: Documents,
): Promise<DocumentChanges> => {
  if ('add' in write) return { added: [toStored(layout, [write.add])] }
  if ('addAll' in write) return { added: [toStored(layout, write.addAll)] }
  if ('remove' in write)
    return { updates: [{ deleteMany: { filter: await filterOf(layout, write.remove, documents) } }] }
  if ('put' in write) {
    const stored = toStored(layout, [write.put])
    return { upserts: [toUpsert(stored, { _id: stored._id, ...(await filterOf(layout, write.over, documents)) })] }
  }
  if (!('set' in write)) throw new Error('Totals and changes are written by the embedded engine only.')
  // Some servers find the element to update only by a condition on its path.
  const paths = conditionsIn(write.where).flatMap(([member, of]) =>
    isElement(layout, member) && !isRange(of) ? [[pathTo(layout, member), of] as const] : [],
  )
  const filter = { ...(await filterOf(layout, write.where, documents)), ...Object.fromEntries(paths) }
  const members = Object.entries(write.set)
  const ofElements = members.filter(([member]) => isElement(layout, member))
  const $set = Object.fromEntries([
    ...ofElements.map(([member, value]) => [`${elementsField}.$.${storedField(layout, member)}`, value]),
    ...Object.entries(setFields(layout, {}, write.set)),
  ])
  return { updates: [{ updateMany: { filter, update: { $set } } }] }
}

const indexesOf = <D>(of: DocumentLayout<D>, tables: CollectionTable['other']): Indexes => {
  const index = (table: MemberLayout, members: readonly string[]) =>
    Object.fromEntries(members.map((member) => [pathTo(tables(table), member), 1 as const]))
  const [main, ...others] = tablesOfLayout(of) as [MemberLayout, ...MemberLayout[]]
  const ofServer = Object.entries(of.serverIndexes ?? {}).map(([name, keys]) => [name, index(main, Object.keys(keys))])
  return Object.fromEntries([
    ...ofServer,
    ...(of.serverIndexes === undefined ? [main, ...others] : others).flatMap((table) =>
      Object.entries(table.indexes).map(([first, more = []]) => [first, index(table, [first, ...more])]),
    ),
  ])
}

const layoutOf = <D, M>({ layout, cache, writes }: Omit<DocumentProjection<D, M, unknown>, 'reads'>): MongoLayout => {
  const cacheOf = memoize<Generation, M>(cache)
  const tables = tablesIn(layout)
  const main = tables(layout as MemberLayout)
  const remaining = tablesOfLayout(layout).filter(({ remains }) => remains)
  return {
    name: layout.name,
    version: layout.version,
    ...(layout.uses !== undefined && { uses: layout.uses }),
    mayRemain: (id) => remaining.some((table) => isIdIn(tables(table), id)),
    ...(layout.isAwaited ? { crowd: mongoCrowd } : { batching: mongoBatching }),
    indexes: indexesOf(layout, tables),
    documentsOf: async (batch, generation) => {
      const { documents } = generation
      const reader = readsIn(generation, (_, filter) => documents.countDocuments(filter))
      const changes: DocumentChanges[] = []
      for await (const [some] of partsOf(writes(batch, documentsIn(main, reader), cacheOf(generation))))
        for (const each of some as Iterable<BatchWrite<object>>) {
          const [table, write] = 'into' in each ? [tables(each.into), each.write] : [main, each]
          changes.push(await changesOf(table, write, documents))
        }
      return changes
    },
    dropCache: cacheOf.forget,
  }
}

type ServerProjection<D, M, R> = Omit<DocumentProjection<D, M, R>, 'reads'> & {
  readonly reads: (documents: ServerDocuments<D>, cache: () => M) => R
}

/** Makes the function that opens documents in a collection of MongoDB. */
export const documentsInMongo = <D, M, R>(of: ServerProjection<D, M, R>) => {
  const readsOf = (source: GenerationReads): R => {
    // Others may write, so nothing is cached for readers.
    const cache = of.cache()
    return of.reads(documentsIn<D>(tablesIn(of.layout)(of.layout as MemberLayout), source), () => cache)
  }
  return (options: MongoProjectionOptions) => openMongoProjection(layoutOf(of), readsOf, options)
}
