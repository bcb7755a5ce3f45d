import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { problemCodes, type ProblemCode } from '../../src/api/http/problemDetails.ts'
import { isObject, type Json, type JsonObject } from '../../src/shared/json.ts'
import { makeLogger } from '../../src/composition/logger.ts'
import type { KindDefinition } from '../../src/kinds/defineKind.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import {
  startBuilt,
  temporaryDataDir,
  tokenFor,
  type Answer,
  type Call,
  type CallOptions,
  type RunningService,
} from '../support/service.ts'
import { sharedFolder } from '../support/folders.ts'
import { openService } from '../support/running.ts'
import { prepare, sampleFor, type Parents, type Sample } from '../kinds/samples.ts'
import { checkerOf } from './openApi.ts'

export const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
export const jsonPatch = { headers: { 'content-type': 'application/json-patch+json' } }

/** Options of a call with another token. */
export const as = (user: string, ...roles: string[]) => ({ token: tokenFor(user, roles) })

/** Calls that go as expected: each gives the body of the answer. */
export interface Verbs {
  /** Answered with 200. */
  get(path: string, options?: CallOptions): Promise<Answer['body']>
  /** Answered with 201. */
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer['body']>
  /** Answered with 200. */
  put(path: string, body: unknown, options?: CallOptions): Promise<Answer['body']>
  /** A merge patch, answered with 200. */
  patch(path: string, body: unknown, options?: CallOptions): Promise<Answer['body']>
  /** Answered with 200, or with 204 where the path says `hardDelete=true`. */
  remove(path: string, options?: CallOptions): Promise<Answer['body']>
  /** Refused with this code: gives the problem. That nothing is written is looked at behind the test. */
  refuses(code: ProblemCode, ...request: Parameters<Call>): Promise<Answer['body']>
}

/** What is asked of a service, whether it is a process of its own or not. */
type HttpService = Pick<RunningService, 'url' | 'call' | 'output'>

/** A service for one test file. */
export interface Http extends Verbs {
  readonly url: string
  readonly service: HttpService
  /** Calls the service, checks the answer against its OpenAPI document, and that nothing in it is `null`. */
  readonly call: Call
  /** Position of the newest event in the log. */
  head(): Promise<string>
  /** Ends the service, a process by SIGKILL, and starts it again. @param between is called while there is none */
  restart(between?: () => void): Promise<void>
  /** What a call answers, when nothing may be written by it, which is looked at behind the test. */
  refused: Call
  /** Expects that what was refused since the last check has written nothing. */
  checkRefusals(): Promise<void>
  stop(): Promise<void>
}

/** The verbs over two ways to call: `refused` checks that nothing is written. */
export const verbsOf = (call: Call, refused: Call): Verbs => {
  const body = async (status: number, ...request: Parameters<Call>) => (await answered(status, call(...request))).body
  return {
    get: (path, options) => body(200, 'GET', path, undefined, options),
    post: (path, sent, options) => body(201, 'POST', path, sent, options),
    put: (path, sent, options) => body(200, 'PUT', path, sent, options),
    patch: (path, sent, options) => body(200, 'PATCH', path, sent, { ...merge, ...options }),
    remove: (path, options) => body(path.includes('hardDelete=true') ? 204 : 200, 'DELETE', path, undefined, options),
    refuses: (code, ...request) => problem(problemCodes[code].status, code, refused(...request)),
  }
}

/** Members in which anything may stand that clients sent. */
const open = new Set([
  'extension',
  'config',
  'style',
  'profile',
  'security',
  'topicConfig',
  'searchIndexSettings',
  'oldValue',
  'newValue',
  'value',
  'set',
  'members',
])

const nullsIn = (value: Json, path: string): string[] => {
  if (value === null) return [path]
  if (Array.isArray(value)) return value.flatMap((item, index) => nullsIn(item, `${path}/${index}`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) =>
    open.has(name) || (name === 'data' && path !== '') ? [] : nullsIn(item, `${path}/${name}`),
  )
}

/** Wraps a client so that each answer is checked. */
const checked =
  (call: Call, check: ReturnType<typeof checkerOf>): Call =>
  async (method, path, body, options) => {
    const answer = await call(method, path, body, options)
    const [plain = ''] = path.split('?')
    const contentType = (answer.headers.get('content-type') ?? '').split(';')[0] as string
    const seen = {
      method,
      path: plain.startsWith('/v1') ? `/api${plain}` : plain,
      status: answer.status,
      contentType,
      body: answer.body,
      headers: answer.headers,
    }
    const wrong = check(seen)
    if (isObject(answer.body) && seen.path.startsWith('/api/v1/') && !/\/search\/|\/odcs/.test(plain)) {
      wrong.push(...nullsIn(answer.body, '').map((at) => `${at} is null`))
    }
    expect(wrong, `${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 600)}`).toEqual(
      [],
    )
    return answer
  }

/** Made once for all files of a process: what a schema is compiled to serves the next one, too. */
let checker: ReturnType<typeof checkerOf> | undefined

const checkerFrom = async (call: Call): Promise<ReturnType<typeof checkerOf>> =>
  (checker ??= checkerOf((await call('GET', '/api/openapi.json')).body))

interface Started extends HttpService {
  end(): Promise<unknown>
}

/** The built service, for what only a process of its own shows, such as what is left of it when it is killed. */
const startProcess = async (folder: string, env: Record<string, string>): Promise<Started> => {
  const service = await startBuilt(folder, env)
  return { url: service.url, call: service.call, output: service.output, end: () => service.stop('SIGKILL') }
}

const startHere = async (folder: string, env: Record<string, string>): Promise<Started> => {
  const lines: string[] = []
  const logger = makeLogger('warn', { write: (line) => lines.push(line) })
  const { url, call, close } = await openService(env, folder, logger)
  return { url, call, output: () => lines.join(''), end: close }
}

/** A service in a folder of its own, once `start` was called. */
const makeHttp = (startOn: typeof startHere): Http & { start(env: Record<string, string>): Promise<void> } => {
  const folder = temporaryDataDir()
  let service: Started
  let settings: Record<string, string> = {}
  let send: Call
  /** Requests that must have written nothing, by their id; `before` is the newest event before the first of them. */
  const refusals = new Map<string | null, string>()
  let before = ''
  const head = async (): Promise<string> =>
    (await answered(200, service.call('GET', '/v1/events?after=latest'))).body.paging.after
  const call: Call = (...request) => send(...request)
  const refused: Call = async (...request) => {
    if (refusals.size === 0) before = await head()
    const answer = await send(...request)
    refusals.set(answer.headers.get('x-request-id'), `${request[0]} ${request[1]}`)
    return answer
  }
  const checkRefusals = async (): Promise<void> => {
    const written: unknown[] = []
    for (let after = before; refusals.size > 0;) {
      const { body } = await answered(200, service.call('GET', `/v1/events?limit=1000&after=${after}`))
      // What else has come is of other requests, and of the processes that follow the log.
      written.push(...body.data.flatMap((event: JsonObject) => refusals.get(event['correlationid'] as string) ?? []))
      if (body.data.length === 0) refusals.clear()
      after = body.paging.after
    }
    expect(written, 'wrote something though they were refused').toEqual([])
  }
  return {
    ...verbsOf(call, refused),
    get url() {
      return service.url
    },
    get service() {
      return service
    },
    start: async (env) => {
      settings = env
      service = await startOn(folder.path, settings)
      send = checked((...request) => service.call(...request), await checkerFrom(service.call))
    },
    restart: async (between = () => undefined) => {
      await service.end()
      between()
      service = await startOn(folder.path, settings)
    },
    call,
    head,
    refused,
    checkRefusals,
    stop: async () => {
      await service?.end()
      await folder.remove()
    },
  }
}

/** What a service has before the first test. */
export interface Prepared {
  readonly env?: () => Record<string, string>
  /** Text of its policies file. */
  readonly policies?: string
  /** What is created, in this order. */
  readonly made?: readonly (readonly [path: string, body: object])[]
  /** Whether it is the built service, a process of its own. */
  readonly built?: boolean
}

/** One service for the tests of a file: it is there from before the first until after the last. */
export const useHttp = ({ env = () => ({}), policies, made = [], built = false }: Prepared = {}): Http => {
  const http = makeHttp(built ? startProcess : startHere)
  const file = join(sharedFolder(), 'policies.yaml')
  beforeAll(async () => {
    if (policies !== undefined) writeFileSync(file, policies)
    await http.start({ ...env(), ...(policies !== undefined && { CATALOG_POLICIES_FILE: file }) })
    for (const [path, body] of made) await http.post(`/v1/${path}`, body)
  })
  afterEach(() => http.checkRefusals())
  afterAll(() => http.stop())
  return http
}

/** A schema `SERVICE.db.s`, with what it stands in. */
export const schemaOf = (service: string): NonNullable<Prepared['made']> => [
  ['services/databaseServices', { name: service, serviceType: 'Postgres' }],
  ['databases', { name: 'db', service }],
  ['databaseSchemas', { name: 's', database: `${service}.db` }],
]

/** The schema `pg.db.s`, with what it stands in. */
export const schemaOfPg = schemaOf('pg')

interface TestCaseOptions {
  readonly column?: string
  readonly testSuite?: string
}

/** A test case on a table, of how many rows it has, or on a column, that its values are unique. */
export const testCaseOn = (table: string, name: string, { column, testSuite = 'suite' }: TestCaseOptions = {}) => ({
  name,
  testSuite,
  testDefinition: column === undefined ? 'tableRowCountToBeBetween' : 'columnValuesToBeUnique',
  entityLink: `<#E::table::${table}${column === undefined ? '' : `::columns::${column}`}>`,
})

/** The pages of a list, from the first to the last. @param read gives the page of a query that begins with `&` */
export async function* pagesOf<T extends { paging: { after?: string } }>(
  read: (query: string) => Promise<T>,
): AsyncGenerator<T> {
  for (let query = ''; ;) {
    const page = await read(query)
    yield page
    if (page.paging.after === undefined) return
    query = `&after=${encodeURIComponent(page.paging.after)}`
  }
}

/** Expects a status, with the answer in the message. */
export const answered = async (status: number, answer: Promise<Answer>): Promise<Answer> => {
  const got = await answer
  expect(got.status, JSON.stringify(got.body)).toBe(status)
  return got
}

/** Expects an error of this status and code, and gives its problem. */
export const problem = async (status: number, code: string, answer: Promise<Answer>): Promise<Answer['body']> => {
  const { status: got, body, headers } = await answer
  expect([got, body.code], JSON.stringify(body)).toEqual([status, code])
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body.status).toBe(status)
  expect(body.detail).toBe(body.message)
  return body
}

/** Paths of the errors of a problem. */
export const paths = (body: { errors: { path: string }[] }): string[] => body.errors.map(({ path }) => path)

/** Path of one entity by its FQN. */
export const byName = (definition: Pick<KindDefinition, 'path'>, fqn: string): string =>
  `/v1/${definition.path}/name/${encodeURIComponent(fqn)}`

/** Makes entities of one kind together with what they refer to. */
export interface Maker {
  /** A sample whose prerequisites exist. */
  sample(n: number | string): Promise<Sample>
  /** Creates the minimal or full sample. */
  create(n: number | string, which?: keyof Sample): Promise<Answer['body']>
}

export const makerOf = (call: Call, definition: KindDefinition): Maker => {
  const prerequisitesOf = new Map<string, Promise<Parents>>()
  const make = async (n: number | string): Promise<Parents> => {
    const { first, parents } = prepare(definition.name, n, 'full')
    for (const { kind, request } of first) {
      const answer = await call('PUT', `/v1/${kindNamed(kind).path}`, request)
      expect(answer.status, `${kind} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    }
    return parents
  }
  const parentsFor = (n: number | string): Promise<Parents> => {
    const shared = definition.behaviour.identity === 'parent' ? `${definition.name}_${n}` : `for_${definition.name}`
    let parents = prerequisitesOf.get(shared)
    if (parents === undefined) prerequisitesOf.set(shared, (parents = make(shared)))
    return parents
  }
  const sample = async (n: number | string): Promise<Sample> => sampleFor(definition.name, n, await parentsFor(n))
  return {
    sample,
    create: async (n, which = 'minimal') => {
      const answer = await call('POST', `/v1/${definition.path}`, (await sample(n))[which])
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      return answer.body
    },
  }
}

const same = (given: Json, got: Json | undefined): boolean => {
  if (Array.isArray(given))
    return Array.isArray(got) && given.length === got.length && given.every((item, index) => same(item, got[index]))
  if (isObject(given)) return isObject(got) && Object.entries(given).every(([name, item]) => same(item, got[name]))
  if (typeof given === 'string')
    return typeof got === 'string' && (given.toLowerCase() === got.toLowerCase() || got === '********')
  return given === got
}

const nameOf = (reference: Json): Json | undefined =>
  isObject(reference) ? (reference['tagFQN'] ?? reference['fullyQualifiedName'] ?? reference['id']) : reference

/** The members of a request that an answer does not show as they were given. */
export const lostMembers = (definition: KindDefinition, given: JsonObject, answer: JsonObject): string[] =>
  Object.entries(given)
    .filter(([name, value]) => {
      const field = definition.fields[name]
      const got = answer[name]
      if (field?.references !== undefined) {
        const list = (item: Json | undefined) =>
          (Array.isArray(item) ? item : item === undefined ? [] : [item]).map(nameOf)
        return !same(list(value) as Json, list(got) as Json)
      }
      return !same(field?.nested === undefined ? value : withoutTags(value), got)
    })
    .map(([name]) => name)

const withoutTags = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutTags)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'tags')
      .map(([name, item]) => [name, withoutTags(item)]),
  )
}
