import { parentPort, workerData } from 'node:worker_threads'
import type { EventStore } from '../../events/eventStore.ts'
import { makeNotifier } from '../../events/notifier.ts'
import { openSqliteEventStore } from '../../events/sqlite/store.ts'
import { kindNamed } from '../../kinds/index.ts'
import { isLost, type Lost } from '../lanes.ts'
import { DamagedReadModels } from '../readModels.ts'
import { startRunner } from '../runner.ts'
import { history, historyProjections } from './history.ts'
import type { HistoryWork, Order, Report } from './historyThread.ts'
import { openKeptFile, storeOf } from './keptFile.ts'

const { log: logPath, logBytes, path, pageBytes } = workerData as HistoryWork

const post = (report: Report): void => parentPort?.postMessage(report)
const lose = ({ name, message }: Lost): void => post({ lost: { name, message } })
const say = (level: 'warn' | 'info') => (fields: object, line: string) => post({ level, fields, line })

/** Milliseconds for which events are gathered while nobody waits, and how many are worth a batch of their own. */
const gathering = 200
const enough = 500

/** As far as somebody waits for something. */
let wanted = 0n
const hurried = makeNotifier()

/** Lets events come together while nobody waits for them: a batch costs much the same whether it has one or a hundred. */
const paced = (log: EventStore): EventStore => ({
  ...log,
  subscribe: async function* (options) {
    for await (const batch of log.subscribe(options)) {
      yield batch
      const head = (await log.head()) ?? 0n
      const isClose = head - batch.position < enough
      if (isClose && batch.position >= wanted) await hurried.wait(options.signal, gathering)
    }
  },
})

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

/** What happened is made of events alone. */
const noRows = { getMany: () => Promise.reject(new Error('No rows of entities are read here.')) }

/** Milliseconds that catching up may take when it ends; what is left then comes with the next start. */
const farewell = 3000

interface Running {
  /** Sees to it that a projection comes so far as soon as it can. @throws ProjectionBehind after so many milliseconds */
  hurry(projection: string, position: bigint, timeout: number): Promise<void>
  /** Writes what is in the log, and closes the files. */
  close(): Promise<void>
}

const begin = (): Running => {
  const log = openSqliteEventStore({ path: logPath, readOnly: true, cacheBytes: logBytes })
  const onReplaced = (reason: string): void => lose(new DamagedReadModels(reason))
  const kept = openKeptFile(history, { path, pageBytes, onReplaced })
  const runner = startRunner({
    log: paced(log),
    store: { ...storeOf([kept]), together: true },
    readModels: noRows,
    kindNamed,
    logger: { warn: say('warn'), info: say('info') },
    onLost: lose,
    onMoved: makeTelling(),
  })
  const hurry: Running['hurry'] = (projection, position, timeout) => {
    if (position > wanted) wanted = position
    log.look()
    hurried.notify()
    return runner.waitFor(position, timeout, projection)
  }
  const close = async (): Promise<void> => {
    const head = await log.head()
    if (head !== undefined) await Promise.allSettled(historyProjections.map((name) => hurry(name, head, farewell)))
    await runner.stop()
    await kept.close()
    await log.close()
  }
  return { hurry, close }
}

/** A failure ends the thread, and another one is begun; what another one cannot mend either is told. */
const begun = (): Running | undefined => {
  try {
    return begin()
  } catch (error) {
    if (!isLost(error)) throw error
    lose(error)
    return undefined
  }
}

const running = begun()

const stop = async (): Promise<void> => {
  await running?.close()
  parentPort?.close()
}

/** Milliseconds after which who waits has given up. */
const patience = 30_000

parentPort?.on('message', (order: Order) => {
  if (order === 'stop') return void stop()
  // Who waits in the other thread is told there that it takes too long.
  running?.hurry(...order.hurry, patience).catch(() => undefined)
})
