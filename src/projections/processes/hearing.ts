import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '../../events/eventStore.ts'
import { isBehind } from '../progress.ts'

export interface HearingOptions {
  readonly log: Pick<EventStore, 'head'>
  /** What the log feeds. `applying`: it works on what it was given. */
  readonly main: { readonly given: bigint | undefined; readonly applying: boolean; readonly failure: Error | undefined }
}

export interface Hearing {
  /**
   * Does a process that projects wait in vain: the log has more than it gave, or does not answer, for some seconds? To
   * be asked at every beat; who is at work is not deaf.
   */
  isDeaf(): boolean
  /** Whether the log answers within so many milliseconds. */
  answers(within: number): Promise<boolean>
}

/** Milliseconds of silence, and beats in them, after which a process is deaf. */
const longest = 2000
const leastBeats = 3

export const makeHearing = ({ log, main }: HearingOptions): Hearing => {
  let heard: bigint | undefined
  let silence: { readonly since: number; beats: number } | undefined
  let asking = false

  const ask = async (): Promise<void> => {
    if (asking) return
    asking = true
    try {
      const head = await log.head()
      if (!isBehind(main.given, head)) silence = undefined
    } catch {
      // Where it cannot answer the silence goes on.
    } finally {
      asking = false
    }
  }
  return {
    isDeaf: () => {
      const hasMoved = main.given !== heard
      heard = main.given
      if (hasMoved || main.applying || main.failure !== undefined) {
        silence = undefined
        return false
      }
      silence ??= { since: performance.now(), beats: -1 }
      silence.beats++
      void ask()
      return silence.beats >= leastBeats && performance.now() - silence.since >= longest
    },
    answers: async (within) => {
      const over = new AbortController()
      const answered = log.head().then(
        () => true,
        () => false,
      )
      const late = delay(within, false, { signal: over.signal }).catch(() => false)
      return Promise.race([answered, late]).finally(() => over.abort())
    },
  }
}
