import type { Logger } from 'pino'
import { rest } from '../../shared/backOff.ts'
import { pauseAfter, type RetryPolicy } from '../webhooks/delivery.ts'
import type { WitnessEvery } from './setting.ts'
import type { Target } from './targets.ts'

export interface WitnessState {
  readonly name: string
  /** Events of the last checkpoint that it took from this process; `undefined`: none yet. */
  readonly size?: number
  /** When it took it, in epoch milliseconds. */
  readonly time?: number
  /** It does not take the next one: since when (epoch milliseconds), tries, and what went wrong last. */
  readonly failing?: { readonly since: number; readonly tries: number; readonly error: string }
}

/** Those who are given the checkpoints of the log. */
export interface Witnesses {
  states(): readonly WitnessState[]
  close(): Promise<void>
}

export interface WitnessesOptions {
  readonly targets: readonly Target[]
  readonly every: WitnessEvery
  /** Position that the tree has come to; while it stays, nothing else is asked. */
  readonly position: () => bigint | undefined
  /** Number of events in the tree. */
  readonly size: () => Promise<number>
  readonly checkpoint: () => Promise<{ readonly size: number; readonly note: string }>
  /** Is it this process, of all that work on the log, that tells the witnesses? */
  readonly isMine: () => boolean
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Milliseconds between two looks at the log (default 1,000). */
  readonly interval?: number
  /** Of pauses after failures. */
  readonly retries?: RetryPolicy
}

/** From one second to five minutes. */
const patience: RetryPolicy = { attempts: Infinity, base: 1000, longest: 300_000, longestAsked: 0 }

/** Tells whether a checkpoint is due. What a process finds at its start is due at once. */
const makeDue = ({ every, position, size }: WitnessesOptions) => {
  let looked: bigint | undefined
  let now = 0
  let grownAt: number | undefined
  return async (given: number | undefined): Promise<boolean> => {
    const at = position()
    if (at === undefined) return false
    if (at !== looked) {
      now = await size()
      looked = at
    }
    if (now === 0 || now === given) return false
    grownAt ??= performance.now()
    const waited = performance.now() - grownAt
    if (given !== undefined && now - given < every.events && waited < every.milliseconds) return false
    grownAt = undefined
    return true
  }
}

/** Gives one witness the checkpoints that are due; what fails is tried again, for as long as it takes. */
const tend = async (
  target: Target,
  options: WitnessesOptions,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (state: WitnessState) => void },
): Promise<void> => {
  const { checkpoint, isMine, logger, interval = 1000, retries = patience } = options
  const { name } = target
  const isDue = makeDue(options)
  let taken: Pick<WitnessState, 'size' | 'time'> = {}
  let failing: WitnessState['failing']

  const hand = async (): Promise<void> => {
    const { size, note } = await checkpoint()
    await target.hand(note, signal)
    taken = { size, time: Date.now() }
    if (failing !== undefined) logger.info({ witness: name, size }, 'a witness takes checkpoints again')
    failing = undefined
  }
  while (!signal.aborted) {
    try {
      if (failing !== undefined || (isMine() && (await isDue(taken.size)))) await hand()
    } catch (error) {
      if (signal.aborted) return
      const { message } = error as Error
      if (failing === undefined) logger.warn({ witness: name, err: error }, 'a witness did not take a checkpoint')
      failing = { since: failing?.since ?? Date.now(), tries: (failing?.tries ?? 0) + 1, error: message }
    }
    tell({ name, ...taken, ...(failing && { failing }) })
    const pause = failing === undefined ? interval : pauseAfter(failing.tries, retries)
    await rest(pause, signal, false)
  }
}

export const startWitnesses = (options: WitnessesOptions): Witnesses => {
  const stopping = new AbortController()
  const states = options.targets.map(({ name }): WitnessState => ({ name }))
  const working = options.targets.map((target, index) =>
    tend(target, options, { signal: stopping.signal, tell: (state) => void (states[index] = state) }),
  )
  return {
    states: () => states,
    close: async () => {
      stopping.abort()
      await Promise.all(working)
    },
  }
}
