import type { ServiceNames } from '../../kinds/datasets.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { contractKind, kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { activityRoutes } from '../feed/activityRoutes.ts'
import { changeRoutes, revertRoutes } from '../entities/changeRoutes.ts'
import { changesRoute } from '../changes/changesRoute.ts'
import { exportRoute, importRoute } from '../changes/csvRoutes.ts'
import { tileRoutes } from '../audit/tileRoutes.ts'
import { auditRoutes, type AuditKeys } from '../audit/auditRoutes.ts'
import { contractRoutes } from '../contracts/contractRoutes.ts'
import { coverageRoutes } from '../coverage/coverageRoutes.ts'
import type { Api, KindRoute } from '../deps.ts'
import { bind } from '../entities/reads/callerReads.ts'
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
import { meRoutes, sessionSeriesRoutes, sessionRoutes, type SignIn } from '../auth/sessionRoutes.ts'
import { entityProposalRoutes, proposalRoutes } from '../proposals/proposalRoutes.ts'
import { jointRequestRoutes, requestRoutes } from '../requests/requestRoutes.ts'
import { operationRoutes } from '../entities/operationRoutes.ts'
import type { Route } from '../http/route.ts'
import { searchRoutes } from '../search/searchRoutes.ts'
import { sweepRoutes } from '../entities/sweepRoutes.ts'
import { systemRoutes, type SystemOptions } from '../system/systemRoutes.ts'
import { resultRoutes } from '../entities/resultRoutes.ts'
import { traitRoutes } from '../entities/traitRoutes.ts'
import { usedByRoutes } from '../entities/usedByRoutes.ts'

interface RoutesOptions {
  readonly api: Api
  readonly signIn: SignIn
  readonly auditKeys: AuditKeys
  readonly tokens: Tokens
  readonly system: SystemOptions
  /** Service names by OpenLineage namespace. */
  readonly openLineageServices: ServiceNames
  /** Percent that a sweep deletes unconfirmed. */
  readonly sweepShare: number | undefined
  readonly consumers: readonly Route[]
}

/** The table of all routes, for both the handlers and the OpenAPI document. */
export const allRoutes = (options: RoutesOptions): Route[] => {
  const { api, signIn, auditKeys, tokens, system, openLineageServices, sweepShare, consumers } = options
  const contract = kindNamed(contractKind)
  const routes: Route[] = [
    ...kinds.flatMap((definition) => bind({ api, definition }, entityRoutes(definition, sweepShare))),
    ...bind({ api, definition: contract }, [
      ...contractRoutes(contract),
      ...validationRoutes(contract),
      ...odcsRoutes(contract),
    ]),
    ...bind({ api }, [
      ...operationRoutes,
      ...lineageRoutes,
      ...openLineageRoutes(openLineageServices),
      ...searchRoutes,
      ...coverageRoutes,
      ...auditRoutes(auditKeys),
      ...tileRoutes,
      ...activityRoutes,
      ...proposalRoutes,
      ...requestRoutes,
      ...sessionSeriesRoutes,
      ...tokenRoutes(tokens),
      ...meRoutes(signIn.sessions),
      ...mcpRoutes,
    ]),
    ...jointRequestRoutes(signIn.sessions),
    ...sessionRoutes(signIn),
    ...consumers,
  ]
  return [...systemRoutes(system, () => routes), ...routes]
}

const entityRoutes = (definition: KindDefinition, sweepShare: number | undefined): KindRoute[] => [
  ...kindRoutes(definition),
  listRoute(definition),
  ...changeRoutes(definition),
  ...sweepRoutes(definition, sweepShare),
  exportRoute(definition),
  importRoute(definition),
  changesRoute(definition),
  ...traitRoutes(definition),
  ...resultRoutes(definition),
  ...usedByRoutes(definition),
  ...entityProposalRoutes(definition),
  ...historyRoutes(definition),
  ...impactRoutes(definition),
  ...revertRoutes(definition),
]
