import { changedNames } from '../api/entities/reads/recordedReads.ts'
import { makeResponseCache, type ResponseCache } from '../api/http/responseCache.ts'
import type { Policies } from '../api/auth/policies.ts'
import { streamName } from '../events/events.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import type { Batch, Projection } from '../projections/projection.ts'
import { entitiesProjection } from '../projections/entities/entitiesProjection.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { cachesOf } from '../stores/sqlite/caches.ts'
import type { Config } from './settings/config.ts'

/** Sets of roles that are remembered. */
const mostSights = 1000

/** What callers with the same roles are shown: all the same where they may view everything, else each his own. */
const makeSightOf = ({ permits }: Pick<Policies, 'permits'>): ResponseCache['sightOf'] => {
  const sights = new Map<string, string>()
  const viewsOf = (roles: readonly string[]): string => {
    const key = JSON.stringify(roles)
    let views = sights.get(key)
    if (views === undefined) {
      views = kinds.map(({ name }) => permits({ roles }, 'view', name)).join()
      if (sights.size >= mostSights) sights.clear()
      sights.set(key, views)
    }
    return views
  }
  const everything = kinds.map(() => 'yes').join()
  return ({ name, roles }) => {
    const views = viewsOf(roles)
    return views === everything ? '' : `${views} ${name}`
  }
}

interface Progress {
  /** Position that reads show. */
  readonly position: () => bigint | undefined
  /** Number of deletions and restores whose children have yet to get their own events. */
  readonly unfinished: () => number
}

/**
 * Keeps answers where nobody but this process writes the read models, which tell the cache what they change. What
 * several processes share another one may have changed without this one knowing: there is no cache then.
 */
export const withResponseCache = (
  readModels: ReadModels,
  { config, policies }: { readonly config: Pick<Config, 'memory'>; readonly policies: Pick<Policies, 'permits'> },
  { position, unfinished }: Progress,
): { readonly responseCache: ResponseCache | undefined; readonly store: ReadModels } => {
  if (readModels.lease !== undefined) return { responseCache: undefined, store: readModels }
  const responseCache = makeResponseCache({
    room: cachesOf(config.memory).answers,
    sightOf: makeSightOf(policies),
    shows: (wanted) => (position() ?? -1n) >= wanted,
    isSettled: () => unfinished() === 0,
  })
  const projections = readModels.projections.map((each) => (isOfEntities(each) ? telling(each, responseCache) : each))
  return { responseCache, store: { ...readModels, projections } }
}

const isOfEntities = ({ name }: Projection): boolean => name === entitiesProjection.name

const tell = (cache: ResponseCache, { events }: Batch, rows: Awaited<ReturnType<Batch['rows']>>): void => {
  const types = new Map(
    [...Map.groupBy(events, ({ stream }) => stream)].map(([stream, own]) => [
      stream,
      new Set(own.map(({ type }) => type)),
    ]),
  )
  for (const row of rows) cache.changed(changedNames(row, types.get(streamName(row.kind, row.id)) ?? new Set()))
}

/** The projection, which tells the cache what it has changed before anybody is told that reads show it. */
const telling = (projection: Projection, cache: ResponseCache): Projection => ({
  ...projection,
  apply: async (batch) => {
    const rows = await batch.rows()
    // Nobody has been told yet that reads show it; what fails may have been written all the same.
    await projection.apply(batch).finally(() => tell(cache, batch, rows))
  },
})
