import { randomUUID } from 'node:crypto'
import type { Collection, Db } from 'mongodb'
import { isDuplicate } from '../../stores/mongo/connection.ts'
import type { Projection } from '../projection.ts'
import { ensureIndexes, type Indexes } from './indexes.ts'
import { numberText } from './texts.ts'

/** What a projection keeps in the database: documents in one collection. */
export interface Layout extends Pick<Projection, 'name' | 'version' | 'handles'> {
  readonly indexes: Indexes
}

/** A document of a projection. */
export interface Stored {
  _id: string
}

/** How far a generation has come. It stands among the documents, so that whoever empties the collection takes it too. */
interface StateDocument {
  _id: string
  /** Up to where the log has been applied; `null`: nothing has. */
  position: string | null
  /** Grows whenever documents have been written. */
  applied: number
  /** When that was, by the clock of the process. */
  touched: Date
  /** Another generation has taken its place. */
  replaced?: boolean
}

/** Names the collection of a projection that is read and written. */
interface PointerDocument {
  _id: string
  collection: string
}

/** One collection of a projection with its state. A rebuild fills another one. */
export interface Generation<D extends Stored = Stored> {
  readonly name: string
  readonly documents: Collection<D>
  readonly state: Collection<StateDocument>
}

export interface State {
  readonly position: bigint | undefined
  readonly applied: number
}

/** Differs between two states with documents written in between, also by a process that ended before it could count them. */
export const versionOf = (state: State | undefined): string => `${state?.position} ${state?.applied}`

/** Versions live beside each other, each behind a pointer of its own: another version replays the log. */
const pointerId = ({ name, version }: Layout): string => `${name}-${version}`
const prefixOf = ({ name, version }: Layout): string => `${name}_${version}_`
const stateId = 'state'

/** After this many milliseconds a generation that was replaced is read by nobody, and an abandoned rebuild is dead. */
export const replacedAge = 60_000
const abandonedAge = 3_600_000

const generationNamed = <D extends Stored>(db: Db, name: string): Generation<D> => ({
  name,
  documents: db.collection<D>(name),
  state: db.collection<StateDocument>(name),
})

const pointersOf = (db: Db): Collection<PointerDocument> => db.collection<PointerDocument>('read_models')

/** A generation that never exists, so that reads before the first start find nothing. */
export const noGeneration = <D extends Stored>(db: Db, layout: Layout): Generation<D> =>
  generationNamed(db, `${prefixOf(layout)}none`)

/** The state, or `undefined` when somebody has emptied or dropped the collection. */
export const readState = async ({ state }: Pick<Generation, 'state'>): Promise<State | undefined> => {
  const found = await state.findOne({ _id: stateId })
  if (found === null) return undefined
  return { position: found.position === null ? undefined : BigInt(found.position), applied: found.applied }
}

/**
 * Moves the checkpoint on, never back.
 * @returns false when the generation has no state any more
 */
export const moveOn = async (
  { state }: Pick<Generation, 'state'>,
  position: bigint,
  applied: boolean,
): Promise<boolean> => {
  const { matchedCount } = await state.updateOne(
    { _id: stateId },
    {
      $max: { position: numberText(position) },
      $set: { touched: new Date() },
      ...(applied && { $inc: { applied: 1 } }),
    },
  )
  return matchedCount === 1
}

/** Makes an empty generation that nothing points to yet. */
export const createGeneration = async <D extends Stored>(db: Db, layout: Layout): Promise<Generation<D>> => {
  const name = `${prefixOf(layout)}${Date.now().toString(36)}_${randomUUID().slice(0, 8)}`
  const generation = generationNamed<D>(db, name)
  await generation.state.insertOne({ _id: stateId, position: null, applied: 0, touched: new Date() })
  await ensureIndexes(generation.documents, layout.indexes)
  return generation
}

/** Name of the collection that is read and written. */
const currentName = async (db: Db, layout: Layout): Promise<string | undefined> =>
  (await pointersOf(db).findOne({ _id: pointerId(layout) }))?.collection

export const currentGeneration = async <D extends Stored>(
  db: Db,
  layout: Layout,
): Promise<Generation<D> | undefined> => {
  const name = await currentName(db, layout)
  return name === undefined ? undefined : generationNamed(db, name)
}

/** Points to another collection; false when somebody else has pointed elsewhere meanwhile. */
const point = async (db: Db, layout: Layout, from: string | undefined, to: string): Promise<boolean> => {
  const [pointers, _id] = [pointersOf(db), pointerId(layout)]
  if (from !== undefined) {
    const { matchedCount } = await pointers.updateOne({ _id, collection: from }, { $set: { collection: to } })
    return matchedCount === 1
  }
  try {
    await pointers.insertOne({ _id, collection: to })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** The current generation with its state; it is made when there is none, and made anew when it was emptied. */
export const ensureGeneration = async <D extends Stored>(
  db: Db,
  layout: Layout,
): Promise<{ generation: Generation<D>; state: State }> => {
  for (;;) {
    const current = await currentGeneration<D>(db, layout)
    const state = current && (await readState(current))
    if (current && state) return { generation: current, state }
    const fresh = await createGeneration<D>(db, layout)
    if (await point(db, layout, current?.name, fresh.name))
      return { generation: fresh, state: { position: undefined, applied: 0 } }
    await fresh.documents.drop()
  }
}

/** Drops a generation, also one that somebody else has dropped. */
export const dropGeneration = async (db: Db, { name }: Pick<Generation, 'name'>): Promise<void> => {
  const collections = await db.listCollections({ name }, { nameOnly: true }).toArray()
  if (collections.some((collection) => collection.name === name)) await db.dropCollection(name)
}

/** Puts a generation in place of the current one, which others may go on reading for a moment. */
export const replaceGeneration = async (db: Db, layout: Layout, to: Pick<Generation, 'name'>): Promise<void> => {
  for (;;) {
    const from = await currentGeneration(db, layout)
    if (from?.name === to.name) return
    if (!(await point(db, layout, from?.name, to.name))) continue
    await from?.state.updateOne({ _id: stateId }, { $set: { replaced: true, touched: new Date() } })
    return
  }
}

const isDead = (state: StateDocument | null): boolean => {
  if (state === null) return true
  return Date.now() - state.touched.getTime() > (state.replaced ? replacedAge : abandonedAge)
}

/** Drops generations that were replaced, and those of rebuilds that nobody goes on with. @returns their names */
export const dropDeadGenerations = async (db: Db, layout: Layout): Promise<string[]> => {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  const dropped: string[] = []
  for (const { name } of collections) {
    if (!name.startsWith(prefixOf(layout))) continue
    if (!isDead(await generationNamed(db, name).state.findOne({ _id: stateId }))) continue
    if ((await currentName(db, layout)) === name) continue
    await db.dropCollection(name)
    dropped.push(name)
  }
  return dropped
}
