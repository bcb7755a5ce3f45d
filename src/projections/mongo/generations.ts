import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Collection, Db } from 'mongodb'
import { isDuplicate } from '../../stores/mongo/connection.ts'
import { fingerprintText, parseFingerprint, type LogFingerprint } from '../../events/events.ts'
import type { Checkpoint, Projection } from '../projection.ts'
import { ensureIndexes, type Indexes } from './indexes.ts'

/** A revision or position as 20 digits, whose text order is the numeric order on every server. */
export const numberText = (value: bigint): string => String(value).padStart(20, '0')

/** The layout of a projection: documents in one collection. */
export interface Layout extends Pick<Projection, 'name' | 'version' | 'handles' | 'uses' | 'batching'> {
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
  replaced?: boolean
  /** Id of the rebuild that fills it; absent otherwise. */
  builder?: string
  /** Claim of a generation that is about to replace it: the checkpoint must not move. */
  claim?: string
}

/** The alias of a projection: the name of its current collection. */
export interface PointerDocument {
  _id: string
  collection: string
  claim?: string
}

/** One collection of a projection. A rebuild fills another. */
export interface Generation {
  readonly name: string
  readonly documents: Collection<Stored>
  readonly state: Collection<StateDocument>
}

export interface State {
  readonly position: bigint | undefined
  readonly newest: LogFingerprint | undefined
  readonly time: string | undefined
  readonly applied: number
  /** Whether another generation is replacing, or has replaced, this one. */
  readonly claimed?: boolean
}

/** Changes whenever documents are written. */
export const versionOf = (state: StateDocument | undefined): string => `${state?.position} ${state?.applied}`

/** Each version of a projection has an alias of its own, so that versions coexist. */
export const pointerId = ({ name, version }: Pick<Layout, 'name' | 'version'>): string => `${name}-${version}`
const prefixOf = ({ name, version }: Layout): string => `${name}_${version}_`
export const stateId = 'state'

/** Milliseconds after which an interrupted rebuild is abandoned. */
const abandonedAge = 3_600_000

export const openGeneration = (db: Db, name: string): Generation => ({
  name,
  documents: db.collection<Stored>(name),
  state: db.collection<StateDocument>(name),
})

export const pointersOf = (db: Db): Collection<PointerDocument> => db.collection<PointerDocument>('read_models')

/** A generation that never exists: reads before the first start find nothing. */
export const noGeneration = (db: Db, layout: Layout): Generation => openGeneration(db, `${prefixOf(layout)}none`)

export const stateFields = { position: 1, newest: 1, time: 1, applied: 1, claim: 1 } as const

/** Parses the state document; `undefined` if the collection was emptied or dropped. */
export const stateIn = (found: StateDocument | undefined): State | undefined => {
  if (found === undefined) return undefined
  const { position, newest, time, applied, claim } = found
  return {
    position: position === null ? undefined : BigInt(position),
    newest: newest === undefined ? undefined : parseFingerprint(newest.slice(newest.indexOf(' ') + 1)),
    time,
    applied,
    claimed: claim !== undefined,
  }
}

/** Reads the state; `undefined` if the collection was emptied or dropped. */
export const readState = async ({ state }: Pick<Generation, 'state'>): Promise<State | undefined> =>
  stateIn((await state.findOne({ _id: stateId })) ?? undefined)

/** Whether documents were written before the checkpoint. */
export interface GenerationProgress extends Checkpoint {
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
export const advanceCheckpoint = async (
  { state }: Pick<Generation, 'state'>,
  moved: GenerationProgress,
): Promise<boolean> => {
  const { filter, update } = advanceUpdate(moved)
  return (await state.updateOne(filter, update)).matchedCount === 1
}

export const createGeneration = async (db: Db, layout: Layout, builder?: string): Promise<Generation> => {
  const name = `${prefixOf(layout)}${Date.now().toString(36)}_${randomUUID().slice(0, 8)}`
  const generation = openGeneration(db, name)
  const begun = { _id: stateId, position: null, applied: 0, touched: new Date() }
  await generation.state.insertOne({ ...begun, ...(builder !== undefined && { builder }) })
  await ensureIndexes(generation.documents, layout.indexes)
  return generation
}

export const readPointers = async (db: Db, ids: readonly string[]): Promise<Map<string, string>> => {
  const found = await pointersOf(db)
    .find({ _id: { $in: [...ids] } })
    .toArray()
  return new Map(found.map(({ _id, collection }) => [_id, collection]))
}

/** Reads the alias: the current generation and the claim on it. */
export const readPointer = async (
  db: Db,
  layout: Layout,
): Promise<{ current?: Generation; claim?: string | undefined }> => {
  const pointer = await pointersOf(db).findOne({ _id: pointerId(layout) })
  return pointer === null ? {} : { current: openGeneration(db, pointer.collection), claim: pointer.claim }
}

export const currentGeneration = async (db: Db, layout: Layout): Promise<Generation | undefined> =>
  (await readPointer(db, layout)).current

/** Switches the alias. @returns false if somebody else switched it, or the claim was lost */
export const switchAlias = async (
  db: Db,
  layout: Layout,
  from: string | undefined,
  to: string,
  claim?: string,
): Promise<boolean> => {
  const [pointers, _id] = [pointersOf(db), pointerId(layout)]
  if (from !== undefined) {
    const held = { _id, collection: from, claim: claim ?? { $exists: false } }
    return (await pointers.updateOne(held, { $set: { collection: to }, $unset: { claim: '' } })).matchedCount === 1
  }
  try {
    await pointers.insertOne({ _id, collection: to })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/**
 * Releases a claim, so that the claimant must start again. If the alias names another generation, the swap succeeded
 * and this one stays stopped.
 */
export const releaseClaim = async (
  db: Db,
  layout: Layout,
  { name, state }: Pick<Generation, 'name' | 'state'>,
  claim: string,
): Promise<void> => {
  const _id = pointerId(layout)
  const held = { _id, collection: name, claim }
  const { matchedCount } = await pointersOf(db).updateOne(held, { $unset: { claim: '' } })
  const isReplaced = matchedCount === 0 && (await pointersOf(db).findOne({ _id }))?.collection !== name
  if (!isReplaced) await state.updateOne({ _id: stateId, claim }, { $unset: { claim: '' } })
}

/** The current generation with its state; created if missing or emptied. */
export const ensureGeneration = async (db: Db, layout: Layout): Promise<{ generation: Generation; state: State }> => {
  for (;;) {
    const { current, claim } = await readPointer(db, layout)
    const state = current && (await readState(current))
    if (current && state) return { generation: current, state }
    if (current && claim !== undefined) await releaseClaim(db, layout, current, claim)
    const fresh = await createGeneration(db, layout)
    if (await switchAlias(db, layout, current?.name, fresh.name))
      return { generation: fresh, state: { position: undefined, newest: undefined, time: undefined, applied: 0 } }
    await fresh.documents.drop()
  }
}

/** Drops a generation; idempotent. */
export const dropGeneration = async (db: Db, { name }: Pick<Generation, 'name'>): Promise<void> => {
  const collections = await db.listCollections({ name }, { nameOnly: true }).toArray()
  if (collections.some((collection) => collection.name === name)) await db.dropCollection(name)
}

const namesOf = async (db: Db, layout: Layout): Promise<string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => name.startsWith(prefixOf(layout)))

/** Milliseconds without a sign of life after which a rebuild counts as interrupted. */
const quiet = 5000

/**
 * Gives signs of life of a generation, so that nobody takes or drops it while it waits for those that take longer.
 * @returns function that ends them
 */
export const keepAlive = ({ state }: Pick<Generation, 'state'>): (() => void) => {
  const touch = (): void =>
    void state.updateOne({ _id: stateId }, { $set: { touched: new Date() } }).catch(() => undefined)
  const beating = setInterval(touch, quiet / 5).unref()
  return () => clearInterval(beating)
}

/** A generation to fill: one of an interrupted rebuild, or a new one. */
export const generationToFill = async (db: Db, layout: Layout, builder: string): Promise<Generation> => {
  const current = await currentGeneration(db, layout)
  for (const name of await namesOf(db, layout)) {
    if (name === current?.name) continue
    const generation = openGeneration(db, name)
    const left = { _id: stateId, builder: { $exists: true }, replaced: { $exists: false } }
    const seen = await generation.state.findOne(left)
    if (seen === null) continue
    await delay(quiet)
    const untouched = { ...left, touched: seen.touched }
    const { matchedCount } = await generation.state.updateOne(untouched, { $set: { builder, touched: new Date() } })
    if (matchedCount === 0) continue
    await ensureIndexes(generation.documents, layout.indexes)
    return generation
  }
  return createGeneration(db, layout, builder)
}

/** Marks a generation as filled, so that no other rebuild resumes it. */
export const endFilling = async ({ state }: Pick<Generation, 'state'>): Promise<void> => {
  await state.updateOne({ _id: stateId }, { $unset: { builder: '' } })
}

const isDead = (state: StateDocument | null, replacedAge: number): boolean => {
  if (state === null) return true
  return Date.now() - state.touched.getTime() > (state.replaced ? replacedAge : abandonedAge)
}

/** Drops generations replaced more than `replacedAge` milliseconds ago, and abandoned rebuilds. @returns their names */
export const dropDeadGenerations = async (db: Db, layout: Layout, replacedAge: number): Promise<string[]> => {
  const dropped: string[] = []
  for (const name of await namesOf(db, layout)) {
    if (!isDead(await openGeneration(db, name).state.findOne({ _id: stateId }), replacedAge)) continue
    if ((await currentGeneration(db, layout))?.name === name) continue
    await db.dropCollection(name)
    dropped.push(name)
  }
  return dropped
}
