import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Json } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { WorkRequest } from '../../shared/workQueue.ts'
import type { Bulkhead } from './guards.ts'
import type { problemOf } from './problemDetails.ts'

export interface Actor {
  /** User name: `preferred_username`, else `sub`. */
  readonly name: string
  readonly roles: readonly string[]
  /** Expiry of the token in epoch milliseconds; absent: never. */
  readonly until?: number
  /** Whether the token is a named one, which can be revoked at any time: it cannot create anything that outlasts it. */
  readonly program?: true
  /** Whether its credentials are still valid; absent: until they expire. */
  readonly holds?: () => Promise<boolean>
}

/** The operations that policies permit. */
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
  /** `ifOwner`: only on entities that the actor owns, which the handler checks. Open routes have `yes`. */
  readonly permission: 'yes' | 'ifOwner'
  readonly route: string
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: ReadonlyMap<string, string>
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON, or the raw bytes for routes whose body is not JSON; `undefined` without a body. */
  readonly body: unknown
  /** Media type of the body, lower case, without parameters. */
  readonly contentType: string | undefined
  /** Id of the request, which its events have: `X-Request-ID` of the answer, or that of the joint request. */
  readonly correlationId: string
  /** `X-Correlation-ID` of the request, if valid. */
  readonly clientCorrelationId?: string | undefined
  /** Absolute URL of `/api`, from `CATALOG_BASE_URL`, a trusted proxy or the request's Host. No trailing slash. */
  readonly baseUrl: string
  /** Aborts when the client leaves or on timeout. */
  readonly signal: AbortSignal
  /** Whether the answer is worth caching, because it was requested before. */
  readonly isRepeated?: boolean
  /** Calls a GET route by its path below `/api` on behalf of this request. @throws Error with the problem's message */
  readonly readRoute: (path: string) => Promise<string>
  /** The problem that an error of one part of the request is. An internal error is logged under its instance. */
  readonly problemOf: (error: unknown) => ReturnType<typeof problemOf>['problem']
  /** Reports progress of long work: restarts the request timeout. */
  readonly progress: () => void
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Revision of the shown entity, for the `ETag`. */
  readonly revision?: bigint | undefined
  /** At which reads show what it tells: its `Catalog-Position`. */
  readonly position?: bigint | undefined
  /** A stream is piped. */
  readonly body?: string | Buffer | Readable
  /** Texts in place of a body: each is made in its own turn in the route's bulkhead, and read as the client reads. */
  readonly parts?: AsyncGenerator<string>
  /** Default `application/json; charset=utf-8`. */
  readonly contentType?: string
  /** Everything that the answer depends on, if it depends on present entities only: then it may be cached. */
  readonly dependencies?: Dependencies
}

export interface Parameter<S extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  /** What a query may have is checked before the handler is called. */
  readonly schema: S
  readonly required?: boolean
}

export interface RequestBody {
  /** Accepted media types; others are 415. JSON ones are parsed, the rest arrive as a Buffer. */
  readonly contentTypes: readonly string[]
  /** Largest body in bytes; more is 413. */
  readonly limit: number
  /** Schema in the OpenAPI document; the handler validates. */
  readonly schema: z.ZodType
  /** An example body that can be sent. */
  readonly example?: Json
  /** Schemas of media types with another shape. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>
  readonly required: boolean
  /** Pass JSON as a Buffer too, for handlers that need the text (places, duplicate keys). */
  readonly raw?: boolean
  /**
   * What becomes of flaws (NUL, lone surrogates, too large numbers, reserved names). Default: the body is refused; `keep`
   * leaves them to the handler, `mend` is for bodies of others, of which only known members are read.
   */
  readonly flaws?: 'keep' | 'mend'
  /** Whether the body must be an array, whose items are read and refused one by one. */
  readonly inItems?: boolean
}

/** A response header, for the OpenAPI document. */
export type AnswerHeader =
  'ETag' | 'Catalog-Position' | 'Location' | 'Set-Cookie' | 'Preference-Applied' | 'Retry-After' | 'Content-Disposition'

export interface AnswerDescription {
  readonly description: string
  readonly schema?: z.ZodType
  /** Default `application/json`. */
  readonly contentType?: string
  readonly headers?: readonly AnswerHeader[]
}

/**
 * A route: the source of both the handler and the OpenAPI document.
 * @typeParam R the request, with what its handler works with
 */
export interface Route<R extends ApiRequest = ApiRequest> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** OpenAPI path below `/api`, such as `/v1/tables/{id}`; `{fqn}` matches several segments, up to the next fixed one. */
  readonly path: string
  /** The path is at the root instead of below `/api`, such as `/livez`. */
  readonly atRoot?: boolean
  /** Unique; `operationId` of the OpenAPI document. */
  readonly id: string
  readonly summary: string
  /** Markdown description in the OpenAPI document. */
  readonly description?: string
  /** Group in the OpenAPI document. */
  readonly tag: string
  /** The required operation (one of the two) and kind. `'open'` needs no token, `'signedIn'` any token. */
  readonly permission:
    'open' | 'signedIn' | { readonly operation: Operation; readonly or?: Operation; readonly kind?: string }
  readonly parameters?: readonly Parameter[]
  /** Whether it waits for the client's `Catalog-Position`. */
  readonly waitsForPosition?: boolean
  readonly body?: RequestBody
  /** Success answers by status. Error answers are added to all. */
  readonly answers: Readonly<Record<number, AnswerDescription>>
  /** The bulkhead in which costly work waits, fairly between callers; with `asOf`, it is that of the past. */
  readonly bulkhead?: Bulkhead | ((request: ApiRequest) => Bulkhead | undefined) | undefined
  readonly handle: (request: R) => Promise<Answer>
}

/** The turn for costly work of this request. */
export const workRequestOf = ({ actor, signal }: ApiRequest): WorkRequest => ({ caller: actor.name, signal })

export type Permission = 'yes' | 'no' | 'ifOwner'

export type PermissionPolicy = (actor: Pick<Actor, 'roles'>, operation: Operation, kind?: string) => Permission

/** The members that need a second person's approval, for a kind in these domains. */
export type ApprovalPolicy = (kind: string, domains: readonly string[], members: readonly string[]) => readonly string[]

export interface Credentials extends Pick<ApiRequest, 'headers' | 'baseUrl'> {
  readonly method: string
}

/** Identifies the caller of a request. Throws or rejects as {@link Authenticate} does, or with DomainError `forbidden`. */
export type Identify = (credentials: Credentials) => Actor | Promise<Actor>

/** The dependencies of an answer, as hashes of names: a change of any of them invalidates it. */
type Dependencies = ReadonlySet<number>

/** The text of a parameter that selects something: an empty one would select nothing, or everything. */
export const filledText = z.string().min(1)

export const queryParameter = <S extends z.ZodType = z.ZodString>(
  name: string,
  description: string,
  schema: S = filledText as unknown as S,
  required = false,
): Parameter<S> => ({ name, in: 'query', description, schema, required })

/** A query parameter that is off unless it is sent as `true`. */
export const queryFlag = (name: string, description: string) =>
  queryParameter(name, description, z.boolean().default(false))

export const headerParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: z.string(),
})

export const pathParameter = (name: string, description: string, schema: z.ZodType = z.string()): Parameter => ({
  name,
  in: 'path',
  description,
  schema,
  required: true,
})

/** A required JSON body, with the default size limit. */
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

/** What a JSON answer has beside its body. */
export type JsonAnswer = Partial<Pick<Answer, 'status' | 'headers' | 'position'>>

export const jsonAnswer = (json: Json, more: JsonAnswer = {}): Answer => ({
  status: 200,
  ...more,
  body: JSON.stringify(json),
})

/** Headers of what nobody may keep. */
export const noStore = { 'Cache-Control': 'no-store' } as const

export const route = <R extends ApiRequest = ApiRequest>(
  method: Route['method'],
  path: string,
  id: string,
  rest: Omit<Route<R>, 'method' | 'path' | 'id'>,
): Route<R> => ({ ...rest, method, path, id })
