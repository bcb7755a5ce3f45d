import type { Db } from 'mongodb'
import type { Logger } from 'pino'
import {
  connect,
  databaseIn,
  reaching,
  reachingAgain,
  type OnCommand,
  type Patience,
} from '../../../stores/mongo/connection.ts'
import {
  createGeneration,
  currentGeneration,
  dropDeadGenerations,
  dropGeneration,
  ensureGeneration,
  moveOn,
  readState,
  replaceGeneration,
  replacedAge,
  type Generation,
} from './generations.ts'
import { gathering } from './gather.ts'
import { ensureIndexes } from './indexes.ts'
import { listPage, makeTotals, unshown } from './lists.ts'
import { childrenOf, chunksOf, gatheringRelated, relatedTo } from './relations.ts'
import {
  fromDocument,
  placesBelow,
  placesOf,
  referenceFields,
  shownStatuses,
  statusNumbers,
  toReferenceRow,
  type EntityDocument,
} from './rows.ts'
import { search, suggest } from '../../search/mongo/search.ts'
import { currentSource, fixedSource, type Source } from './source.ts'
import { unsettled } from './unsettled.ts'
import { writeRows } from './writes.ts'
import { entitiesProjection } from '../entitiesProjection.ts'
import type { EntityRow, ReadModels } from '../readModels.ts'
import type { Projection } from '../../projection.ts'

export interface MongoReadModelsOptions {
  /** `mongodb://` or `mongodb+srv://` connection string. */
  readonly url: string
  /** Name of the database; else the one in the connection string, else `catalog`. */
  readonly database?: string | undefined
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Creates and changes nothing; before anybody has written every read finds nothing. */
  readonly readOnly?: boolean | undefined
  readonly patience?: Patience | undefined
  /** Is told every command that is sent, to see what the server makes of it. */
  readonly onCommand?: OnCommand | undefined
}

/** Ids that one query names. */
const idsAtOnce = 2000

/** Documents that a scan reads at once. */
const scanSize = 1000

type Reads = Omit<ReadModels, 'projections' | 'startRebuild' | 'ping' | 'close' | 'scan'>

/** Is it an entity, and not the state that stands among them? */
const isEntity = <D extends object>(document: D | null): document is D => document !== null && 'kind' in document

const manyOf = async <D extends { _id: string }, R>(
  ids: readonly string[],
  fields: object,
  { entities }: Generation,
  toRow: (document: D) => R,
): Promise<Map<string, R>> => {
  const rows = new Map<string, R>()
  for (const chunk of chunksOf(ids, idsAtOnce)) {
    const documents = entities
      .find({ _id: { $in: chunk } })
      .project<D>(fields)
      .batchSize(idsAtOnce)
    for (const document of await documents.toArray()) if (isEntity(document)) rows.set(document._id, toRow(document))
  }
  return rows
}

/** Of several with the same FQN a live one, then the lowest id. */
const byFqn = async ({ entities }: Generation, kind: string, fqn: string): Promise<EntityRow | undefined> => {
  for (const status of shownStatuses) {
    const options = { projection: unshown, sort: { place: 1 } } as const
    const document = await entities.findOne({ kind, status, place: placesOf(fqn) }, options)
    if (document) return fromDocument(document)
  }
  return undefined
}

/** Dropped, it is made anew when the checkpoint is next asked for. */
const projectionOf = (db: Db, source: Source): Projection => ({
  ...entitiesProjection,
  apply: async (batch) => {
    const rows = await batch.rows()
    return async (checkpoint) => {
      const generation = source.writing()
      await writeRows(generation.entities, rows)
      await source.written(generation, moveOn(generation, checkpoint, rows.length > 0))
    }
  },
  rebuild: async () => dropGeneration(db, await source.current()),
})

const readsOf = (source: Source): Reads => {
  const totals = makeTotals()
  const entities = async () => (await source.current()).entities
  const rows = gathering(async (ids) => manyOf(ids, unshown, await source.current(), fromDocument))
  const references = gathering(async (ids) => manyOf(ids, referenceFields, await source.current(), toReferenceRow))
  const related = gatheringRelated(async (ids, rel, limit) => relatedTo(await entities(), ids, rel, limit))
  return {
    checkpoints: async () => {
      const checkpoint = await source.checkpoint()
      return new Map(checkpoint === undefined ? [] : [[entitiesProjection.name, checkpoint]])
    },
    commit: async (writes, checkpoint) => void (await Promise.all(writes.map((write) => write(checkpoint)))),
    get: async (id) => (await rows([id])).get(id),
    getByFqn: async (kind, fqn) => byFqn(await source.current(), kind, fqn),
    getMany: rows,
    getReferences: references,
    list: async (query) => listPage(await source.current(), totals, query),
    relatedTo: related,
    childrenOf: async (ids, kind, limit) => childrenOf(await entities(), ids, kind, limit),
    countBelow: async (kind, scope) =>
      totals.count(await source.current(), { kind, status: statusNumbers.live, place: placesBelow(scope) }),
    unsettled: async (limit, ids) => unsettled(await entities(), limit, ids),
    search: async (query) => search(await source.current(), totals, query),
    suggest: async (prefix, kinds, limit) => suggest(await source.current(), prefix, kinds, limit),
  }
}

/** Every call reaches the server or fails with an error that the port knows. All of them may be repeated, `commit` too. */
const guarded = (reads: Reads): Reads =>
  Object.fromEntries(
    Object.entries(reads).map(([name, read]) => [
      name,
      (...args: unknown[]) => reachingAgain(() => (read as (...given: unknown[]) => Promise<unknown>)(...args)),
    ]),
  ) as unknown as Reads

async function* scan(source: Source): AsyncGenerator<EntityRow, void, undefined> {
  const { entities } = await reaching(() => source.current())
  const documents = entities
    .find({ status: { $in: [...shownStatuses] } })
    .project<EntityDocument>(unshown)
    .sort({ _id: 1 })
    .batchSize(scanSize)
  try {
    for (;;) {
      const document = await reaching(() => documents.next())
      if (document === null) return
      yield fromDocument(document)
    }
  } finally {
    await documents.close().catch(() => undefined)
  }
}

const begin = async (db: Db, readOnly: boolean): Promise<Generation | undefined> => {
  if (readOnly) return currentGeneration(db)
  const { generation } = await ensureGeneration(db)
  await ensureIndexes(generation.entities)
  return generation
}

/** Drops what is left of earlier generations, now and when those have become old that were just replaced. */
const makeSweeper = (db: Db, logger: MongoReadModelsOptions['logger']) => {
  let timer: NodeJS.Timeout | undefined
  const sweep = async (): Promise<void> => {
    try {
      const dropped = await dropDeadGenerations(db)
      if (dropped.length > 0) logger.info({ dropped }, 'former read models were dropped')
    } catch (error) {
      logger.warn({ err: error }, 'former read models could not be dropped; it is tried again at the next start')
    }
  }
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void sweep(), replacedAge + 1000)
    timer.unref()
  }
  return { sweep, later, stop: () => clearTimeout(timer) }
}

/**
 * Opens read models in a MongoDB database. Collections and indexes are made, and checked when they exist.
 * Only what every server that speaks the protocol does is used: no transactions, no sessions, no server-side joins.
 * @throws StoreUnavailable when no server answers in time
 * @throws UnsupportedServer when the server is too old
 * @throws IndexMismatch when an index of ours has other keys
 */
export const openMongoReadModels = async (options: MongoReadModelsOptions): Promise<ReadModels> => {
  const { url, logger, readOnly = false } = options
  const client = await connect(url, options.patience ?? {}, options.onCommand)
  const db = client.db(options.database ?? databaseIn(url))
  const sweeper = makeSweeper(db, logger)
  const close = async (): Promise<void> => {
    sweeper.stop()
    await client.close()
  }
  const ping = () => reachingAgain(async () => void (await db.command({ ping: 1 })))
  try {
    const source = currentSource(db, readOnly, await reaching(() => begin(db, readOnly)))
    if (!readOnly) {
      await sweeper.sweep()
      sweeper.later()
    }

    const storeOf = (from: Source) => ({
      ...guarded(readsOf(from)),
      projections: [projectionOf(db, from)],
      scan: () => scan(from),
    })

    const startRebuild: ReadModels['startRebuild'] = () =>
      reaching(async () => {
        const generation = await createGeneration(db)
        const fresh = fixedSource(generation)
        const swap = async (): Promise<void> => {
          const former = await currentGeneration(db)
          await replaceGeneration(db, generation)
          const [before, after] = [former && (await readState(former)), await readState(generation)]
          source.adopt(generation, (before?.position ?? -1n) <= (after?.position ?? -1n))
          sweeper.later()
        }
        /** A swap whose answer was lost has put it in place all the same. */
        const discard = async (): Promise<void> => {
          if ((await currentGeneration(db))?.name !== generation.name) await dropGeneration(db, generation)
        }
        return {
          fresh: { ...storeOf(fresh), startRebuild, ping, close: async () => {} },
          swap: () => reaching(swap),
          discard: () => reaching(discard),
        }
      })

    return { ...storeOf(source), startRebuild, ping, close }
  } catch (error) {
    await close()
    throw error
  }
}
