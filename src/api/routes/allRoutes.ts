import type { KindDefinition } from '../../kinds/defineKind.ts'
import { contractKind, kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { activityRoutes } from '../feed/activityRoutes.ts'
import { patchAndDeleteRoutes, revertRoutes } from '../entities/patchAndDeleteRoutes.ts'
import { bulkChangeRoute } from '../changes/bulkChangeRoute.ts'
import { exportRoute, importRoute } from '../changes/csvRoutes.ts'
import { tileRoutes, witnessRoutes } from '../audit/tileRoutes.ts'
import { auditRoutes } from '../audit/auditRoutes.ts'
import { contractRoutes } from '../contracts/contractRoutes.ts'
import { coverageRoutes } from '../entities/coverageRoutes.ts'
import type { KindRoute, RouteApi } from '../deps.ts'
import { bind } from './bind.ts'
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
import type { Route } from '../http/route.ts'
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
      ...tileRoutes,
      ...activityRoutes,
      ...proposalRoutes,
      ...requestRoutes,
      ...sessionSeriesRoutes,
      ...tokenRoutes,
      ...meRoutes,
      ...mcpRoutes,
    ]),
    ...sessionRoutes(signIn),
    ...bind({ api }, [...feedRoutes, ...inboxRoutes, ...webhookRoutes, ...deliveryRoutes, ...witnessRoutes]),
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
