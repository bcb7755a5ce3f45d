import type { KindDefinition } from '../../kinds/defineKind.ts'
import { contractKind, kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { activityRoutes } from '../feed/activityRoutes.ts'
import { patchAndDeleteRoutes, revertRoutes } from '../entities/patchAndDeleteRoutes.ts'
import { bulkChangeRoute } from '../changes/bulkChangeRoute.ts'
import { exportRoute, importRoute } from '../changes/csvRoutes.ts'
import { auditRoutes } from '../audit/auditRoutes.ts'
import { contractRoutes } from '../contracts/contractRoutes.ts'
import { coverageRoutes } from '../search/coverageRoutes.ts'
import { makeAccess } from '../access.ts'
import type { Api, CatalogRequest, KindRoute, RouteApi } from '../deps.ts'
import { isLogPosition } from '../entities/reads/catchUp.ts'
import { badHeader } from '../http/problemDetails.ts'
import { historyRoutes } from '../history/historyRoutes.ts'
import { impactRoutes } from '../lineage/impactRoutes.ts'
import { createAndGetRoutes } from '../entities/createAndGetRoutes.ts'
import { listRoute } from '../search/listRoute.ts'
import { lineageRoutes } from '../lineage/lineageRoutes.ts'
import { openLineageRoutes } from '../lineage/openLineageRoutes.ts'
import { odcsRoutes } from '../contracts/odcsRoutes.ts'
import { validationRoutes } from '../contracts/validationRoutes.ts'
import { tokenRoutes } from '../auth/tokenRoutes.ts'
import { mcpRoutes } from '../mcp/mcpRoutes.ts'
import { meRoutes, sessionSeriesRoutes, sessionRoutes, type SignIn } from '../auth/sessionRoutes.ts'
import { entityProposalRoutes, proposalRoutes } from '../proposals/proposalRoutes.ts'
import { requestRoutes } from '../requests/requestRoutes.ts'
import { operationRoutes } from '../entities/operationRoutes.ts'
import type { ApiRequest, Route } from '../http/route.ts'
import { searchRoutes } from '../search/searchRoutes.ts'
import { sweepRoutes } from '../entities/sweepRoutes.ts'
import { systemRoutes, type SystemOptions } from '../system/systemRoutes.ts'
import { resultRoutes } from '../entities/resultRoutes.ts'
import { traitRoutes } from '../entities/traitRoutes.ts'
import { usedByRoutes } from '../entities/usedByRoutes.ts'
import { deliveryRoutes } from '../inbox/deliveryRoutes.ts'
import { inboxRoutes } from '../inbox/inboxRoutes.ts'
import { feedRoutes } from '../feed/feedRoutes.ts'
import { asyncApiRoutes } from '../openapi/asyncapi.ts'
import { webhookRoutes } from '../webhooks/webhookRoutes.ts'

/** The table of all routes, for both the handlers and the OpenAPI document. */
export const allRoutes = (api: RouteApi, signIn: SignIn, system: SystemOptions): Route[] => {
  const contract = kindNamed(contractKind)
  const routes: Route[] = [
    ...kinds.flatMap((definition) => bind({ api, definition }, entityRoutes(definition))),
    ...bind({ api, definition: contract }, [
      ...contractRoutes(contract),
      ...validationRoutes(contract),
      ...odcsRoutes(contract),
    ]),
    ...bind({ api }, [
      ...operationRoutes,
      ...lineageRoutes,
      ...openLineageRoutes,
      ...searchRoutes,
      ...coverageRoutes,
      ...auditRoutes,
      ...activityRoutes,
      ...proposalRoutes,
      ...requestRoutes,
      ...sessionSeriesRoutes,
      ...tokenRoutes,
      ...meRoutes,
      ...mcpRoutes,
    ]),
    ...sessionRoutes(signIn),
    ...bind({ api }, [...feedRoutes, ...inboxRoutes, ...webhookRoutes, ...deliveryRoutes]),
    ...asyncApiRoutes,
  ]
  return [...systemRoutes(system, () => routes), ...routes]
}

const entityRoutes = (definition: KindDefinition): KindRoute[] => [
  ...createAndGetRoutes(definition),
  listRoute(definition),
  ...patchAndDeleteRoutes(definition),
  ...sweepRoutes(definition),
  exportRoute(definition),
  importRoute(definition),
  bulkChangeRoute(definition),
  ...traitRoutes(definition),
  ...resultRoutes(definition),
  ...usedByRoutes(definition),
  ...entityProposalRoutes(definition),
  ...historyRoutes(definition),
  ...impactRoutes(definition),
  ...revertRoutes(definition),
]

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
    throw badHeader('Catalog-Position', 'must be a position that an answer of this catalog gave.')
  const position = BigInt(header)
  if ((runner.position() ?? -1n) >= position) return
  if (!(await isLogPosition(api, position)))
    throw badHeader('Catalog-Position', 'is beyond the end of this catalog’s log.')
  await runner.waitFor(position)
}
