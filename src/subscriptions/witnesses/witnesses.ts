import type { Logger } from 'pino'
import { repeat, sleep, type Backoff } from '../../shared/backOff.ts'
import type { WitnessInterval } from './setting.ts'
import type { SignedCheckpoint, WitnessTarget } from './targets.ts'

export interface WitnessState {
  readonly name: string
  /** Size of the last checkpoint that it accepted from this process; `undefined`: none yet. */
  readonly size?: number
  /** Time of its acceptance, in epoch milliseconds. */
  readonly time?: number
  /** Set while it does not accept the next one: start (epoch milliseconds), number of attempts, and last error. */
  readonly failing?: { readonly since: number; readonly tries: number; readonly error: string }
}

export interface WitnessesOptions {
  readonly targets: readonly WitnessTarget[]
  readonly every: WitnessInterval
  /** Position of the tree; nothing else is read while it does not change. */
  readonly position: () => bigint | undefined
  /** Number of events in the tree. */
  readonly size: () => Promise<number>
  readonly checkpoint: () => Promise<SignedCheckpoint>
  /** Whether this process is the one that informs witnesses. */
  readonly isLeader: () => boolean
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Interval in milliseconds of checking the log (default 1,000). */
  readonly interval?: number
  /** Pauses after failures (default: up to a second, growing to five minutes). */
  readonly pauses?: Backoff
}

/** Makes the newest due checkpoint, the same one for all witnesses. The first one is due at the start. */
const makeCheckpointer = ({ every, position, size, checkpoint }: WitnessesOptions) => {
  let knownPosition: bigint | undefined
  let now = 0
  let grownSince: number | undefined
  let newest: Promise<SignedCheckpoint> | undefined
  let issuedSize: number | undefined

  const isDue = async (): Promise<boolean> => {
    const at = position()
    if (at === undefined) return false
    if (at !== knownPosition) {
      now = await size()
      knownPosition = at
    }
    if (now <= (issuedSize ?? 0)) return false
    grownSince ??= performance.now()
    const waited = performance.now() - grownSince
    return issuedSize === undefined || now - issuedSize >= every.events || waited >= every.milliseconds
  }
  return async (): Promise<SignedCheckpoint | undefined> => {
    if (await isDue()) {
      issuedSize = now
      grownSince = undefined
      newest = checkpoint()
      newest.catch(() => (issuedSize = undefined))
    }
    return newest
  }
}

interface Submission {
  readonly signal: AbortSignal
  readonly report: (state: WitnessState) => void
  readonly newest: () => Promise<SignedCheckpoint | undefined>
}

const superviseWitness = (
  target: WitnessTarget,
  { isLeader, logger, interval = 1000, pauses = { shortest: 1000, longest: 300_000 } }: WitnessesOptions,
  { signal, report, newest }: Submission,
): Promise<void> => {
  const { name } = target
  let accepted: Pick<WitnessState, 'size' | 'time'> = {}
  let failing: WitnessState['failing']

  const submitNewest = async (): Promise<void> => {
    const checkpoint = await newest()
    if (checkpoint === undefined || checkpoint.size === accepted.size) return
    await target.submit(checkpoint, signal)
    const { size } = checkpoint
    accepted = { size, time: Date.now() }
    if (failing !== undefined) logger.info({ witness: name, size }, 'a witness takes checkpoints again')
    failing = undefined
  }
  const work = async (): Promise<void> => {
    if (failing !== undefined || isLeader()) await submitNewest()
    report({ name, ...accepted, ...(failing && { failing }) })
    await sleep(interval, signal, false)
  }
  const failed = (error: unknown): void => {
    if (failing === undefined) logger.warn({ witness: name, err: error }, 'a witness did not take a checkpoint')
    const [since, tries] = [failing?.since ?? Date.now(), (failing?.tries ?? 0) + 1]
    failing = { since, tries, error: (error as Error).message }
    report({ name, ...accepted, failing })
  }
  return repeat(work, { signal, pauses, failed })
}

export const startWitnesses = (options: WitnessesOptions) => {
  const stopping = new AbortController()
  const newest = makeCheckpointer(options)
  const states = options.targets.map(({ name }): WitnessState => ({ name }))
  const working = options.targets.map((target, index) =>
    superviseWitness(target, options, {
      signal: stopping.signal,
      report: (state) => void (states[index] = state),
      newest,
    }),
  )
  return {
    states: (): readonly WitnessState[] => states,
    close: async (): Promise<void> => {
      stopping.abort()
      await Promise.all(working)
    },
  }
}
