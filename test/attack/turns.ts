import { setTimeout as pause } from 'node:timers/promises'
import type { RunningService } from '../support/service.ts'
import { inspect } from './inspect.ts'

/** Looks at the clock of the main thread between any two turns of its event loop. */
const meter = `globalThis.attackTurns ??= (() => {
  const computed = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  const turns = { longest: 0 }
  let last = computed()
  setInterval(() => {
    const now = computed()
    turns.longest = Math.max(turns.longest, now - last)
    last = now
  }, 1).unref()
  return turns
})(); undefined`

/** Tells for how long work holds everybody up. */
export interface Turns {
  /**
   * Milliseconds that the main thread of the service computed in the longest turn of its event loop while the work was
   * done: for so long nobody else was served. What the machine did for others does not count.
   */
  readonly longest: (work: () => Promise<unknown>) => Promise<number>
  readonly close: () => void
}

/** Milliseconds for which a service has peace before and after work that is measured. */
const peace = 20

/** Begins to look at the turns of a service that is readable. */
export const turnsOf = async (service: RunningService): Promise<Turns> => {
  const inspector = await inspect(service)
  await inspector.evaluate(meter)
  return {
    longest: async (work) => {
      await pause(peace)
      await inspector.evaluate('void (attackTurns.longest = 0)')
      await work()
      await pause(peace)
      return Number(await inspector.evaluate('attackTurns.longest'))
    },
    close: inspector.close,
  }
}
