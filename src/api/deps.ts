import type { Access } from './access.ts'
import type { ReadModelReads } from '../projections/readModels/readModels.ts'
import type { Ports } from '../commands/ports.ts'
import type { OdcsRunner } from '../odcs/odcsThreads.ts'
import type { EventStore } from '../events/eventStore.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import type { SchemaReader } from '../kinds/schemaText/readSchemaText.ts'
import type { History } from '../projections/history.ts'
import type { Runner } from '../projections/runner.ts'
import type { ApiRequest, ApprovalPolicy, PermissionPolicy, Route } from './http/route.ts'
import type { ServiceNames } from '../kinds/datasets.ts'
import type { CheckpointKeys } from '../projections/tree/signHead.ts'
import type { LabelsOf } from '../projections/labels.ts'
import type { Feed } from '../subscriptions/feed/feed.ts'
import type { Resolve } from '../subscriptions/webhooks/addresses.ts'
import type { Dispatcher } from '../subscriptions/webhooks/dispatcher.ts'
import type { ReadMarks, WebhookStore } from '../subscriptions/webhooks/webhookStore.ts'
import type { WitnessState } from '../subscriptions/witnesses/witnesses.ts'
import type { ResponseCache } from './http/responseCache.ts'

/** What the catalog is read and changed with. Made once, by `composition/session.ts`. */
export interface Api {
  readonly commands: Ports
  readonly schemas: Pick<SchemaReader, 'read'>
  readonly log: EventStore
  readonly readModels: ReadModelReads
  readonly history: History
  readonly runner: Pick<Runner, 'waitFor' | 'position' | 'shownPosition' | 'projects'>
  readonly odcs: OdcsRunner
  /** Absent where others may change what is read without this process knowing. */
  readonly responseCache?: ResponseCache | undefined
  readonly permits: PermissionPolicy
  readonly permitsOverwrite: PermissionPolicy | undefined
  readonly needsApproval: ApprovalPolicy | undefined
}

/** The signing key, and the public keys of this log, present one first. */
export interface AuditKeys extends CheckpointKeys {
  /** Signed notes of succession, oldest first. */
  readonly successions: readonly string[]
}

/** Everything that routes work with. */
export interface RouteApi extends Api {
  readonly auditKeys: AuditKeys
  readonly sessions: {
    sign(use: 'request', members: Readonly<Record<string, string>>, seconds: number): string
  }
  readonly tokens: { sign(token: { name: string; id: string; roles: readonly string[]; expires: number }): string }
  /** Names of all roles that there are. */
  readonly roles: readonly string[]
  readonly feed: Feed
  readonly labels: LabelsOf
  readonly webhooks: Omit<WebhookStore, keyof ReadMarks>
  /** What people have read in their inboxes. */
  readonly inbox: ReadMarks
  readonly dispatcher: Pick<Dispatcher, 'sync' | 'progress'>
  /** Endpoints of webhooks may stand at private addresses. */
  readonly allowPrivate: boolean
  readonly resolve?: Resolve
  /** Is there a mail server? */
  readonly sendsMail: boolean
  readonly witnesses: () => readonly WitnessState[]
  /** Service names by OpenLineage namespace. */
  readonly openLineageServices: ServiceNames
  /** Percent of what stands below its scope that a sweep deletes unconfirmed; `undefined`: a third. */
  readonly sweepShare: number | undefined
}

/** A request, with what it is answered from. */
export interface CatalogRequest extends ApiRequest {
  readonly api: RouteApi
  readonly access: Access
}

/** A request about entities of a kind. */
export interface KindRequest extends CatalogRequest {
  readonly definition: KindDefinition
}

/** Who asks, where there need not be a request. */
export interface ApiActor extends Pick<ApiRequest, 'actor'> {
  readonly api: Api
  readonly access: Access
}

export type CatalogRoute = Route<CatalogRequest>
export type KindRoute = Route<KindRequest>
