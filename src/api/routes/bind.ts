import { makeAccess } from '../access.ts'
import type { Api, CatalogRequest } from '../deps.ts'
import { isLogPosition } from '../entities/reads/catchUp.ts'
import { HttpError } from '../http/problemDetails.ts'
import type { ApiRequest, Route } from '../http/route.ts'

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
