import type { Collection, Filter } from 'mongodb'
import type { Generation, Stored } from '../mongo/generations.ts'
import { keptInMongo, mongoBatching, type MongoLayout } from '../mongo/mongoProjection.ts'
import type { Source } from '../mongo/reading.ts'
import { numberText } from '../mongo/texts.ts'
import type { DocumentChanges } from '../mongo/storing.ts'
import { upserting } from '../mongo/writes.ts'
import {
  conditionsIn,
  isRange,
  isValuesOf,
  type Condition,
  type DocumentLayout,
  type Documents,
  type KeptDocuments,
  type Query,
  type NamedLayout,
  type TableLayout,
  type TableWrite,
  type DocumentMatch,
  type DocumentWrite,
} from './keptDocuments.ts'
import { makeTotalCache } from '../mongo/batchReads.ts'

/** Positions are texts that sort as they do. */
const kept = (value: unknown): unknown => {
  if (typeof value === 'bigint') return numberText(value)
  return Array.isArray(value) ? value.map(kept) : value
}

/** Whether a position alone is the key: that is what MongoDB finds documents by. */
const isPlaced = ({ key, members }: NamedLayout): boolean =>
  key.length === 1 && members[key[0] as string] === 'position'

/** A key of one member that is a position or a text is kept as `_id` alone. */
const nameIn = ({ key, members }: NamedLayout, member: string): string =>
  key.join() === member && members[member] !== 'number' ? '_id' : member

/** Any other key than a position begins with the name of its table: the collection holds its checkpoint too. */
const idOf = (layout: NamedLayout, values: readonly unknown[]): string =>
  isPlaced(layout) ? String(kept(values[0])) : [layout.name, ...values.map((value) => String(kept(value)))].join(' ')

const storedOf = (layout: NamedLayout, document: object): Stored => {
  const all = document as Readonly<Record<string, unknown>>
  const entries = Object.entries(all).map(([member, value]) => [nameIn(layout, member), kept(value)] as const)
  return {
    ...Object.fromEntries(entries),
    _id: idOf(
      layout,
      layout.key.map((member) => all[member]),
    ),
  }
}

const documentOf = (layout: NamedLayout, stored: Stored): object => {
  const all = stored as unknown as Readonly<Record<string, unknown>>
  const found = Object.entries(layout.members).flatMap(([member, sort]) => {
    const name = nameIn(layout, member)
    const value = name === '_id' && !isPlaced(layout) ? stored._id.slice(layout.name.length + 1) : all[name]
    if (value === undefined || value === null) return []
    return [[member, sort === 'position' ? BigInt(value as string) : value] as const]
  })
  return Object.fromEntries(found)
}

type Collected = Collection<Stored>

/** The values that are compared with; those of other documents are read. */
const comparedWith = async (
  layout: NamedLayout,
  member: string,
  value: unknown,
  documents: Collected,
): Promise<unknown> => {
  const of = (one: unknown) => (nameIn(layout, member) === '_id' ? idOf(layout, [one]) : kept(one))
  if (!isValuesOf(value)) return Array.isArray(value) ? value.map(of) : of(value)
  const name = nameIn(value.of, value.member)
  const filter = await filterOf(value.of, value.where, documents)
  const found = await documents
    .find(filter)
    .project<Record<string, unknown>>({ _id: 0, [name]: 1 })
    .toArray()
  return [...new Set(found.flatMap((each) => each[name] ?? []))]
}

const conditionOf = async (layout: NamedLayout, member: string, condition: Condition, documents: Collected) => {
  if (!isRange(condition)) return comparedWith(layout, member, condition, documents)
  const operators = Object.entries(condition).map(
    async ([operator, value]) => [operator, await comparedWith(layout, member, value, documents)] as const,
  )
  return Object.fromEntries(await Promise.all(operators))
}

const filterOf = async (
  layout: NamedLayout,
  where: DocumentMatch<object>,
  documents: Collected,
): Promise<Filter<Stored>> => {
  const all = (matches: readonly DocumentMatch<object>[] | undefined) =>
    matches && Promise.all(matches.map((each) => filterOf(layout, each, documents)))
  const conditions = conditionsIn(where).map(
    async ([member, of]) => [nameIn(layout, member), await conditionOf(layout, member, of, documents)] as const,
  )
  const [$or, $and] = [await all(where.$or), await all(where.$and)]
  return {
    ...Object.fromEntries(await Promise.all(conditions)),
    ...($or && { $or }),
    ...($and && $and.length > 0 && { $and }),
  }
}

const sortOf = (layout: NamedLayout, { sort = {} }: Query<object>): Record<string, 1 | -1> =>
  Object.fromEntries(Object.entries<1 | -1>(sort).map(([member, sign]) => [nameIn(layout, member), sign]))

/** How documents are read and counted. */
interface Reader {
  read<T>(work: (generation: Generation<Stored>) => Promise<T>): Promise<T>
  count(generation: Generation<Stored>, filter: Filter<Stored>): Promise<number>
}

const documentsIn = <D>(of: TableLayout<D>, reader: Reader): Documents<D> => {
  const layout: NamedLayout = of
  const found = async ({ documents }: Generation<Stored>, query: Query<object>) =>
    documents
      .find(await filterOf(layout, query.where, documents))
      .sort(sortOf(layout, query))
      .skip(query.skip ?? 0)
      .limit(query.limit ?? 0)
  return {
    embedded: false,
    in: (table) => documentsIn(table, reader),
    together: (work) =>
      reader.read((generation) => work(documentsIn(of, { ...reader, read: (each) => each(generation) }))),
    count: ({ where, limit }) =>
      reader.read(async (generation) => {
        const filter = await filterOf(layout, where as DocumentMatch<object>, generation.documents)
        return limit === undefined
          ? reader.count(generation, filter)
          : generation.documents.countDocuments(filter, { limit })
      }),
    find: (query) =>
      reader.read(async (generation) => {
        const all = await (await found(generation, query as Query<object>)).toArray()
        return all.map((stored) => documentOf(layout, stored) as D)
      }),
    keys: (query) =>
      reader.read(async (generation) => {
        const all = (await found(generation, query as Query<object>)).project<Stored>({ _id: 1 })
        return (await all.toArray()).map(({ _id }) => BigInt(_id))
      }),
  }
}

/** A write to one table, with the values of other documents that it is made for. */
const writeOf = async (
  layout: NamedLayout,
  write: DocumentWrite<object>,
  documents: Collected,
): Promise<DocumentChanges> => {
  if ('add' in write) return { added: [storedOf(layout, write.add)] }
  if ('put' in write) {
    const stored = storedOf(layout, write.put)
    return { upserts: [upserting(stored, { _id: stored._id, ...(await filterOf(layout, write.over, documents)) })] }
  }
  if ('total' in write) throw new Error('Running totals are kept where a batch is written as one.')
  const filter = await filterOf(layout, write.where, documents)
  const $set = Object.fromEntries(Object.entries(write.set).map(([name, value]) => [name, kept(value)]))
  return { updates: [{ updateMany: { filter, update: { $set } } }] }
}

/** What is added comes first; the last put comes after all others. */
const writesOf = (changes: readonly DocumentChanges[]): DocumentChanges => ({
  added: changes.flatMap(({ added = [] }) => added),
  updates: changes.flatMap(({ updates = [] }) => updates),
  upserts: changes.flatMap(({ upserts = [] }) => upserts),
})

const indexesOf = <D>({ further = [], ...layout }: DocumentLayout<D>) =>
  Object.fromEntries(
    [layout as NamedLayout, ...further].flatMap((table: NamedLayout) =>
      Object.entries(table.indexes).map(([first, more = []]) => [
        first,
        Object.fromEntries([first, ...more].map((member) => [nameIn(table, member), 1 as const])),
      ]),
    ),
  )

/** What is remembered of the collection that was written last. */
const makeMemory = <M>(make: () => M) => {
  let of: { readonly name: string; readonly memory: M } | undefined
  return {
    forget: (): void => void (of = undefined),
    of: (name: string): M => (of = of?.name === name ? of : { name, memory: make() }).memory,
  }
}

const layoutOf = <D, M, R>({
  layout,
  memory,
  writes,
}: KeptDocuments<D, M, R>): MongoLayout<Stored, DocumentChanges> => {
  const remembered = makeMemory(memory)
  return {
    name: layout.name,
    version: layout.version,
    handles: layout.handles,
    batching: mongoBatching,
    indexes: indexesOf(layout),
    documentsOf: async (batch, generation) => {
      const { name, documents } = generation
      const reader: Reader = {
        read: (work) => work(generation),
        count: (_, filter) => documents.countDocuments(filter),
      }
      const all = await writes(batch, documentsIn(layout, reader), remembered.of(name))
      const changes: DocumentChanges[] = []
      for (const each of all as Iterable<DocumentWrite<object> | TableWrite>)
        changes.push(
          await ('into' in each ? writeOf(each.into, each.write, documents) : writeOf(layout, each, documents)),
        )
      return changes
    },
    writesOf: ({ documents }) => writesOf(documents),
    forget: remembered.forget,
  }
}

/** Documents in a collection of MongoDB. */
export const documentsInMongo = <D, M, R>(of: KeptDocuments<D, M, R>) =>
  keptInMongo({
    makeLayout: () => layoutOf(of),
    reads: (source: Source<Stored>) =>
      of.reads(documentsIn<D>(of.layout, { read: source.read, ...makeTotalCache<Stored>(source.state) })),
  })
