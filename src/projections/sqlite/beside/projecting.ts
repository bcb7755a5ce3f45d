import { parentPort } from 'node:worker_threads'
import type { Codec } from '../../../events/codec.ts'
import type { EventStore } from '../../../events/eventStore.ts'
import { kindNamed } from '../../../kinds/index.ts'
import { giveWay } from '../../../shared/threads/giveWay.ts'
import { isLost, type Lost } from '../../lanes.ts'
import { DamagedReadModels } from '../../readModels.ts'
import { startRunner } from '../../runner.ts'
import { storeOf, type KeptFile } from '../keptFile.ts'
import { openProjectedLog } from './log.ts'
import { makeHurried, paced, type Hurried } from './pacing.ts'
import type { Order, ProjectingWork, Report } from './thread.ts'

const post = (report: Report): void => parentPort?.postMessage(report)
const lose = ({ name, message }: Lost): void => post({ lost: { name, message } })
const say = (level: 'warn' | 'info') => (fields: object, line: string) => post({ level, fields, line })

/** Milliseconds after which it is looked again whether there is what is waited for. */
const look = 20

/** Milliseconds that catching up may take when the thread ends; what is left then comes with the next start. */
const farewell = 3000

/** Milliseconds after which who waits has given up. */
const patience = 30_000

export interface Thread {
  /** Is told what was put aside; see `SqliteFileOptions.onReplaced`. */
  readonly onReplaced: (reason: string) => void
  /** Resolves when something is there that another thread writes. @throws Error when the thread ends before */
  readonly until: (isThere: () => boolean) => Promise<void>
}

export interface Projecting<O> {
  readonly open: (thread: Thread) => KeptFile<O, unknown>
  /** Milliseconds for which events are gathered while nobody waits: one costs as much as fifty. */
  readonly gathering: number
  /** How the events are read. Default: as they are. */
  readonly codec?: Codec
  /** Done before the log is followed, as far as the signal lets it. */
  readonly prepare?: (file: KeptFile<O, unknown>, stopping: AbortSignal) => Promise<void>
  /** Nearly nobody waits for it: it gives way to the other threads of the process. */
  readonly givesWay?: boolean
  /** As far as it can come now. Default: to the end of the log. */
  readonly reachable?: (file: KeptFile<O, unknown>) => bigint | undefined
}

interface Running {
  /** Has a projection come so far as soon as it can. @throws ProjectionBehind after so many milliseconds */
  hurry(projection: string, position: bigint, timeout: number): Promise<void>
  /** Writes what is in the log, and closes the files. */
  close(): Promise<void>
}

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

/** What threads project is made of events, or of rows that are stored. */
const noRows = { getMany: () => Promise.reject(new Error('No rows of entities are folded here.')) }

const startIn = (kept: KeptFile<unknown, unknown>, log: EventStore, reached: Hurried['reached']) => {
  const tell = makeTelling()
  return startRunner({
    log,
    store: { ...storeOf([kept]), together: true },
    readModels: noRows,
    kindNamed,
    logger: { warn: say('warn'), info: say('info') },
    onLost: lose,
    onMoved: (projection, position) => {
      reached(position)
      tell(projection, position)
    },
  })
}

const begin = <O>({ open, gathering, codec, prepare, reachable }: Projecting<O>, work: ProjectingWork): Running => {
  const log = openProjectedLog(work, codec)
  const hurried = makeHurried()
  const stopping = new AbortController()
  const until: Thread['until'] = async (isThere) => {
    while (!isThere()) {
      stopping.signal.throwIfAborted()
      if (hurried.isWaited()) post({ needs: 'flush' })
      await hurried.wait(stopping.signal, look)
    }
  }
  const kept = open({ onReplaced: (reason) => lose(new DamagedReadModels(reason)), until })
  const prepared = (prepare?.(kept, stopping.signal) ?? Promise.resolve()).then(() => true)
  const started = prepared.then(() => startIn(kept, { ...log, ...paced(log, hurried, gathering) }, hurried.reached))
  const hurry: Running['hurry'] = async (projection, position, timeout) => {
    const runner = await started
    log.look()
    hurried.to(position)
    return runner.waitFor(position, timeout, projection)
  }
  const catchUp = async (): Promise<void> => {
    const end = reachable === undefined ? await log.head() : reachable(kept)
    if (end === undefined) return
    await Promise.allSettled(kept.projections.map(({ name }) => hurry(name, end, farewell)))
  }
  const close = async (): Promise<void> => {
    if (await Promise.race([prepared, Promise.resolve(false)])) await catchUp()
    else stopping.abort()
    const { stop } = await started
    const stopped = stop()
    stopping.abort()
    await stopped
    await kept.close()
    await log.close()
  }
  // Whoever began this thread begins another one when it fails; what that one cannot mend either is told.
  started.catch((error: unknown) => {
    if (!isLost(error)) throw error
    lose(error)
  })
  return { hurry, close }
}

const begun = <O>(projecting: Projecting<O>, work: ProjectingWork): Running | undefined => {
  try {
    return begin(projecting, work)
  } catch (error) {
    if (!isLost(error)) throw error
    lose(error)
    return undefined
  }
}

/** Keeps a file in step until this thread is told to stop. To be called once, in its first module. */
export const projectHere = <O>(projecting: Projecting<O>, work: ProjectingWork): void => {
  if (projecting.givesWay === true) giveWay()
  const running = begun(projecting, work)
  const stop = async (): Promise<void> => {
    await running?.close()
    parentPort?.close()
  }
  parentPort?.on('message', (order: Order) => {
    if (order === 'stop') return void stop()
    // Who waits in the other thread is told there that it takes too long.
    running?.hurry(...order.hurry, patience).catch(() => undefined)
  })
}
