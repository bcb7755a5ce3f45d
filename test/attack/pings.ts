import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { RunningService } from '../support/service.ts'
import type { Ping } from './pinger.ts'

/** What the pings of a run came to. */
export interface Pings {
  readonly all: readonly Ping[]
  stop(): Promise<void>
}

/** Lets a process of its own ask the service, 50 ms after each answer, for one table, or for what stands at another path. */
export const startPings = (
  service: RunningService,
  token: string,
  onPing: (ping: Ping) => void,
  path = '/api/v1/tables?limit=1',
): Pings => {
  const all: Ping[] = []
  const child = fork(new URL('./pinger.ts', import.meta.url), [service.url, token, String(service.process.pid), path], {
    stdio: 'inherit',
    execArgv: [],
  })
  child.on('message', (ping: Ping) => {
    all.push(ping)
    onPing(ping)
  })
  return {
    all,
    stop: async () => {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
