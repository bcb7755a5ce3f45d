import { limits } from '../../../shared/limits.ts'
import { makeTurns, TooBusy, type Turns } from '../../../shared/turns.ts'
import { makeBudget, type Budget } from './bodyBudget.ts'
import type { Pace } from '../body/readBody.ts'

/** Costly work, of which little is done at a time: searches, what is worked out from the log, and large bodies. */
export type Lane = 'search' | 'past' | 'large'

export interface GuardOptions {
  /** Requests that a caller may send in a minute; left out: any number. */
  readonly rateLimit?: number | undefined
  /** How a body may come; for tests. */
  readonly pace?: Pace
  /** Bytes of all bodies; for tests. */
  readonly bodies?: number
}

export interface Guards {
  readonly lanes: Readonly<Record<Lane, Turns>>
  readonly bodies: Budget
  readonly pace: Pace | undefined
  /** Counts a request. @throws TooBusy when the caller has sent too many lately */
  readonly admit: (caller: string) => Promise<void>
}

const lane = (of: string, atOnce: number): Turns =>
  makeTurns({ of, atOnce, waitingOfOne: limits.waitingOfOne.value, waiting: limits.waiting.value })

const makeAdmit = (rateLimit: number | undefined): Guards['admit'] => {
  if (rateLimit === undefined) return async () => {}
  const loaded = import('rate-limiter-flexible').then(({ RateLimiterMemory, RateLimiterRes }) => ({
    limiter: new RateLimiterMemory({ points: rateLimit, duration: 60 }),
    RateLimiterRes,
  }))
  return async (caller) => {
    const { limiter, RateLimiterRes } = await loaded
    try {
      await limiter.consume(caller)
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      throw new TooBusy(`At most ${rateLimit} requests a minute are answered: try again in ${seconds} s.`, seconds)
    }
  }
}

export const makeGuards = ({ rateLimit, pace, bodies }: GuardOptions): Guards => ({
  lanes: {
    search: lane('searches', limits.searchesAtOnce.value),
    past: lane('questions about the past', limits.pastAtOnce.value),
    large: lane('large requests', limits.largeAtOnce.value),
  },
  bodies: makeBudget(bodies),
  pace,
  admit: makeAdmit(rateLimit),
})
