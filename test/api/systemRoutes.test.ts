import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import { makeMetrics, type ProjectionProgress } from '../../src/api/metrics.ts'
import { openApiDocument } from '../../src/api/openapi.ts'
import type { Route } from '../../src/api/route.ts'
import { systemRoutes, type SystemOptions } from '../../src/api/systemRoutes.ts'
import { jsonBody, route, serve } from './support.ts'

const well: SystemOptions = {
  name: 'metadata-catalog',
  version: '1.2.3',
  engines: { eventStore: 'sqlite', readModels: 'sqlite' },
  eventStore: { ping: async () => {}, head: async () => 12n },
  readModels: { ping: async () => {}, checkpoint: async () => 10n },
  caughtUp: () => true,
  metrics: makeMetrics({ version: '1.2.3', processMetrics: false }),
}

const ok = () => ({ status: 200, body: '{}' })

const running = async (more: Partial<SystemOptions> = {}, others: Route[] = []) => {
  const api = await serve([...systemRoutes({ ...well, ...more }, () => others), ...others])
  onTestFinished(() => api.close())
  return api
}

const get = async (path: string, more?: Partial<SystemOptions>) => fetch(`${(await running(more)).url}${path}`)

describe('probes', () => {
  it('say that the process lives', async () => {
    const response = await get('/livez')
    expect([response.status, await response.json(), response.headers.get('cache-control')]).toEqual([200, { status: 'alive' }, 'no-store'])
  })

  it('say that it can serve, and how far the read models are', async () => {
    const response = await get('/readyz')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      status: 'ready',
      dependencies: {
        eventStore: { status: 'up' },
        readModels: { status: 'up' },
        projections: { status: 'up', lag: '2', position: '10', head: '12' },
      },
    })
  })

  it('take position 0 and an empty log for what they are', async () => {
    const of = async (head: bigint | undefined, position: bigint | undefined) => {
      const response = await get('/readyz', {
        eventStore: { ping: async () => {}, head: async () => head },
        readModels: { ping: async () => {}, checkpoint: async () => position },
      })
      return (await response.json() as { dependencies: { projections: unknown } }).dependencies.projections
    }
    expect(await of(undefined, undefined)).toEqual({ status: 'up', lag: '0' })
    expect(await of(0n, undefined)).toEqual({ status: 'up', lag: '1', head: '0' })
    expect(await of(0n, 0n)).toEqual({ status: 'up', lag: '0', head: '0', position: '0' })
  })

  const fails = async () => {
    throw new StoreUnavailable('host 10.1.2.3')
  }

  it.each<[string, Partial<SystemOptions>, string, Record<string, string>]>([
    ['the event store is away', { eventStore: { ping: fails, head: fails } }, 'not ready', { eventStore: 'down', readModels: 'up', projections: 'down' }],
    ['the read models are away', { readModels: { ping: fails, checkpoint: fails } }, 'not ready', { eventStore: 'up', readModels: 'down', projections: 'down' }],
    ['the read models lag behind', { caughtUp: () => false }, 'not ready', { eventStore: 'up', readModels: 'up', projections: 'down' }],
    ['a store hangs', { eventStore: { ping: () => new Promise(() => {}), head: async () => 1n }, probeTimeout: 5 }, 'not ready', { eventStore: 'down', readModels: 'up', projections: 'up' }],
    ['the process is stopping', { stopping: () => true }, 'stopping', { eventStore: 'up', readModels: 'up', projections: 'up' }],
  ])('say that it cannot when %s', async (_, more, status, expected) => {
    const response = await get('/readyz', more)
    const text = await response.text()
    const body = JSON.parse(text) as { status: string; dependencies: Record<string, { status: string }> }
    expect([response.status, body.status]).toEqual([503, status])
    expect(Object.fromEntries(Object.entries(body.dependencies).map(([name, each]) => [name, each.status]))).toEqual(expected)
    expect(text).not.toContain('10.1.2.3')
  })
})

describe('metrics', () => {
  const read = async (progress: () => Promise<ProjectionProgress>) => {
    const metrics = makeMetrics({ version: '1.2.3', progress })
    metrics.eventsAppended('Created', 3)
    const api = await running({ metrics })
    const response = await fetch(`${api.url}/metrics`)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/)
    return response.text()
  }

  it('count events, and say where the read models and the process are', async () => {
    const text = await read(async () => ({ head: 12n, position: 10n }))
    expect(text).toContain('catalog_info{version="1.2.3"} 1')
    expect(text).toContain('catalog_events_appended_total{type="Created"} 3')
    expect(text).toMatch(/^catalog_projection_lag 2$/m)
    expect(text).toMatch(/^catalog_projection_position 10$/m)
    expect(text).toMatch(/^catalog_log_head_position 12$/m)
    expect(text).toContain('process_cpu_seconds_total')
  })

  it('are there without the stores', async () => {
    const text = await read(async () => {
      throw new StoreUnavailable('x')
    })
    expect(text).toContain('catalog_events_appended_total')
    expect(text).not.toMatch(/^catalog_projection_lag \d/m)
  })
})

describe('the version', () => {
  it('names the engines', async () => {
    expect(await (await get('/api/v1/system/version')).json()).toEqual({
      name: 'metadata-catalog', version: '1.2.3', node: process.versions.node, engines: { eventStore: 'sqlite', readModels: 'sqlite' },
    })
  })
})

const apple = z.strictObject({ name: z.string().describe('What it is called'), worms: z.array(z.strictObject({ size: z.int() }).meta({ id: 'Worm' })).optional() })
  .meta({ id: 'Apple' })
const createApple = z.strictObject({ name: z.string(), colour: z.string().default('red') }).meta({ id: 'CreateApple' })

const others: Route[] = [
  route('get', '/v1/apples', ok, {
    id: 'listApples',
    parameters: [{ name: 'limit', in: 'query', description: 'How many', schema: z.int().min(0).max(1000).default(10) }],
    answers: { 200: { description: 'A page', schema: z.strictObject({ data: z.array(apple) }) } },
  }),
  route('post', '/v1/apples', ok, { id: 'createApple', body: { ...jsonBody, schema: createApple }, answers: { 201: { description: 'Made', schema: apple } } }),
  route('get', '/v1/apples/{id}', ok, { id: 'getApple', answers: { 200: { description: 'It', schema: apple } } }),
  route('delete', '/v1/apples/{id}', ok, { id: 'deleteApple', answers: { 200: { description: 'It', schema: apple }, 204: { description: 'Gone' } } }),
  route('get', '/v1/apples/name/{fqn}', ok, { id: 'getAppleByName', answers: { 200: { description: 'It', schema: apple } } }),
]

type Node = Record<string, Record<string, unknown>>

describe('the OpenAPI document', () => {
  it('is valid and has every route once', async () => {
    const api = await running({}, others)
    const response = await fetch(`${api.url}/api/openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const document = await response.json() as { paths: Record<string, Record<string, { operationId?: string }>> }
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).flatMap((operation) => operation.operationId ?? []))
    const routes = [...systemRoutes(well, () => []), ...others]
    expect(ids.toSorted()).toEqual(routes.map((each) => each.id).toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    for (const each of routes) expect(document.paths[each.path]?.[each.method]?.operationId).toBe(each.id)
  })

  const document = openApiDocument({ routes: [...systemRoutes(well, () => []), ...others], version: '1.2.3' }) as {
    paths: Record<string, Node>
    components: { schemas: Node }
    servers: unknown
  }

  it('shares schemas that have a name', () => {
    expect(Object.keys(document.components.schemas).toSorted()).toEqual(['Apple', 'CreateApple', 'Problem', 'Worm'])
    expect(document.components.schemas.Apple).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'What it is called' },
        worms: { type: 'array', items: { $ref: '#/components/schemas/Worm' } },
      },
      required: ['name'],
      additionalProperties: false,
    })
    expect(document.paths['/v1/apples/{id}']?.get).toMatchObject({
      responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Apple' } } } } },
    })
    expect(JSON.stringify(document)).not.toContain('$defs')
  })

  it('asks for what a request may leave out, and gives what an answer always has', () => {
    expect(document.components.schemas.CreateApple).toMatchObject({ required: ['name'] })
    expect(document.paths['/v1/apples']?.post).toMatchObject({
      requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateApple' } } } },
    })
  })

  it('gives two shapes of one name two names', () => {
    const twice = openApiDocument({ version: '1', routes: [
      route('put', '/x', ok, { body: { ...jsonBody, schema: createApple }, answers: { 200: { description: '', schema: createApple } } }),
    ] }) as unknown as typeof document
    expect(Object.keys(twice.components.schemas).toSorted()).toEqual(['CreateApple', 'CreateAppleAnswer', 'Problem'])
    expect(twice.components.schemas.CreateAppleAnswer).toMatchObject({ required: ['name', 'colour'] })
  })

  it('says which errors and which token', () => {
    const list = document.paths['/v1/apples']?.get as { responses: object; security?: unknown }
    expect(Object.keys(list.responses)).toEqual(['200', '400', '401', '403', '406', '500', '503'])
    expect(list.security).toBeUndefined()
    const remove = document.paths['/v1/apples/{id}']?.delete as { responses: Node; parameters: unknown }
    expect(Object.keys(remove.responses)).toEqual(['200', '204', '400', '401', '403', '404', '406', '409', '412', '500', '503'])
    expect(remove.responses['204']).toEqual({ description: 'Gone' })
    expect(remove.parameters).toEqual([{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }])
    expect(document.paths['/livez']?.get).toMatchObject({ security: [] })
    expect(document.paths['/livez']?.servers).toEqual([{ url: '/' }])
    expect(document.servers).toEqual([{ url: '/api' }])
  })

  it('stands at the public address', () => {
    const there = openApiDocument({ routes: others, version: '1', baseUrl: 'https://example.org/catalog' })
    expect(there.servers).toEqual([{ url: 'https://example.org/catalog/api' }])
  })
})

describe('the documentation', () => {
  it('is a page that loads only what the catalog serves', async () => {
    const api = await running()
    const response = await fetch(`${api.url}/api/docs`)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';")
    const html = await response.text()
    const links = [...html.matchAll(/(?:src|href|data-document)="([^"]*)"/g)].map((match) => match[1] as string)
    expect(links).toContain('/api/openapi.json')
    for (const link of links) {
      const file = await fetch(new URL(link, api.url))
      expect([link, file.status]).toEqual([link, 200])
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100)
    }
    expect((await fetch(`${api.url}/api/docs/swagger-ui.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8')
  })

  it.each(['package.json', '..%2Fpackage.json', 'swagger-ui-bundle.js.map', 'index.html', 'constructor'])('has no file %s', async (file) => {
    expect((await get(`/api/docs/${file}`)).status).toBe(404)
  })

  it('stands below the public path', async () => {
    const api = await serve(systemRoutes(well, () => []), { baseUrl: 'https://example.org/catalog' })
    onTestFinished(() => api.close())
    expect(await (await fetch(`${api.url}/api/docs/`)).text()).toContain('src="/catalog/api/docs/start.js"')
  })
})
