import { randomUUID } from 'node:crypto'
import { BSON } from 'mongodb'
import { isBehind } from '../../events/events.ts'
import { StoreUnavailable } from '../../stores/errors.ts'
import { withStoreErrors, withRetry } from '../../stores/mongo/connection.ts'
import type { CatchUp } from '../readModels/readModels.ts'
import type { Batch, Checkpoint, Projection } from '../projection.ts'
import {
  changeState,
  createGeneration,
  currentGeneration,
  dropDeadGenerations,
  dropGeneration,
  ensureGeneration,
  ensureIndexes,
  generationToFill,
  keepAlive,
  opened,
  openGeneration,
  pointerId,
  positionIn,
  readState,
  stateId,
  type Generation,
  type Layout,
} from './generations.ts'
import type { CurrentSourceOptions, Source } from './reading.ts'
import { currentSource, fixedSource, replaceGeneration } from './source.ts'
import type { StoredTable } from '../stored/differences.ts'
import { makeBatchWriter, type DocumentChanges } from './writes.ts'

export interface MongoLayout extends Layout {
  documentsOf(batch: Batch, generation: Generation): Promise<readonly DocumentChanges[]>
  /** Drops caches before resuming from the stored checkpoint, since others may have written. */
  dropCache(generation: Generation): void
  /** See {@link StoredRow}. */
  mayRemain(id: string): boolean
}

/** A projection in MongoDB, with reads `R`. */
export interface Collections<R = unknown> {
  readonly projection: Projection
  readonly reads: R
  checkpoint(): Promise<Checkpoint | undefined>
  /** The checkpoint of the current generation, with one read. */
  readCheckpoint(): Promise<Checkpoint | undefined>
  /** See {@link ReadModels.stored}. */
  stored(): StoredTable
}

/** Batching of projections that no write waits for: each batch is several commands. */
export const mongoBatching = { time: 1000, size: 1000 }

/** For what writes wait for: with fewer of them, waiting would take longer than the commands that it saves. */
export const mongoCrowd = { waiting: 24, time: 10, size: 1000 }

/** Options of every projection in a database. */
export interface MongoProjectionOptions extends Omit<CurrentSourceOptions, 'layout'> {
  /** Whether the server preserves the order of writes. */
  readonly isOrdered: () => Promise<boolean>
}

/** A rebuild beside the current generation. */
interface MongoRebuild<R = unknown> {
  readonly fresh: Collections<R>
  swap(catchUp: CatchUp): Promise<void>
  discard(why?: unknown): Promise<void>
}

/** A projection with its maintenance operations. */
export interface MongoProjection<R = unknown> extends Collections<R> {
  /** @param resumed resume an interrupted rebuild */
  startRebuild(resumed?: boolean): Promise<MongoRebuild<R>>
  /** Drops unused collections, and those replaced more than this many milliseconds ago. @returns their names */
  sweep(replacedAge: number): Promise<string[]>
}

const openedFrom = <R>(
  layout: MongoLayout,
  source: Source,
  reads: R,
  isOrdered: MongoProjectionOptions['isOrdered'],
): Collections<R> => ({
  reads,
  projection: projectionIn(layout, source, isOrdered),
  checkpoint: () => {
    layout.dropCache(source.writeTarget())
    return source.checkpoint()
  },
  readCheckpoint: source.readCheckpoint,
  stored: () => storedIn(layout, source),
})

const storedIn = ({ name, mayRemain }: MongoLayout, source: Source): StoredTable => ({
  projection: name,
  table: name,
  rows: async function* () {
    const generation = await source.read(async (current) => current)
    for await (const { _id, ...rest } of generation.documents.find())
      if (_id !== stateId) yield [_id, BSON.EJSON.stringify(sorted(rest)), mayRemain(_id)]
  },
})

/** Sorts members, since processes may write them in different orders. */
const sorted = (members: object): object =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))

const projectionIn = (
  layout: MongoLayout,
  source: Source,
  isOrdered: MongoProjectionOptions['isOrdered'],
): Projection => {
  const store = makeBatchWriter(isOrdered)
  return {
    ...layout,
    apply: async (batch) => {
      const documents = await withStoreErrors(() => layout.documentsOf(batch, source.writeTarget()))
      await withRetry(() => source.write((generation) => store({ batch, generation, documents })))
    },
  }
}

const begin = async ({ db, readOnly, pointers }: MongoProjectionOptions, layout: Layout) => {
  if (readOnly) {
    const name = (await pointers([pointerId(layout)])).get(pointerId(layout))
    return name === undefined ? undefined : opened(openGeneration(db, name))
  }
  const begun = await ensureGeneration(db, layout)
  await ensureIndexes(begun.generation, layout.indexes)
  return begun
}

/** Creates the collection and its indexes, or checks them; a reader creates nothing. */
export const openMongoProjection = async <R>(
  layout: MongoLayout,
  reads: (source: Source) => R,
  options: MongoProjectionOptions,
): Promise<MongoProjection<R>> => {
  const { db, isOrdered } = options
  const source = currentSource({ ...options, layout }, await begin(options, layout))
  const startRebuild: MongoProjection<R>['startRebuild'] = async (resumed = false) => {
    const builder = resumed ? randomUUID() : undefined
    const generation = await (builder === undefined
      ? createGeneration(db, layout)
      : generationToFill(db, layout, builder))
    const stop = keepAlive(generation)
    let inPlace = false
    const fixed = fixedSource(generation, () => inPlace)
    return {
      fresh: openedFrom(layout, fixed, reads(fixed), isOrdered),
      swap: async (catchUp) => {
        // From now on no other rebuild resumes it.
        await changeState(generation, {}, { $unset: { builder: '' } })
        const before = await replaceGeneration(db, layout, generation, catchUp)
        stop()
        inPlace = true
        source.adopt(generation, !isBehind(positionIn(await readState(generation)), before))
      },
      /** A swap whose answer was lost may have succeeded, and another rebuild may resume it. */
      discard: async (why) => {
        stop()
        const isResumed = why instanceof StoreUnavailable || (why as Error | undefined)?.name === 'AbortError'
        if (builder !== undefined && isResumed) return
        const filling = await readState(generation)
        const isElse = filling?.builder !== undefined && filling.builder !== builder
        if (!isElse && (await currentGeneration(db, layout))?.generation.name !== generation.name)
          await dropGeneration(db, generation)
      },
    }
  }
  return {
    ...openedFrom(layout, source, reads(source), isOrdered),
    startRebuild,
    sweep: (replacedAge) => dropDeadGenerations(db, layout, replacedAge),
  }
}
