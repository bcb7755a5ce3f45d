import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Collection, Filter } from 'mongodb'
import { stateFields, stateId, type Generation, type StateDocument, type Stored } from '../mongo/generations.ts'
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
import { batchReads } from '../../shared/batchReads.ts'
import { makeTotalCache } from '../mongo/totals.ts'
import type { Indexes } from '../mongo/indexes.ts'
import { chunksOf } from '../../shared/bounds.ts'
import { once } from '../../shared/once.ts'

/** Positions are texts that sort as they do. */
const kept = (value: unknown): unknown => {
  if (typeof value === 'bigint') return numberText(value)
  return Array.isArray(value) ? value.map(kept) : value
}

/** Texts from this length on are compressed, since a document holds at most 16 MiB. */
const longText = 65_536

const compressed = (text: string): string | Uint8Array =>
  text.length < longText ? text : deflateRawSync(text, { level: 1 })

const restored = (text: string | Uint8Array): string =>
  typeof text === 'string' ? text : inflateRawSync(text).toString()

/** A server refuses more than 100,000 index keys of a document: further texts of a list are kept, not looked for. */
export const maxIndexed = 90_000

const furtherOf = (list: string): string => `${list}, further`

/** Whether a position alone is the key: that is what MongoDB finds documents by. */
const isPlaced = ({ key, members }: NamedLayout): boolean =>
  key.length === 1 && members[key[0] as string] === 'position'

/** A key of one member that is a position or a text is kept as `_id` alone. */
const nameIn = ({ key, members }: NamedLayout, member: string): string =>
  key.join() === member && members[member] !== 'number' ? '_id' : member

/** Any other key than a position begins with the name of its table: the collection holds its checkpoint too. */
const idOf = (layout: NamedLayout, values: readonly unknown[]): string =>
  isPlaced(layout) ? String(kept(values[0])) : [layout.name, ...values.map((value) => String(kept(value)))].join(' ')

const keptMember = ({ members }: NamedLayout, member: string, value: unknown): object => {
  if (members[member] === 'long' && typeof value === 'string') return { [member]: compressed(value) }
  if (members[member] !== 'list' || !Array.isArray(value) || value.length <= maxIndexed)
    return { [member]: kept(value) }
  const further = compressed(JSON.stringify(value.slice(maxIndexed)))
  return { [member]: value.slice(0, maxIndexed), [furtherOf(member)]: further }
}

const storedOf = (layout: NamedLayout, document: object): Stored => {
  const all = document as Readonly<Record<string, unknown>>
  const { _id: _, ...stored } = Object.assign(
    {},
    ...Object.entries(all).map(([member, value]) =>
      nameIn(layout, member) === '_id' ? {} : keptMember(layout, member, value),
    ),
  ) as Record<string, unknown>
  return {
    ...stored,
    _id: idOf(
      layout,
      layout.key.map((member) => all[member]),
    ),
  }
}

const valueOf = (layout: NamedLayout, member: string, stored: Stored): unknown => {
  const all = stored as unknown as Readonly<Record<string, never>>
  const name = nameIn(layout, member)
  if (name === '_id' && !isPlaced(layout)) return stored._id.slice(layout.name.length + 1)
  const [value, further] = [all[name], all[furtherOf(name)]]
  if (value === undefined || value === null) return undefined
  const sort = layout.members[member]
  if (sort === 'position') return BigInt(value)
  if (sort === 'long') return restored(value)
  return further === undefined ? value : [...(value as string[]), ...(JSON.parse(restored(further)) as string[])]
}

const documentOf = (layout: NamedLayout, stored: Stored, members = Object.keys(layout.members)): object => {
  const document: Record<string, unknown> = {}
  for (const member of members) {
    const value = valueOf(layout, member, stored)
    if (value !== undefined) document[member] = value
  }
  return document
}

/** The fields that members are read from. */
const fieldsOf = (layout: NamedLayout, members: readonly string[] | undefined): Record<string, 1> | undefined =>
  members &&
  Object.fromEntries(
    members
      .flatMap((member) => [nameIn(layout, member), ...(layout.members[member] === 'list' ? [furtherOf(member)] : [])])
      .map((name) => [name, 1 as const]),
  )

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
  const values = [...new Set(found.flatMap((each) => each[name] ?? []))]
  return name === '_id' ? values : values.map(of)
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
interface Reader extends Pick<Source<Stored>, 'read' | 'readAlong'> {
  count(generation: Generation<Stored>, filter: Filter<Stored>): Promise<number>
}

/** A reader of one generation. */
const readerOf = (generation: Generation<Stored>, count: Reader['count']): Reader => ({
  read: (work) => work(generation),
  readAlong: async (work) => (await work(generation)).take(),
  count,
})

const idsAtOnce = 2000

/** Milliseconds that a read waits for the one before it, so that under load fewer commands read more. */
const patience = 20

/** Reads documents by id, with the state in the same command; the reads of one turn are one. */
const makeGetter = (layout: NamedLayout, { readAlong }: Pick<Reader, 'readAlong'>, members: readonly string[]) => {
  const fields = { ...fieldsOf(layout, members), ...stateFields }
  return batchReads(
    (ids) =>
      readAlong(async ({ documents }) => {
        const found = new Map<string, object>()
        let state: StateDocument | undefined
        for (const some of chunksOf(ids, idsAtOnce)) {
          const read = documents.find({ _id: { $in: [stateId, ...some] } }).project<Stored>(fields)
          for (const stored of await read.batchSize(idsAtOnce + 1).toArray())
            if (stored._id === stateId) state = stored as unknown as StateDocument
            else found.set(stored._id, documentOf(layout, stored, [...members]))
        }
        return { state, complete: found.size === new Set(ids).size, take: () => found }
      }),
    patience,
  )
}

const documentsIn = <D>(of: TableLayout<D>, reader: Reader): Documents<D> => {
  const layout: NamedLayout = of
  const getter = once((members: readonly string[]) => makeGetter(layout, reader, members))
  const found = async ({ documents }: Generation<Stored>, query: Query<object>) => {
    const cursor = documents
      .find(await filterOf(layout, query.where, documents))
      .sort(sortOf(layout, query))
      .skip(query.skip ?? 0)
      .limit(query.limit ?? 0)
    const fields = fieldsOf(layout, query.members)
    return fields ? cursor.project<Stored>(fields) : cursor
  }
  return {
    embedded: false,
    in: (table) => documentsIn(table, reader),
    together: (work) => reader.read((generation) => work(documentsIn(of, readerOf(generation, reader.count)))),
    count: ({ where, limit }) =>
      reader.read(async (generation) => {
        const filter = await filterOf(layout, where as DocumentMatch<object>, generation.documents)
        return limit === undefined
          ? reader.count(generation, filter)
          : generation.documents.countDocuments(filter, { limit })
      }),
    find: (query) =>
      reader.read(async (generation) => {
        const cursor = await found(generation, query as Query<object>)
        const all: D[] = []
        for await (const stored of cursor.batchSize(Math.min((query.limit ?? mostAtOnce) + 1, mostAtOnce))) {
          const document = documentOf(layout, stored, query.members as string[] | undefined) as D
          if (query.while?.(document) === false) break
          all.push(document)
        }
        return all
      }),
    get: async (keys, members) => {
      const ids = keys.map((key) => idOf(layout, [key]))
      return [...(await getter(members)(ids)).values()] as D[]
    },
    keys: (query) =>
      reader.read(async (generation) => {
        const all = (await found(generation, query as Query<object>)).project<Stored>({ _id: 1 })
        return (await all.toArray()).map(({ _id }) => BigInt(_id))
      }),
  }
}

/** Documents that one answer of a server holds at most. */
const mostAtOnce = 10_000

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
  if (!('set' in write)) throw new Error('Totals and changes are kept where a batch is written as one.')
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

const indexesOf = <D>({ further = [], serverIndexes, ...layout }: DocumentLayout<D>): Indexes =>
  serverIndexes ??
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
  depends,
}: KeptDocuments<D, M, R>): MongoLayout<Stored, DocumentChanges> => {
  const remembered = makeMemory(memory)
  return {
    name: layout.name,
    version: layout.version,
    handles: layout.handles,
    ...(!layout.isAwaited && { batching: mongoBatching }),
    indexes: indexesOf(layout),
    documentsOf: async (batch, generation) => {
      const { name, documents } = generation
      const reader = readerOf(generation, (_, filter) => documents.countDocuments(filter))
      const all = await writes(batch, documentsIn(layout, reader), remembered.of(name))
      const changes: DocumentChanges[] = []
      for (const each of all as Iterable<DocumentWrite<object> | TableWrite>)
        changes.push(
          await ('into' in each ? writeOf(each.into, each.write, documents) : writeOf(layout, each, documents)),
        )
      return changes
    },
    writesOf: ({ documents }) => writesOf(documents),
    ...(depends && { depends }),
    forget: remembered.forget,
  }
}

/** Documents in a collection of MongoDB. */
export const documentsInMongo = <D, M, R>(of: KeptDocuments<D, M, R>) =>
  keptInMongo({
    makeLayout: () => layoutOf(of),
    reads: ({ read, readAlong, state }: Source<Stored>) => {
      // Others may write: nothing is remembered for readers.
      const memory = of.memory()
      return of.reads(documentsIn<D>(of.layout, { read, readAlong, ...makeTotalCache<Stored>(state) }), () => memory)
    },
  })
