import type { ServiceNames } from '../../kinds/datasets.ts'
import type { OdcsRunner } from '../../odcs/index.ts'
import { activityRoutes } from '../feed/activityRoutes.ts'
import { changeRoutes, revertRoutes } from '../entities/changeRoutes.ts'
import { changesRoute } from '../changes/changesRoute.ts'
import { exportRoute, importRoute } from '../changes/csvRoutes.ts'
import { tileRoutes } from '../audit/tileRoutes.ts'
import { auditRoutes, type AuditKeys } from '../audit/auditRoutes.ts'
import { contractRoutes } from '../contracts/contractRoutes.ts'
import { coverageRoutes } from '../coverage/coverageRoutes.ts'
import type { Api } from '../deps.ts'
import { forgetRoutes } from '../audit/forgetRoutes.ts'
import { historyRoutes } from '../history/historyRoutes.ts'
import { impactRoutes } from '../history/impactRoutes.ts'
import { kindRoutes } from '../entities/kindRoutes.ts'
import { listRoute } from '../lists/listRoute.ts'
import { lineageRoutes } from '../history/lineageRoutes.ts'
import { openLineageRoutes } from '../history/openLineageRoutes.ts'
import { odcsRoutes } from '../contracts/odcsRoutes.ts'
import { validationRoutes } from '../contracts/validationRoutes.ts'
import { tokenRoutes, type Tokens } from '../auth/tokenRoutes.ts'
import { mcpRoutes } from '../mcp/mcpRoutes.ts'
import { meRoutes } from '../auth/meRoutes.ts'
import { sessionSeriesRoutes, sessionRoutes, type SignIn } from '../auth/sessionRoutes.ts'
import { entityProposalRoutes, proposalRoutes } from '../proposals/proposalRoutes.ts'
import { jointRequestRoutes, requestRoutes } from '../requests/requestRoutes.ts'
import { operationRoutes } from '../entities/operations.ts'
import type { Route } from '../http/route.ts'
import { searchRoutes } from '../search/searchRoutes.ts'
import { sweepRoutes } from '../entities/sweepRoutes.ts'
import { systemRoutes, type SystemOptions } from '../system/systemRoutes.ts'
import { resultRoutes } from '../entities/resultRoutes.ts'
import { traitRoutes } from '../entities/traitRoutes.ts'
import { usedByRoutes } from '../entities/usedBy.ts'

interface RoutesOptions {
  readonly api: Api
  readonly odcs: OdcsRunner
  readonly signIn: SignIn
  readonly auditKeys: AuditKeys
  readonly tokens: Tokens
  readonly system: SystemOptions
  /** Service names by OpenLineage namespace. */
  readonly openLineageServices: ServiceNames
  readonly consumers: readonly Route[]
}

/** The table of all routes, for both the handlers and the OpenAPI document. */
export const allRoutes = (options: RoutesOptions): Route[] => {
  const { api, odcs, signIn, auditKeys, tokens, system, openLineageServices, consumers } = options
  const routes: Route[] = [
    ...api.kinds.flatMap((definition) => [
      ...kindRoutes(api, definition),
      listRoute(api, definition),
      ...changeRoutes(api, definition),
      ...sweepRoutes(api, definition),
      exportRoute(api, definition),
      importRoute(api, definition),
      changesRoute(api, definition),
      ...traitRoutes(api, definition),
      ...resultRoutes(api, definition),
      ...usedByRoutes(api, definition),
      ...entityProposalRoutes(api, definition),
      ...historyRoutes(api, definition),
      ...impactRoutes(api, definition),
      ...revertRoutes(api, definition),
      ...forgetRoutes(api, definition),
    ]),
    ...operationRoutes(api),
    ...contractRoutes(api),
    ...lineageRoutes(api),
    ...openLineageRoutes(api, openLineageServices),
    ...validationRoutes(api, odcs),
    ...odcsRoutes(api, odcs),
    ...searchRoutes(api),
    ...coverageRoutes(api),
    ...auditRoutes(api, auditKeys),
    ...tileRoutes(api),
    ...activityRoutes(api),
    ...proposalRoutes(api),
    ...requestRoutes(api),
    ...jointRequestRoutes(signIn.sessions),
    ...sessionRoutes(signIn),
    ...sessionSeriesRoutes(api, signIn.sessions),
    ...tokenRoutes(api, tokens),
    ...meRoutes(api, signIn.sessions),
    ...mcpRoutes(api),
    ...consumers,
  ]
  return [...systemRoutes(system, () => routes), ...routes]
}
