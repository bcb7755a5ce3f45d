import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '../../../src/api/openapi/openapi.ts'
import { pathParameter, type Route } from '../../../src/api/http/route.ts'
import { systemRoutes } from '../../../src/api/system/systemRoutes.ts'
import { jsonBody, ok, route } from '../support.ts'
import { runningSystem, well } from '../system.ts'

const apple = z
  .strictObject({
    name: z.string().describe('What it is called'),
    worms: z.array(z.strictObject({ size: z.int() }).meta({ id: 'Worm' })).optional(),
  })
  .meta({ id: 'Apple' })
const createApple = z.strictObject({ name: z.string(), colour: z.string().default('red') }).meta({ id: 'CreateApple' })

const others: Route[] = [
  route('get', '/v1/apples', ok, {
    id: 'listApples',
    parameters: [{ name: 'limit', in: 'query', description: 'How many', schema: z.int().min(0).max(1000).default(10) }],
    answers: { 200: { description: 'A page', schema: z.strictObject({ data: z.array(apple) }) } },
  }),
  route('post', '/v1/apples', ok, {
    id: 'createApple',
    body: { ...jsonBody, schema: createApple },
    answers: { 201: { description: 'Made', schema: apple } },
  }),
  route('get', '/v1/apples/{id}', ok, {
    id: 'getApple',
    parameters: [pathParameter('id', 'Of it')],
    answers: { 200: { description: 'It', schema: apple } },
  }),
  route('delete', '/v1/apples/{id}', ok, {
    id: 'deleteApple',
    waitsForPosition: true,
    parameters: [pathParameter('id', 'Of it')],
    answers: { 200: { description: 'It', schema: apple }, 202: { description: 'Soon' }, 204: { description: 'Gone' } },
  }),
  route('get', '/v1/apples/name/{fqn}', ok, {
    id: 'getAppleByName',
    parameters: [pathParameter('fqn', 'Of it')],
    answers: { 200: { description: 'It', schema: apple } },
  }),
]

type Node = Record<string, Record<string, unknown>>

describe('the OpenAPI document', () => {
  it('is valid and has every route once', async () => {
    const api = await runningSystem({}, others)
    const response = await fetch(`${api.url}/api/openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const document = (await response.json()) as { paths: Record<string, Record<string, { operationId?: string }>> }
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation.operationId ?? []),
    )
    const routes = [...systemRoutes(well, () => []), ...others]
    expect(ids.toSorted()).toEqual(routes.map((each) => each.id).toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    for (const each of routes) expect(document.paths[each.path]?.[each.method]?.operationId).toBe(each.id)
  })

  let document: { paths: Record<string, Node>; components: { schemas: Node }; servers: unknown }
  beforeAll(async () => {
    const routes = [...systemRoutes(well, () => []), ...others]
    document = (await openApiDocument(routes)) as typeof document
  })

  it('shares schemas that have a name', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Apple', 'CreateApple', 'Problem', 'Worm']),
    )
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
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateApple' } } },
      },
    })
  })

  it('has one schema of each name', async () => {
    const twice = route('put', '/x', ok, {
      body: { ...jsonBody, schema: createApple },
      answers: { 200: { description: '', schema: createApple } },
    })
    await expect(openApiDocument([twice])).rejects.toThrow('There are two schemas CreateApple.')
  })

  it('says which errors and which token', () => {
    const list = document.paths['/v1/apples']?.get as { responses: object; security?: unknown }
    const ofAll = [400, 401, 403, 404, 406, 409, 412, 417, 429, 431, 500, 503]
    expect(Object.keys(list.responses)).toEqual([200, ...ofAll].map(String))
    expect(list.security).toBeUndefined()
    const remove = document.paths['/v1/apples/{id}']?.delete as { responses: Node; parameters: unknown }
    expect(Object.keys(remove.responses)).toEqual([200, 202, 204, ...ofAll].map(String))
    const create = document.paths['/v1/apples']?.post as { responses: object }
    expect(Object.keys(create.responses)).toEqual(expect.arrayContaining(['201', '408', '413', '415']))
    const correlated = {
      'X-Request-ID': { $ref: '#/components/headers/X-Request-ID' },
      'X-Correlation-ID': { $ref: '#/components/headers/X-Correlation-ID' },
    }
    expect(remove.responses['202']).toEqual({ description: 'Soon', headers: correlated })
    expect(remove.responses['204']).toEqual({ description: 'Gone', headers: correlated })
    expect(remove.parameters).toEqual([
      { name: 'id', in: 'path', description: 'Of it', required: true, schema: { type: 'string' } },
      { $ref: '#/components/parameters/X-Correlation-ID' },
      { $ref: '#/components/parameters/Catalog-Position' },
      { $ref: '#/components/parameters/Catalog-Request' },
    ])
    const read = document.paths['/v1/apples/{id}']?.get as { parameters: unknown[] }
    expect(read.parameters).toHaveLength(2)
    expect(document.paths['/v1/apples']?.post?.parameters).toHaveLength(2)
    expect(document.paths['/livez']?.get).toMatchObject({ security: [] })
    expect(document.paths['/livez']?.servers).toEqual([{ url: '/' }])
    expect(document.servers).toEqual([{ url: '/api' }])
  })

  it('says what permission is needed', async () => {
    const { paths } = (await openApiDocument([
      route('get', '/of-kind', ok, { permission: { operation: 'history', or: 'feed', kind: 'apple' } }),
      route('get', '/of-none', ok, { permission: { operation: 'feed' } }),
    ])) as unknown as { paths: Record<string, { get: { description: string } }> }
    const last = Object.values(paths).map(({ get }) => get.description.split('\n').at(-1))
    expect(last).toEqual(['Needs `history` or `feed` on apple.', 'Needs `feed`.'])
  })

  it('stands at the public address', async () => {
    const there = await openApiDocument(others, 'https://example.org/catalog')
    expect(there.servers).toEqual([{ url: 'https://example.org/catalog/api' }])
  })

  it('can be read for one tag, and names the tags there are', async () => {
    const api = await runningSystem({}, others)
    const url = `${api.url}/api/openapi.json?part=`
    const part = (await (await fetch(`${url}system`)).json()) as { tags: { name: string }[] }
    expect(part.tags.map(({ name }) => name)).toEqual(['system'])
    const refused = await fetch(`${url}sistem`)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('did you mean system?')])
  })

  it('tells a client that has it that nothing is new', async () => {
    const api = await runningSystem({}, others)
    const url = `${api.url}/api/openapi.json`
    const tag = (await fetch(url)).headers.get('etag') as string
    const askedWith = (known: string) => fetch(url, { headers: { 'if-none-match': known } })
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const { status, headers } = await askedWith(known)
      expect([known, status, headers.get('etag')]).toEqual([known, 304, tag])
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await askedWith('*')).status).toBe(304)
    expect((await askedWith('"other"')).status).toBe(200)
    expect((await askedWith('other')).status).toBe(400)
  })

  it('writes "this or null" as a type of two words, or as one of a reference and null', async () => {
    const pear = z.strictObject({ name: z.string().nullish(), worm: z.strictObject({}).meta({ id: 'Pip' }).nullish() })
    const body = { ...jsonBody, schema: pear.meta({ id: 'Pear' }) }
    const { components } = (await openApiDocument([route('post', '/v1/pears', ok, { body })])) as unknown as {
      components: { schemas: Record<string, { properties: Node }> }
    }
    expect(components.schemas['Pear']?.properties['name']).toEqual({ type: ['string', 'null'] })
    expect(components.schemas['Pear']?.properties['worm']).toEqual({
      oneOf: [{ $ref: '#/components/schemas/Pip' }, { type: 'null' }],
    })
  })
})
