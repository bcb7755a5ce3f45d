import { parentPort, workerData } from 'node:worker_threads'
import type { EventStore } from '../../events/eventStore.ts'
import { withIncarnations } from '../../events/legacyReferences.ts'
import { openSqliteEventStore, type SqliteEventStore } from '../../events/sqlite/store.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import { closeAll } from '../../stores/closing.ts'
import { lowerPriority } from '../../shared/threads/lowerPriority.ts'
import { DamagedReadModels, needsRebuild } from '../errors.ts'
import { startRunner } from '../runner.ts'
import { searchPathOf } from '../search/sqlite/indexFile.ts'
import { history, historyPathOf } from './historyFile.ts'
import { openProjectionFile, storeOf } from '../sqlite/projectionFile.ts'
import { searchFile } from './searchFile.ts'
import type { LogAddress, Order, Report, Work } from './workerThread.ts'

const post = (report: Report): void => parentPort?.postMessage(report)
/** What a newer version of the catalog wrote, the main thread meets itself. */
const reportLost = (error: Error): void => {
  if (needsRebuild(error)) post({ lost: { name: error.name, message: error.message } })
}
const logTo = (level: 'warn' | 'info') => (fields: object, line: string) => post({ level, fields, line })

/** Timeout of waiting in milliseconds. */
const waitTimeout = 30_000

/** This thread's projections need no folded rows. */
const noRows = { getMany: () => Promise.reject(new Error('No rows of entities are folded here.')) }

type FollowedLog = EventStore & Partial<Pick<SqliteEventStore, 'pollNow'>>

const openLogToFollow = async (address: LogAddress): Promise<FollowedLog> => {
  if ('path' in address) return withIncarnations(openSqliteEventStore({ ...address, readOnly: true }))
  const { openEventStoreDb } = await import('../../events/eventstoredb/store.ts')
  return withIncarnations(openEventStoreDb({ ...address, logger: { debug: () => undefined } }))
}

const openFiles = ({ path, pageBytes }: Work, flush: () => void) => {
  const onReplaced = (reason: string): void => reportLost(new DamagedReadModels(reason))
  const index = searchPathOf(path)
  return {
    past: openProjectionFile(history, { path: historyPathOf(path), pageBytes, onReplaced }),
    index: openProjectionFile(searchFile({ entities: path, flush }), { path: index, pageBytes, onReplaced }),
  }
}

const start = async (work: Work) => {
  const log = await openLogToFollow(work.log)
  const searching = new Set<symbol>()
  const flush = (): void => {
    if (searching.size > 0) post({ needs: 'flush' })
  }
  const { past, index } = openFiles(work, flush)
  const runner = startRunner({
    log,
    store: storeOf([past, index]),
    readModels: noRows,
    kindNamed,
    logger: { warn: logTo('warn'), info: logTo('info') },
    onLost: reportLost,
    onMoved: (...moved) => post({ moved }),
  })
  const waitFor = async (projection: string, position: bigint): Promise<void> => {
    const waiting = Symbol(projection)
    if (index.projections.some(({ name }) => name === projection)) searching.add(waiting)
    log.pollNow?.()
    // The waiting thread reports the timeout itself.
    await runner.waitFor(position, waitTimeout, projection).catch(() => undefined)
    searching.delete(waiting)
  }
  return {
    waitFor,
    /** Closes the files; the next start goes on from the checkpoints. */
    close: (): Promise<void> => closeAll([runner.stop, index.close, past.close, log.close]),
  }
}

lowerPriority()
// A failed worker is restarted by its owner; only permanent failures are reported.
const started = start(workerData as Work).catch((error: unknown): undefined => {
  if (!needsRebuild(error)) throw error
  reportLost(error)
})
parentPort?.on('message', async (order: Order) => {
  const running = await started
  if (order !== 'stop') return running?.waitFor(...order.awaited)
  await running?.close()
  parentPort?.close()
})
