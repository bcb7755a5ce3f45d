import type { ReadModelReads } from '../projections/readModels/readModels.ts'
import type { Ports } from '../commands/ports.ts'
import type { OdcsRunner } from '../odcs/odcsThreads.ts'
import type { EventStore } from '../events/eventStore.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import type { SchemaReader } from '../kinds/schemaText/readSchemaText.ts'
import type { History } from '../projections/history.ts'
import type { TimelineRows } from '../projections/timeline/pastRows.ts'
import type { Runner } from '../projections/runner.ts'
import type { ApiRequest, ApprovalPolicy, PermissionPolicy, Route } from './http/route.ts'
import type { Presenter } from './entities/answers/present.ts'
import type { ResponseCache } from './http/responseCache.ts'

/** What routes work with. Made once, by `composition/session.ts`. */
export interface Api {
  readonly commands: Ports
  readonly schemas: Pick<SchemaReader, 'read'>
  /** Names of callers that are known to have an entity. */
  readonly knownCallers: Set<string>
  readonly log: EventStore
  readonly readModels: ReadModelReads
  readonly history: History
  readonly pastRows: TimelineRows
  readonly runner: Pick<Runner, 'waitFor' | 'position' | 'shown' | 'projects'>
  readonly presenter: Presenter
  readonly odcs: OdcsRunner
  /** Absent where others may change what is read without this process knowing. */
  readonly responseCache?: ResponseCache | undefined
  readonly permits: PermissionPolicy
  readonly permitsOverwrite: PermissionPolicy | undefined
  readonly needsApproval: ApprovalPolicy | undefined
}

/** A request, with what it is answered from. */
export interface CatalogRequest extends ApiRequest {
  readonly api: Api
}

/** A request about entities of a kind. */
export interface KindRequest extends CatalogRequest {
  readonly definition: KindDefinition
}

/** Who asks, where there need not be a request. */
export type ApiActor = Pick<CatalogRequest, 'api' | 'actor'>

export type CatalogRoute = Route<CatalogRequest>
export type KindRoute = Route<KindRequest>
