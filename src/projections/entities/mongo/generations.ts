import { randomUUID } from 'node:crypto'
import type { Collection, Db } from 'mongodb'
import { isDuplicate } from '../../../stores/mongo/connection.ts'
import { ensureIndexes } from './indexes.ts'
import { numberText, type EntityDocument } from './rows.ts'

/** How far a generation has come. It stands among the entities, so that whoever empties the collection takes it too. */
interface StateDocument {
  _id: string
  /** Up to where the log has been applied; `null`: nothing has. */
  position: string | null
  /** Grows whenever rows have been applied. */
  applied: number
  /** When that was, by the clock of the process. */
  touched: Date
  /** Another generation has taken its place. */
  replaced?: boolean
}

/** Names the collection that is read and written. */
interface PointerDocument {
  _id: string
  entities: string
}

/** One collection of entities with its state. A rebuild fills another one. */
export interface Generation {
  readonly name: string
  readonly entities: Collection<EntityDocument>
  readonly state: Collection<StateDocument>
}

export interface State {
  readonly position: bigint | undefined
  readonly applied: number
}

/** Differs between two states with rows applied in between, also by a process that ended before it could count them. */
export const versionOf = (state: State | undefined): string => `${state?.position} ${state?.applied}`

/** Layouts live beside each other, each behind a pointer of its own: a version with another layout replays the log. */
const layout = 'layout-1'
const prefix = `entities_1_`
const stateId = 'state'

/** After this many milliseconds a generation that was replaced is read by nobody, and an abandoned rebuild is dead. */
export const replacedAge = 60_000
const abandonedAge = 3_600_000

const generationNamed = (db: Db, name: string): Generation => ({
  name,
  entities: db.collection<EntityDocument>(name),
  state: db.collection<StateDocument>(name),
})

const pointersOf = (db: Db): Collection<PointerDocument> => db.collection<PointerDocument>('read_models')

/** A generation that never exists, so that reads before the first start find nothing. */
export const noGeneration = (db: Db): Generation => generationNamed(db, `${prefix}none`)

/** The state, or `undefined` when somebody has emptied or dropped the collection. */
export const readState = async ({ state }: Generation): Promise<State | undefined> => {
  const found = await state.findOne({ _id: stateId })
  if (found === null) return undefined
  return { position: found.position === null ? undefined : BigInt(found.position), applied: found.applied }
}

/**
 * Moves the checkpoint on, never back.
 * @returns false when the generation has no state any more
 */
export const moveOn = async ({ state }: Generation, position: bigint, applied: boolean): Promise<boolean> => {
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
export const createGeneration = async (db: Db): Promise<Generation> => {
  const generation = generationNamed(db, `${prefix}${Date.now().toString(36)}_${randomUUID().slice(0, 8)}`)
  await generation.state.insertOne({ _id: stateId, position: null, applied: 0, touched: new Date() })
  await ensureIndexes(generation.entities)
  return generation
}

export const currentGeneration = async (db: Db): Promise<Generation | undefined> => {
  const pointer = await pointersOf(db).findOne({ _id: layout })
  return pointer === null ? undefined : generationNamed(db, pointer.entities)
}

/** Points to another generation; false when somebody else has pointed elsewhere meanwhile. */
const point = async (db: Db, from: Generation | undefined, to: Generation): Promise<boolean> => {
  const pointers = pointersOf(db)
  if (from !== undefined) {
    const change = { $set: { entities: to.name } }
    const { matchedCount } = await pointers.updateOne({ _id: layout, entities: from.name }, change)
    return matchedCount === 1
  }
  try {
    await pointers.insertOne({ _id: layout, entities: to.name })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** The current generation with its state; it is made when there is none, and made anew when it was emptied. */
export const ensureGeneration = async (db: Db): Promise<{ generation: Generation; state: State }> => {
  for (;;) {
    const current = await currentGeneration(db)
    const state = current && (await readState(current))
    if (current && state) return { generation: current, state }
    const fresh = await createGeneration(db)
    if (await point(db, current, fresh)) return { generation: fresh, state: { position: undefined, applied: 0 } }
    await fresh.entities.drop()
  }
}

/** Drops a generation, also one that somebody else has dropped. */
export const dropGeneration = async (db: Db, { name, entities }: Generation): Promise<void> => {
  const collections = await db.listCollections({ name }, { nameOnly: true }).toArray()
  if (collections.some((collection) => collection.name === name)) await entities.drop()
}

/** Puts a generation in place of the current one, which others may go on reading for a moment. */
export const replaceGeneration = async (db: Db, to: Generation): Promise<void> => {
  for (;;) {
    const from = await currentGeneration(db)
    if (from?.name === to.name) return
    if (!(await point(db, from, to))) continue
    await from?.state.updateOne({ _id: stateId }, { $set: { replaced: true, touched: new Date() } })
    return
  }
}

const isDead = (state: StateDocument | null): boolean => {
  if (state === null) return true
  return Date.now() - state.touched.getTime() > (state.replaced ? replacedAge : abandonedAge)
}

/** Drops generations that were replaced, and those of rebuilds that nobody goes on with. */
export const dropDeadGenerations = async (db: Db): Promise<string[]> => {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  const dropped: string[] = []
  for (const { name } of collections) {
    if (!name.startsWith(prefix)) continue
    const generation = generationNamed(db, name)
    if (!isDead(await generation.state.findOne({ _id: stateId }))) continue
    if ((await currentGeneration(db))?.name === name) continue
    await generation.entities.drop()
    dropped.push(name)
  }
  return dropped
}
