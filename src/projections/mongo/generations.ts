import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Collection, Db, Filter, UpdateFilter } from 'mongodb'
import { CatalogError } from '../../shared/errors/namedError.ts'
import { isDuplicate } from '../../stores/mongo/connection.ts'
import { fingerprintText, parseFingerprint } from '../../events/events.ts'
import type { Checkpoint, Projection } from '../projection.ts'

/** A revision or position as 20 digits, whose text order is the numeric order on every server. */
export const numberText = (value: bigint): string => String(value).padStart(20, '0')

/** Index keys of a collection, by index name. */
export type Indexes = Readonly<Record<string, Readonly<Record<string, 1 | -1>>>>

/** The layout of a projection: documents in one collection. */
export interface Layout extends Pick<Projection, 'name' | 'version' | 'uses' | 'batching' | 'crowd'> {
  readonly indexes: Indexes
}

export interface Stored {
  _id: string
}

/** The state of a generation, stored among its documents, so that emptying the collection removes it too. */
export interface StateDocument {
  _id: string
  /** Position up to which the log was applied; `null` for none. */
  position: string | null
  /** The newest applied event: its position as a sortable text, and its fingerprint. */
  newest?: string
  time?: string
  /** Incremented whenever documents were written. */
  applied: number
  /** Time of the last write, by the clock of the process. */
  touched: Date
  /** Id of the rebuild that fills it; absent otherwise. */
  builder?: string
  /** Claim of a rebuild that is about to replace it, or has: the checkpoint must not move. */
  claim?: string
  /** Name of the generation that has replaced it. */
  replaced?: string
}

/** The alias of a projection: the name of its current collection. */
interface PointerDocument {
  _id: string
  collection: string
}

/** One collection of a projection. A rebuild fills another. */
export interface Generation {
  readonly name: string
  readonly documents: Collection<Stored>
  readonly state: Collection<StateDocument>
}

/** A generation with its state; `undefined` if the collection was emptied or dropped. */
export interface OpenedGeneration {
  readonly generation: Generation
  readonly state: StateDocument | undefined
}

/** Changes whenever documents are written. */
export const versionOf = (state: StateDocument | undefined): string => `${state?.position} ${state?.applied}`

/** Each version of a projection has an alias of its own, so that versions coexist. */
export const pointerId = ({ name, version }: Pick<Layout, 'name' | 'version'>): string => `${name}-${version}`
/** What the names of its collections begin with. @param id see {@link pointerId} */
const prefixOf = (id: string): string => `${id.replace(/-(?=\d+$)/, '_')}_`
export const stateId = 'state'

/** Milliseconds after which an interrupted rebuild is abandoned. */
const abandonedAge = 3_600_000

export const openGeneration = (db: Db, name: string): Generation => ({
  name,
  documents: db.collection<Stored>(name),
  state: db.collection<StateDocument>(name),
})

const pointersOf = (db: Db): Collection<PointerDocument> => db.collection<PointerDocument>('read_models')

/** A generation that never exists: reads before the first start find nothing. */
export const noGeneration = (db: Db, layout: Layout): Generation =>
  openGeneration(db, `${prefixOf(pointerId(layout))}none`)

export const stateFields = { position: 1, newest: 1, time: 1, applied: 1, claim: 1 } as const

/** The checkpoint in a state; `undefined` if nothing was applied. */
export const checkpointIn = (state: StateDocument | undefined): Checkpoint | undefined => {
  if (typeof state?.position !== 'string') return undefined
  const { position, newest = '', time } = state
  return { position: BigInt(position), newest: parseFingerprint(newest.slice(newest.indexOf(' ') + 1)), time }
}

export const positionIn = (state: StateDocument | undefined): bigint | undefined => checkpointIn(state)?.position

/** Reads the state; `undefined` if the collection was emptied or dropped. */
export const readState = async ({ state }: Pick<Generation, 'state'>): Promise<StateDocument | undefined> =>
  (await state.findOne({ _id: stateId })) ?? undefined

export const opened = async (generation: Generation): Promise<OpenedGeneration> => ({
  generation,
  state: await readState(generation),
})

/** Changes the state if it matches. @returns whether it did */
export const changeState = async (
  { state }: Pick<Generation, 'state'>,
  filter: Filter<StateDocument>,
  update: UpdateFilter<StateDocument>,
): Promise<boolean> => (await state.updateOne({ _id: stateId, ...filter }, update)).matchedCount === 1

/** Whether documents were written before the checkpoint. */
interface GenerationProgress extends Checkpoint {
  readonly applied: boolean
}

/** The update that advances the checkpoint, never back; it does not match a claimed generation. */
export const advanceUpdate = ({ position, newest, time, applied }: GenerationProgress) => ({
  filter: { _id: stateId, claim: { $exists: false } },
  update: {
    $max: {
      position: numberText(position),
      ...(newest && { newest: `${numberText(newest.position)} ${fingerprintText(newest)}` }),
      ...(time !== undefined && { time }),
    },
    $set: { touched: new Date() },
    ...(applied && { $inc: { applied: 1 } }),
  },
})

/** Advances the checkpoint, never back. @returns false if the state is gone or claimed by a replacement */
export const advanceCheckpoint = (
  generation: Pick<Generation, 'state'>,
  moved: GenerationProgress,
): Promise<boolean> => {
  const { filter, update } = advanceUpdate(moved)
  return changeState(generation, filter, update)
}

/** An existing index has other keys than the catalog needs. */
class IndexMismatch extends CatalogError {
  override readonly name = 'IndexMismatch'
}

/**
 * Makes the indexes that are missing, none of them unique: a collection that is divided by hashed ids could not keep
 * such a promise. @throws IndexMismatch when one of these names has other keys, and stays
 */
export const ensureIndexes = async ({ name, documents }: Generation, indexes: Indexes): Promise<void> => {
  const found = new Map((await documents.indexes()).map((index) => [index.name, JSON.stringify(index.key)]))
  const present = new Set(found.values())
  const missing = Object.entries(indexes).filter(([index, keys]) => {
    const [known, needed] = [found.get(index), JSON.stringify(keys)]
    if (known !== undefined && known !== needed)
      throw new IndexMismatch(
        `The index "${index}" of the collection "${name}" has the keys ${known}, not ${needed}. Drop it: the right ` +
          'one is made at the next start.',
      )
    return !present.has(needed)
  })
  if (missing.length > 0)
    await documents.createIndexes(missing.map(([index, keys]) => ({ name: index, key: { ...keys } })))
}

export const createGeneration = async (db: Db, layout: Layout, builder?: string): Promise<Generation> => {
  const name = `${prefixOf(pointerId(layout))}${Date.now().toString(36)}_${randomUUID().slice(0, 8)}`
  const generation = openGeneration(db, name)
  const begun = { _id: stateId, position: null, applied: 0, touched: new Date() }
  await generation.state.insertOne({ ...begun, ...(builder !== undefined && { builder }) })
  await ensureIndexes(generation, layout.indexes)
  return generation
}

export const readPointers = async (db: Db, ids: readonly string[]): Promise<Map<string, string>> => {
  const found = await pointersOf(db)
    .find({ _id: { $in: [...ids] } })
    .toArray()
  return new Map(found.map(({ _id, collection }) => [_id, collection]))
}

/** Switches the alias. @returns false if somebody else switched it */
export const switchAlias = async (
  db: Db,
  layout: Layout,
  from: string | undefined,
  collection: string,
): Promise<boolean> => {
  const [pointers, _id] = [pointersOf(db), pointerId(layout)]
  if (from !== undefined)
    return (await pointers.updateOne({ _id, collection: from }, { $set: { collection } })).matchedCount === 1
  try {
    await pointers.insertOne({ _id, collection })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** The current generation. Switches the alias for a rebuild that ended as soon as it had replaced another generation. */
export const currentGeneration = async (db: Db, layout: Layout): Promise<OpenedGeneration | undefined> => {
  for (;;) {
    const name = (await readPointers(db, [pointerId(layout)])).get(pointerId(layout))
    if (name === undefined) return undefined
    const current = await opened(openGeneration(db, name))
    if (typeof current.state?.replaced !== 'string') return current
    await switchAlias(db, layout, name, current.state.replaced)
  }
}

/** The current generation; created if missing or emptied. */
export const ensureGeneration = async (db: Db, layout: Layout): Promise<OpenedGeneration> => {
  for (;;) {
    const current = await currentGeneration(db, layout)
    if (current?.state !== undefined) return current
    const fresh = await createGeneration(db, layout)
    if (!(await switchAlias(db, layout, current?.generation.name, fresh.name))) await fresh.documents.drop()
  }
}

/** Drops a generation; idempotent. */
export const dropGeneration = async (db: Db, { name }: Pick<Generation, 'name'>): Promise<void> => {
  const collections = await db.listCollections({ name }, { nameOnly: true }).toArray()
  if (collections.some((collection) => collection.name === name)) await db.dropCollection(name)
}

/** @param id see {@link pointerId} */
const namesOf = async (db: Db, id: string): Promise<string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => name.startsWith(prefixOf(id)))

/** Drops all generations of a version of a projection, and its alias. @param id see {@link pointerId} @returns their names */
export const dropVersion = async (db: Db, id: string): Promise<string[]> => {
  await pointersOf(db).deleteOne({ _id: id })
  const names = await namesOf(db, id)
  for (const name of names) await dropGeneration(db, { name })
  return names
}

/** Milliseconds without a heartbeat after which a rebuild counts as interrupted. */
const heartbeatTimeout = 5000

/**
 * Sends heartbeats for a generation that is filled, so that nobody takes it over or drops it while it waits for others.
 * @returns function that ends them
 */
export const keepAlive = (generation: Pick<Generation, 'state'>): (() => void) => {
  const touch = (): void => void changeState(generation, {}, { $set: { touched: new Date() } }).catch(() => undefined)
  const heartbeat = setInterval(touch, heartbeatTimeout / 5).unref()
  return () => clearInterval(heartbeat)
}

/** A generation to fill: one of an interrupted rebuild, or a new one. */
export const generationToFill = async (db: Db, layout: Layout, builder: string): Promise<Generation> => {
  for (const name of await namesOf(db, pointerId(layout))) {
    const generation = openGeneration(db, name)
    const seen = await readState(generation)
    if (seen?.builder === undefined) continue
    await delay(heartbeatTimeout)
    const untouched = { builder: seen.builder, touched: seen.touched }
    if (!(await changeState(generation, untouched, { $set: { builder, touched: new Date() } }))) continue
    await ensureIndexes(generation, layout.indexes)
    return generation
  }
  return createGeneration(db, layout, builder)
}

const isDead = (state: StateDocument | undefined, replacedAge: number): boolean => {
  if (state === undefined) return true
  return Date.now() - state.touched.getTime() > (state.replaced ? replacedAge : abandonedAge)
}

/** Drops generations replaced more than `replacedAge` milliseconds ago, and abandoned rebuilds. @returns their names */
export const dropDeadGenerations = async (db: Db, layout: Layout, replacedAge: number): Promise<string[]> => {
  const dropped: string[] = []
  for (const name of await namesOf(db, pointerId(layout))) {
    if (!isDead(await readState(openGeneration(db, name)), replacedAge)) continue
    if ((await currentGeneration(db, layout))?.generation.name === name) continue
    await db.dropCollection(name)
    dropped.push(name)
  }
  return dropped
}
