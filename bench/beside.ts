import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from './context.ts'

/** What one careful client sees while something else is measured. */
export interface Beside {
  /** Milliseconds of its slowest answer; `undefined` when there was none. */
  readonly worst: number | undefined
  readonly answers: number
  /** Requests that no answer or a bad one came to: sections that stop the service make some. */
  readonly failed: number
}

/** So many milliseconds lie between an answer and the next request. */
const pause = 20

/** Asks for a short list over and over while the work is done. */
export const beside = async (bench: Bench, work: () => Promise<void>): Promise<Beside> => {
  const seen = { worst: undefined as number | undefined, answers: 0, failed: 0 }
  let over = false
  const ask = async (): Promise<void> => {
    const begun = performance.now()
    const { ok, body } = await fetch(`${bench.catalog.url}/api/v1/users?limit=1`, {
      headers: { authorization: `Bearer ${bench.token}` },
    })
    await body?.cancel()
    if (!ok) throw new Error('It was refused.')
    seen.answers += 1
    seen.worst = Math.max(seen.worst ?? 0, performance.now() - begun)
  }
  const asking = (async () => {
    while (!over) {
      await ask().catch(() => (seen.failed += 1))
      await delay(pause)
    }
  })()
  try {
    await work()
  } finally {
    over = true
    await asking
  }
  return seen
}
