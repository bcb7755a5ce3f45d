import type { Db } from 'mongodb'
import type { Logger } from 'pino'
import { connect, withStoreErrors, withRetry, type DatabaseOptions, identityIn } from '../../stores/mongo/connection.ts'
import { activityDocuments } from '../activity/activityProjection.ts'
import { documentsInMongo } from '../documents/mongo.ts'
import { inboxDocuments } from '../inbox/inbox.ts'
import type { ReadModelReads, ReadModels } from '../readModels/readModels.ts'
import type { Checkpoint } from '../projection.ts'
import { searchInMongo } from '../search/mongo/search.ts'
import { timelineDocuments } from '../timeline/read.ts'
import { lineageDocuments } from '../lineage/lineageProjection.ts'
import { batchReads } from '../../shared/batchReads.ts'
import { pointerId, readPointers } from '../mongo/generations.ts'
import { dropUnusedVersions, openLease } from '../mongo/mongoLease.ts'
import { preservesOrder } from '../mongo/writes.ts'
import type { Collections, MongoProjection, MongoProjectionOptions } from '../mongo/mongoProjection.ts'
import { treeDocuments } from '../tree/treeProjection.ts'
import { guardAll } from '../../stores/errors.ts'
import { mergePorts } from '../errors.ts'
import { entityDocuments } from '../entities/entityProjection.ts'

export interface MongoReadModelsOptions extends DatabaseOptions {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Creates and changes nothing; all reads of an empty database are empty. */
  readonly readOnly?: boolean | undefined
  /** Milliseconds after which replaced read models are dropped (default 60,000). */
  readonly keepReplaced?: number | undefined
  /** Interval in milliseconds of looking for read models that can be dropped (default an hour). */
  readonly sweepEvery?: number | undefined
  /** Duration of the leases of the projectors in milliseconds (default 2,100). */
  readonly silence?: number | undefined
}

const all = {
  entities: documentsInMongo(entityDocuments(0)),
  search: searchInMongo,
  activity: documentsInMongo(activityDocuments),
  tree: documentsInMongo(treeDocuments),
  timeline: documentsInMongo(timelineDocuments),
  lineage: documentsInMongo(lineageDocuments),
  inbox: documentsInMongo(inboxDocuments),
}

type AllOpened = { readonly [N in keyof typeof all]: Awaited<ReturnType<(typeof all)[N]>> }

type Together = { readonly [N in keyof AllOpened]: Collections<AllOpened[N]['reads']> }

const openAll = async (from: MongoProjectionOptions): Promise<AllOpened> => {
  const opened: Record<string, Collections> = {}
  for (const [name, open] of Object.entries(all)) opened[name] = await withStoreErrors<Collections>(() => open(from))
  return opened as AllOpened
}

const startRebuilds = async (projections: AllOpened, resumed: boolean | undefined) => {
  const all = Object.values<MongoProjection>(projections)
  const rebuilds = await Promise.all(all.map((each) => each.startRebuild(resumed)))
  const fresh = Object.keys(projections).map((name, at) => [name, rebuilds[at]?.fresh] as const)
  return { fresh: Object.fromEntries(fresh) as Together, rebuilds }
}

type Reads = ReadModelReads & Pick<ReadModels, 'checkpoints'>

const readsOf = (together: Together): Reads => {
  const { entities, search, ...history } = together
  return {
    ...entities.reads,
    ...search.reads(entities.reads),
    ...mergePorts(Object.values(history).map(({ reads }) => reads)),
    checkpoints: async () => {
      const found = await Promise.all(
        Object.values<Collections>(together).map(async ({ projection, checkpoint }) => [
          projection.name,
          await checkpoint(),
        ]),
      )
      return new Map(found.filter((each): each is [string, Checkpoint] => each[1] !== undefined))
    },
  }
}

const storeOf = (together: Together): Reads & Pick<ReadModels, 'projections' | 'stored'> => ({
  ...guardAll(readsOf(together), withRetry),
  projections: Object.values<Collections>(together).map(({ projection }) => projection),
  stored: async () => ({
    tables: Object.values<Collections>(together).map((each) => each.stored()),
    unsettled: [],
    isMoment: false,
  }),
})

/** Drops earlier generations and unused versions: now, every hour, and when the ones just replaced have expired. */
const makeSweeper = (
  db: Db,
  projections: readonly MongoProjection[],
  { logger, keepReplaced = 60_000, sweepEvery = 3_600_000 }: MongoReadModelsOptions,
) => {
  let timer: NodeJS.Timeout | undefined
  let repeated: NodeJS.Timeout | undefined
  const sweep = async (): Promise<void> => {
    try {
      const own = projections.map(({ projection }) => pointerId(projection))
      const replaced = await Promise.all(projections.map((each) => each.sweep(keepReplaced)))
      const dropped = [...replaced.flat(), ...(await dropUnusedVersions(db, own))]
      if (dropped.length > 0) logger.info({ dropped }, 'former read models were dropped')
    } catch (error) {
      logger.warn({ err: error }, 'former read models could not be dropped; it is tried again in an hour')
    }
  }
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void sweep(), keepReplaced * 1.02)
    timer.unref()
  }
  return {
    start: async (): Promise<void> => {
      await sweep()
      later()
      repeated = setInterval(() => void sweep(), sweepEvery).unref()
    },
    later,
    stop: () => {
      clearTimeout(timer)
      clearInterval(repeated)
    },
  }
}

/**
 * Opens read models in a MongoDB database, without transactions, sessions or joins, which not every server has.
 * @throws StoreUnavailable, UnsupportedServer, IndexMismatch
 */
export const openMongoReadModels = async (options: MongoReadModelsOptions): Promise<ReadModels> => {
  const { readOnly = false } = options
  const { client, db } = await connect(options)
  const ping = () => withRetry(async () => void (await db.command({ ping: 1 })))
  try {
    let sweeper: ReturnType<typeof makeSweeper> | undefined
    const moved = (): void => sweeper?.later()
    const pointers = batchReads((ids) => readPointers(db, ids))
    let ordered: boolean | undefined
    const isOrdered = async () => (ordered ??= await preservesOrder(db))
    const projections = await openAll({ db, readOnly, moved, pointers, isOrdered })
    if (!readOnly) {
      sweeper = makeSweeper(db, Object.values<MongoProjection>(projections), options)
      await sweeper.start()
    }
    const startRebuild: ReadModels['startRebuild'] = (resumed) =>
      withStoreErrors(async () => {
        const { fresh, rebuilds } = await startRebuilds(projections, resumed)
        return {
          fresh: { ...storeOf(fresh), startRebuild, ping, close: async () => {} },
          swap: async (catchUp = async () => {}) => {
            for (const { swap } of rebuilds) await withStoreErrors(() => swap(catchUp))
          },
          discard: async (why) => {
            for (const { discard } of rebuilds) await withStoreErrors(() => discard(why))
          },
        }
      })
    const close = async (): Promise<void> => {
      sweeper?.stop()
      await client.close()
    }
    const all = Object.values<Collections>(projections)
    const readCheckpoint: ReadModels['readCheckpoint'] = (name) =>
      withRetry(async () => all.find(({ projection }) => projection.name === name)?.readCheckpoint())
    const { entities, search, ...history } = projections
    const lease = openLease(db, [[entities], [search], Object.values<Collections>(history)], options.silence)
    const identity = guardAll(identityIn(db), withRetry)
    return { ...storeOf(projections), startRebuild, ping, close, lease, readCheckpoint, identity }
  } catch (error) {
    await client.close()
    throw error
  }
}
