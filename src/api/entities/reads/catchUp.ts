import { isBehind } from '../../../events/events.ts'
import { ProjectionBehind } from '../../../projections/errors.ts'
import { makeAccess } from '../../access.ts'
import type { Api, CatalogRequest } from '../../deps.ts'
import { HttpError } from '../../http/problemDetails.ts'
import type { ApiRequest, Route } from '../../http/route.ts'

/** Waits until a projection has caught up with the entities. @throws ProjectionBehind when it makes no progress */
export const waitForProjection = async ({ runner }: Pick<Api, 'runner'>, projection: string): Promise<void> => {
  const shown = await runner.shown()
  if (shown === undefined) return
  for (const begun = performance.now(); ;) {
    const before = runner.position(projection)
    try {
      return await runner.waitFor(shown, undefined, projection)
    } catch (error) {
      const comesOn = isBehind(before, runner.position(projection)) && performance.now() - begun < longestLevel
      if (!(error instanceof ProjectionBehind) || !comesOn) throw error
    }
  }
}

/** Longest wait in milliseconds. A request has 30 seconds. */
const longestLevel = 20_000

/**
 * Whether this is a valid position. If others append to the same store, positions after the newest event of this
 * catalog can be valid too.
 */
export const isLogPosition = async (
  { runner, log }: { readonly runner: Api['runner']; readonly log: Pick<Api['log'], 'head'> },
  position: bigint,
): Promise<boolean> => position <= (runner.position() ?? -1n) || position <= ((await log.head()) ?? -1n)

/** Gives routes the API, and lets their requests wait until it shows the client's `Catalog-Position`. */
export const bind = <R extends CatalogRequest>(
  own: Omit<R, keyof ApiRequest | 'access'> & Pick<CatalogRequest, 'api'>,
  routes: readonly Route<R>[],
): Route[] =>
  routes.map((route) => ({
    ...route,
    waitsForPosition: true,
    handle: async (request) => {
      const bound = { ...request, ...own, access: makeAccess(own.api, request.actor) } as R
      const position = request.headers['catalog-position']
      if (position !== undefined) await catchUp(bound.api, position)
      return route.handle(bound)
    },
  }))

const catchUp = async (api: Api, header: string | string[]): Promise<void> => {
  const { runner } = api
  if (typeof header !== 'string' || !/^\d{1,19}$/.test(header))
    throw badHeaderPosition('must be a position that an answer of this catalog gave')
  const position = BigInt(header)
  if ((runner.position() ?? -1n) >= position) return
  if (!(await isLogPosition(api, position))) throw badHeaderPosition('is beyond the end of this catalog’s log')
  await runner.waitFor(position)
}

const badHeaderPosition = (message: string) => new HttpError('BAD_REQUEST', `Catalog-Position ${message}.`)
