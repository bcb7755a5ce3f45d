import type { Engines } from '../engines.ts'
import { makePrincipals } from '../commands/principals.ts'
import { principalKind } from '../kinds/index.ts'
import type { Runner } from '../projections/runner.ts'
import { changeRoutes } from './changeRoutes.ts'
import { contractRoutes } from './contractRoutes.ts'
import type { Api } from './deps.ts'
import { historyRoutes } from './historyRoutes.ts'
import { kindRoutes } from './kindRoutes.ts'
import type { Metrics } from './metrics.ts'
import type { Route } from './route.ts'
import { traitRoutes } from './traitRoutes.ts'

export interface RoutesOptions {
  readonly api: Api
  readonly metrics: Metrics
  readonly engines: Engines
  readonly runner: Pick<Runner, 'position' | 'failure'>
  readonly ready: { readonly started: boolean }
  readonly version: string
  readonly baseUrl: string | undefined
}

/** The one table of routes: what is not in it does not exist, neither for clients nor in the OpenAPI document. */
export const allRoutes = ({ api }: RoutesOptions): Route[] => {
  const principals = makePrincipals(api.commands, api.kindNamed(principalKind))
  return [
    ...api.kinds.flatMap((definition) => [
      ...kindRoutes(api, principals, definition),
      ...changeRoutes(api, principals, definition),
      ...traitRoutes(api, principals, definition),
      ...historyRoutes(api, definition),
    ]),
    ...contractRoutes(api),
  ]
}
