import { anyChange, changedNames } from '../api/entities/reads/answerDependencies.ts'
import { makeResponseCache, type ResponseCache } from '../api/http/responseCache.ts'
import type { Policies } from '../api/auth/policies.ts'
import { streamName } from '../events/events.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import type { Projection } from '../projections/projection.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { cachesOf } from '../stores/sqlite/caches.ts'
import type { Config } from './settings/config.ts'
import { entitiesProjection } from '../projections/entities/row.ts'

/** Callers who may view everything share answers; all others have their own. */
const makeSightOf = ({ permits }: Pick<Policies, 'permits'>): ResponseCache['sightOf'] => {
  // The roles of a token that is known are one list.
  const known = new WeakMap<readonly string[], string>()
  const viewsOf = (roles: readonly string[]): string => {
    const views = kinds.flatMap(({ name }) => [permits({ roles }, 'view', name), permits({ roles }, 'search', name)])
    return views.every((view) => view === 'yes') ? '' : views.join()
  }
  return ({ name, roles }) => {
    const views = known.get(roles) ?? viewsOf(roles)
    known.set(roles, views)
    return views && `${views} ${name}`
  }
}

/**
 * Adds a response cache if only this process writes the read models, which report changes to it. With several processes
 * there is no cache, since others may change the read models unnoticed.
 * @param progress the position that reads show, and the number of changes with pending events of descendants
 */
export const withResponseCache = (
  readModels: ReadModels,
  { config, policies }: { readonly config: Pick<Config, 'memory'>; readonly policies: Pick<Policies, 'permits'> },
  { position, unfinished }: { readonly position: () => bigint | undefined; readonly unfinished: () => number },
) => {
  if (readModels.lease !== undefined) return { responseCache: undefined, moved: undefined, store: readModels }
  const responseCache = makeResponseCache({
    capacity: cachesOf(config.memory).answers,
    sightOf: makeSightOf(policies),
    shows: (wanted) => (position() ?? -1n) >= wanted,
    isSettled: () => unfinished() === 0,
  })
  const projections = readModels.projections.map((each) =>
    each.name === entitiesProjection.name ? telling(each, responseCache) : each,
  )
  // Projections that follow the entities, such as the search index, are waited for by the entities' position.
  const moved = (projection: string): void => {
    if (projection === entitiesProjection.name) responseCache.invalidate([anyChange])
  }
  return { responseCache, moved, store: { ...readModels, projections } }
}

/** The projection of the entities, which reports changes to the cache before waiters are notified. */
const telling = (projection: Projection, { invalidate }: ResponseCache): Projection => ({
  ...projection,
  apply: async (batch) => {
    const [rows, byStream] = [await batch.rows(), Map.groupBy(batch.events, ({ stream }) => stream)]
    try {
      await projection.apply(batch)
    } finally {
      // A failed batch may have been written all the same.
      for (const row of rows) invalidate(changedNames(row, byStream.get(streamName(row.kind, row.id)) ?? []))
    }
  },
})
