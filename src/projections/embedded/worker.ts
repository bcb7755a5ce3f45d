import { parentPort, workerData } from 'node:worker_threads'
import { openLogToFollow } from './followedLog.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import { giveWay } from '../../shared/threads/giveWay.ts'
import { DamagedReadModels, isLost, type Lost } from '../errors.ts'
import { startRunner } from '../runner.ts'
import { searchPathOf, shownIn } from '../search/sqlite/indexFile.ts'
import { completed } from '../sqlite/file.ts'
import { history, historyPathOf } from './historyFile.ts'
import { openKeptFile, storeOf } from '../sqlite/keptFile.ts'
import { searchFile } from './searchFile.ts'
import type { Order, Report, Work } from './workerThread.ts'

const post = (report: Report): void => parentPort?.postMessage(report)
const lose = ({ name, message }: Lost): void => post({ lost: { name, message } })
const say = (level: 'warn' | 'info') => (fields: object, line: string) => post({ level, fields, line })

/** Milliseconds that catching up may take when the thread ends; what is left then comes with the next start. */
const farewell = 3000

/** Milliseconds after which who waits has given up. */
const patience = 30_000

/** What this thread projects is made of events, or of rows that are stored. */
const noRows = { getMany: () => Promise.reject(new Error('No rows of entities are folded here.')) }

/** Tells how far projections have come, those that move together in one message. */
const makeTelling = () => {
  let moved: [string, bigint | undefined][] = []
  return (projection: string, position: bigint | undefined): void => {
    if (moved.length === 0)
      queueMicrotask(() => {
        post({ moved })
        moved = []
      })
    moved.push([projection, position])
  }
}

interface Started {
  /** Somebody waits for a projection to come so far. */
  awaited(projection: string, position: bigint): void
  /** Writes what is in the log, and closes the files. */
  close(): Promise<void>
}

const openFiles = ({ path, pageBytes, bulk = false }: Work, flush: () => void) => {
  const onReplaced = (reason: string): void => lose(new DamagedReadModels(reason))
  const past = openKeptFile(history, { path: historyPathOf(path), pageBytes, bulk, onReplaced })
  // The index of read models that are being filled is made of the entities when they are complete.
  if (bulk) return { past }
  const options = { path: searchPathOf(path), entities: path, pageBytes, flush, onReplaced }
  return { past, index: openKeptFile(searchFile, options) }
}

const start = async (work: Work): Promise<Started> => {
  const log = await openLogToFollow(work.log)
  const searching = new Set<symbol>()
  const flush = (): void => {
    if (searching.size > 0) post({ needs: 'flush' })
  }
  const { past, index } = openFiles(work, flush)
  const files = [past, ...(index ? [index] : [])]
  const runner = startRunner({
    log,
    store: storeOf(files),
    readModels: noRows,
    kindNamed,
    logger: { warn: say('warn'), info: say('info') },
    onLost: lose,
    onMoved: makeTelling(),
  })
  const waitFor = async (projection: string, position: bigint, timeout: number): Promise<void> => {
    const waiting = Symbol(projection)
    if (index?.projections.some(({ name }) => name === projection)) searching.add(waiting)
    log.look?.()
    // Who waits in the other thread is told there that it takes too long.
    await runner.waitFor(position, timeout, projection).catch(() => undefined)
    searching.delete(waiting)
  }
  const catchUp = async (): Promise<void> => {
    const head = await log.head().catch(() => undefined)
    const shown = index && shownIn(index.current().file)
    const ends = files.flatMap((file) =>
      file.projections.map(({ name }) => [name, file === index ? shown : head] as const),
    )
    await Promise.all(ends.map(([name, end]) => end !== undefined && waitFor(name, end, farewell)))
  }
  return {
    awaited: (projection, position) => void waitFor(projection, position, patience),
    close: async () => {
      await catchUp()
      await runner.stop()
      if (work.bulk === true) completed(past.current().file).seal()
      for (const file of files.toReversed()) await file.close()
      await log.close()
    },
  }
}

giveWay()
// Whoever began this thread begins another one when it fails; what that one cannot mend either is told.
const started = start(workerData as Work).catch((error: unknown): undefined => {
  if (!isLost(error)) throw error
  lose(error)
})
parentPort?.on('message', async (order: Order) => {
  const running = await started
  if (order !== 'stop') return running?.awaited(...order.awaited)
  await running?.close()
  parentPort?.close()
})
