import type { Collection, Filter } from 'mongodb'
import { typedCollection } from '../../stores/mongo/connection.ts'
import type { Stored } from '../mongo/generations.ts'
import { keptInMongo, mongoBatching, type MongoLayout } from '../mongo/mongoProjection.ts'
import type { Source } from '../mongo/reading.ts'
import { numberText } from '../mongo/texts.ts'
import type { DocumentChanges } from '../mongo/storing.ts'
import { upserting } from '../mongo/writes.ts'
import {
  conditionsIn,
  isRange,
  type Condition,
  type DocumentLayout,
  type Documents,
  type KeptDocuments,
  type Query,
  type DocumentMatch,
  type DocumentWrite,
} from './keptDocuments.ts'

/** A layout by the names of its members. */
interface Layout {
  readonly members: Readonly<Record<string, string>>
  readonly key: readonly string[]
  readonly indexes: Readonly<Record<string, readonly string[] | undefined>>
}

/** Positions are texts that sort as they do. */
const kept = (value: unknown): unknown => {
  if (typeof value === 'bigint') return numberText(value)
  return Array.isArray(value) ? value.map(kept) : value
}

/** A position alone is what MongoDB finds documents by. */
const nameIn = ({ key, members }: Layout, member: string): string =>
  key.length === 1 && key[0] === member && members[member] === 'position' ? '_id' : member

/** Another key begins with a word: the collection holds its checkpoint too. */
const idOf = (layout: Layout, document: Readonly<Record<string, unknown>>): string => {
  const { key } = layout
  const text = key.map((member) => String(kept(document[member]))).join(' ')
  return nameIn(layout, key[0] as string) === '_id' ? text : `key ${text}`
}

const storedOf = (layout: Layout, document: object): Stored => {
  const all = document as Readonly<Record<string, unknown>>
  const entries = Object.entries(all).map(([member, value]) => [nameIn(layout, member), kept(value)] as const)
  return { ...Object.fromEntries(entries), _id: idOf(layout, all) }
}

const documentOf = (layout: Layout, stored: Stored): object => {
  const all = stored as unknown as Readonly<Record<string, unknown>>
  const found = Object.entries(layout.members).flatMap(([member, sort]) => {
    const value = all[nameIn(layout, member)]
    if (value === undefined || value === null) return []
    return [[member, sort === 'position' ? BigInt(value as string) : value] as const]
  })
  return Object.fromEntries(found)
}

const condition = (of: Condition): unknown =>
  isRange(of) ? Object.fromEntries(Object.entries(of).map(([operator, value]) => [operator, kept(value)])) : kept(of)

const filterOf = (layout: Layout, where: DocumentMatch<object>): Filter<Stored> => ({
  ...Object.fromEntries(conditionsIn(where).map(([member, of]) => [nameIn(layout, member), condition(of)])),
  ...(where.$or && { $or: where.$or.map((each) => filterOf(layout, each)) }),
})

const sortOf = (layout: Layout, { sort = {} }: Query<object>): Record<string, 1 | -1> =>
  Object.fromEntries(Object.entries<1 | -1>(sort).map(([member, sign]) => [nameIn(layout, member), sign]))

const documentsIn = <D>(
  layout: Layout,
  read: <T>(work: (documents: Collection<Stored>) => Promise<T>) => Promise<T>,
): Documents<D> => {
  const found = (documents: Collection<Stored>, query: Query<object>) =>
    documents
      .find(filterOf(layout, query.where))
      .sort(sortOf(layout, query))
      .skip(query.skip ?? 0)
      .limit(query.limit ?? 0)
  return {
    find: (query) =>
      read(async (documents) => {
        const all = await found(documents, query as Query<object>).toArray()
        return all.map((stored) => documentOf(layout, stored) as D)
      }),
    keys: (query) =>
      read(async (documents) => {
        const all = found(documents, query as Query<object>).project<Stored>({ _id: 1 })
        return (await all.toArray()).map(({ _id }) => BigInt(_id))
      }),
  }
}

/** What is added comes first; the last put comes after all others. */
const writesOf = (layout: Layout, writes: readonly DocumentWrite<object>[]): DocumentChanges => ({
  added: writes.flatMap((write) => ('add' in write ? storedOf(layout, write.add) : [])),
  upserts: writes.flatMap((write) => {
    if ('add' in write) return []
    const stored = storedOf(layout, write.put)
    return upserting(stored, { _id: stored._id, ...filterOf(layout, write.over) })
  }),
})

const indexesOf = <D>(layout: DocumentLayout<D>) =>
  Object.fromEntries(
    Object.entries((layout as Layout).indexes).map(([first, more = []]) => [
      first,
      Object.fromEntries([first, ...more].map((member) => [nameIn(layout, member), 1 as const])),
    ]),
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
}: KeptDocuments<D, M, R>): MongoLayout<Stored, DocumentWrite<D>> => {
  const remembered = makeMemory(memory)
  return {
    name: layout.name,
    version: layout.version,
    handles: layout.handles,
    batching: mongoBatching,
    indexes: indexesOf(layout),
    documentsOf: (batch, { name, documents }) =>
      writes(
        batch,
        documentsIn(layout, (work) => work(typedCollection<Stored>(documents))),
        remembered.of(name),
      ),
    writesOf: ({ documents }) => writesOf(layout, documents as readonly DocumentWrite<object>[]),
    forget: remembered.forget,
  }
}

/** Documents in a collection of MongoDB. */
export const documentsInMongo = <D, M, R>(of: KeptDocuments<D, M, R>) =>
  keptInMongo({
    makeLayout: () => layoutOf(of),
    reads: (source: Source<Stored>) =>
      of.reads(documentsIn<D>(of.layout, (work) => source.read(({ documents }) => work(documents)))),
  })
