import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Json } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Turn } from '../../shared/turns.ts'
import type { Lane } from './guards.ts'
import { HttpError, type ProblemCode } from './problemDetails.ts'

export interface Actor {
  /** User name: `preferred_username`, else `sub`. */
  readonly name: string
  readonly roles: readonly string[]
  /** When the token stops being accepted, in milliseconds since the epoch; absent: never. */
  readonly until?: number
  /** Has a token with a name, which can be revoked at any time: nothing that outlasts it is made from it. */
  readonly program?: true
  /** Does that which it came with still hold? Absent: until its time has come. */
  readonly holds?: () => Promise<boolean>
}

/** What a caller may be allowed to do; policies name these. */
export const operations = [
  'view',
  'versions',
  'history',
  'search',
  'feed',
  'follow',
  'vote',
  'propose',
  'approve',
  'create',
  'edit',
  'bulk',
  'delete',
  'restore',
  'hardDelete',
  'forget',
  'manage',
] as const
export type Operation = (typeof operations)[number]

export interface ApiRequest {
  readonly actor: Actor
  /** `ifOwner`: allowed only on entities that the actor owns; the handler checks that. Open routes have `yes`. */
  readonly permission: 'yes' | 'ifOwner'
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: ReadonlyMap<string, string>
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON, or the raw bytes for routes whose body is not JSON; `undefined` without a body. */
  readonly body: unknown
  /** Media type of the body, lower case, without parameters. */
  readonly contentType: string | undefined
  /** Identity of the request, as `X-Request-ID` of its answer has it. */
  readonly correlationId: string
  /** `X-Correlation-ID` of the request, where it has a sensible one. */
  readonly clientCorrelationId?: string | undefined
  readonly time: Date
  /** Absolute URL of `/api`, from `CATALOG_BASE_URL` or the request's Host. No slash at the end. */
  readonly baseUrl: string
  /** Aborts when the client goes away or the request timeout passes. */
  readonly signal: AbortSignal
  /** Asks a GET route by its path below `/api`, in the name of this request. @throws Error with the words of the problem */
  readonly readRoute: (path: string) => Promise<string>
  /** Long work says that it has come on: the request timeout begins anew. */
  readonly progress: () => void
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Of the entity that it shows: its `ETag` is made of this and a hash of the body. */
  readonly revision?: bigint
  /** `string`: JSON text that is ready to send. A stream is piped. A JSON value is serialised. */
  readonly body?: string | Buffer | Readable | { readonly json: Json }
  /** Default `application/json; charset=utf-8`. */
  readonly contentType?: string
  /** Made of what the read models of the entities show, and of nothing else: it may be kept until they change. */
  readonly isPresent?: boolean
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly schema: z.ZodType
  readonly required?: boolean
}

export interface RequestBody {
  /** Accepted media types; others are 415. JSON ones are parsed, the rest arrive as a Buffer. */
  readonly contentTypes: readonly string[]
  /** Largest body in bytes; more is 413. */
  readonly limit: number
  /** For the OpenAPI document; the handler does the parsing that decides. */
  readonly schema: z.ZodType
  /** A body that can be sent as it stands. */
  readonly example?: Json
  /** The same for media types whose bodies have another shape. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>
  readonly required: boolean
  /** The bytes arrive as a Buffer even when they are JSON, for readers that need the text (places, duplicate keys). */
  readonly raw?: boolean
  /** What no value may hold (NUL, half surrogates, too large numbers, reserved names) is left to the handler. */
  readonly lenient?: boolean
}

/** Headers that answers have, for the OpenAPI document. */
export type AnswerHeader =
  'ETag' | 'Catalog-Position' | 'Location' | 'Set-Cookie' | 'Preference-Applied' | 'Retry-After' | 'Content-Disposition'

export interface AnswerDescription {
  readonly description: string
  readonly schema?: z.ZodType
  /** Default `application/json`. */
  readonly contentType?: string
  readonly headers?: readonly AnswerHeader[]
}

/** One row of the table from which both the handlers and the OpenAPI document are made. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /**
   * OpenAPI path below `/api`, e.g. `/v1/tables/{id}`; `{fqn}` or `{tile}` takes everything up to the next fixed
   * segment.
   */
  readonly path: string
  /** The path stands at the root of the server instead of below `/api`, e.g. `/livez`. */
  readonly atRoot?: boolean
  /** Unique; `operationId` of the OpenAPI document. */
  readonly id: string
  readonly summary: string
  /** More than the summary says, in Markdown, for the OpenAPI document. */
  readonly description?: string
  /** Group in the OpenAPI document. */
  readonly tag: string
  /** What the caller must be allowed (one of the two), on which kind. `'open'` needs no token, `'signedIn'` any. */
  readonly permission:
    'open' | 'signedIn' | { readonly operation: Operation; readonly or?: Operation; readonly kind?: string }
  readonly parameters?: readonly Parameter[]
  /** A `ticket` in the query may stand for the token, for clients that can send no header. */
  readonly takesTicket?: boolean
  readonly body?: RequestBody
  /** Success answers by status. Error answers are added to all. */
  readonly answers: Readonly<Record<number, AnswerDescription>>
  /** Errors that routes of this shape do not have otherwise, for the OpenAPI document. */
  readonly problems?: readonly ProblemCode[]
  /** Costly work waits for its turn in its lane, fairly between callers. */
  readonly lane?: Lane | ((request: ApiRequest) => Lane | undefined)
  readonly handle: (request: ApiRequest) => Promise<Answer>
}

/** Whose turn a piece of costly work of this request is, and until when. */
export const turnOf = ({ actor, signal }: ApiRequest): Turn => ({ caller: actor.name, signal })

export type Permission = 'yes' | 'no' | 'ifOwner'

export type PermissionPolicy = (actor: Pick<Actor, 'roles'>, operation: Operation, kind?: string) => Permission

/** Those of the members that need a second person, on an entity of this kind in these domains. */
export type ApprovalPolicy = (kind: string, domains: readonly string[], members: readonly string[]) => readonly string[]

/** What the caller is permitted of a route. @throws HttpError FORBIDDEN */
export const permissionOf = (
  { permission: asked }: Pick<Route, 'permission'>,
  actor: Actor | undefined,
  permits: PermissionPolicy,
): Exclude<Permission, 'no'> => {
  if (typeof asked === 'string') return 'yes'
  const { operation, or, kind } = asked
  const permissionTo = (wanted: Operation): Permission => (actor === undefined ? 'no' : permits(actor, wanted, kind))
  const first = permissionTo(operation)
  const permission = first === 'no' && or !== undefined ? permissionTo(or) : first
  if (permission === 'no') {
    throw new HttpError('FORBIDDEN', `You are not allowed to ${operation}${kind === undefined ? '' : ` on ${kind}`}.`)
  }
  return permission
}

export interface Credentials {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The ticket in the query, where the route takes one. */
  readonly ticket?: string | undefined
}

/** Tells who makes a request. Throws, or rejects, as {@link Authenticate} does, or with HttpError FORBIDDEN. */
export type Identify = (credentials: Credentials) => Actor | Promise<Actor>

export const queryParameter = (
  name: string,
  description: string,
  schema: z.ZodType = z.string(),
  required = false,
): Parameter => ({ name, in: 'query', description, schema, required })

export const pathParameter = (name: string, description: string, schema: z.ZodType = z.string()): Parameter => ({
  name,
  in: 'path',
  description,
  schema,
  required: true,
})

/** A body that must be there and be JSON, of the usual size where nothing else is said. */
export const jsonBody = (schema: z.ZodType, more: Partial<RequestBody> = {}): RequestBody => ({
  contentTypes: ['application/json'],
  limit: limits.body.value,
  schema,
  required: true,
  ...more,
})

/** The only success answer of a route. */
export const ok = (
  description: string,
  schema: z.ZodType,
  headers: readonly AnswerHeader[] = [],
): Route['answers'] => ({
  200: { description, schema, headers },
})

export const jsonAnswer = (json: Json): Answer => ({ status: 200, body: { json } })

export const route = (
  method: Route['method'],
  path: string,
  id: string,
  rest: Omit<Route, 'method' | 'path' | 'id'>,
): Route => ({ ...rest, method, path, id })
