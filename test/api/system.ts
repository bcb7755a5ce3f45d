import { makeMetrics } from '../../src/api/system/metrics.ts'
import type { Route } from '../../src/api/http/route.ts'
import { systemRoutes, type SystemOptions } from '../../src/api/system/systemRoutes.ts'
import { running, type Running } from './support.ts'

/** A process that is well. */
export const well: SystemOptions = {
  engines: { eventStore: 'sqlite', readModels: 'sqlite' },
  eventStore: { ping: async () => {}, head: async () => 12n },
  lagBehind: async () => ({ events: 0, seconds: 0 }),
  readModels: { ping: async () => {}, positions: async () => new Map([['entities', 10n]]) },
  caughtUp: () => true,
  applied: () => undefined,
  unfinished: () => 0,
  stopping: () => false,
  clock: () => undefined,
  processes: async () => ({ self: 'one', all: [] }),
  metrics: makeMetrics(),
}

/** Serves the routes of such a process, and others. */
export const runningSystem = (more: Partial<SystemOptions> = {}, others: Route[] = []): Promise<Running> =>
  running([...systemRoutes({ ...well, ...more }, () => others), ...others])

export const get = async (path: string, more?: Partial<SystemOptions>): Promise<Response> =>
  fetch(`${(await runningSystem(more)).url}${path}`)
