import { queryOptions } from '@tanstack/react-query'
import { unreachable } from './client.ts'
import { basePath } from './reads.ts'

export interface ProjectionLag {
  readonly status: 'up' | 'down'
  readonly events: number
  readonly seconds: number
}

export interface Probe {
  readonly status: 'up' | 'down'
  readonly lag?: string
  readonly position?: string
  readonly head?: string
  /** Projections that do not show the whole log, with the events that they lack and for how many seconds. */
  readonly behind?: Readonly<Record<string, ProjectionLag>>
}

export interface Readiness {
  readonly status: 'ready' | 'not ready' | 'stopping'
  readonly dependencies: Readonly<Record<string, Probe>>
}

export const atRoot = (path: string, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${basePath}${path}`, { signal }).catch(unreachable)

/** @throws Problem when the catalog does not respond, or something before it does in its place */
export const mustRespond = async (): Promise<void> => {
  if (!(await atRoot('/livez')).ok) unreachable()
}

/** Health, told even when it is bad. */
export const readinessQuery = queryOptions({
  queryKey: ['readiness'],
  queryFn: async ({ signal }) => (await (await atRoot('/readyz', signal)).json()) as Readiness,
  refetchInterval: 2_000,
})
