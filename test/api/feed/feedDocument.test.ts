import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import addFormatsModule from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feedRoutes } from '../../../src/api/feed/feedRoutes.ts'
import { asyncApiDocument, asyncApiRoutes } from '../../../src/api/openapi/asyncapi.ts'
import { eventTypes } from '../../../src/events/verbs.ts'
import { bearer, serve, type Running } from '../support.ts'

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

const document = asyncApiDocument('https://catalog.example/api')

test('the document is AsyncAPI 3', () => {
  const file = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json')
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false })
  addFormats(ajv)
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object)
  expect(validate(document) ? [] : validate.errors).toEqual([])
})

test('what may be asked of the feed is what its routes read, each with its description', () => {
  const asked = (name: string) => {
    const { query } = (operations[name] as { bindings: { http: { query: { properties: object } } } }).bindings.http
    return Object.keys(query.properties).toSorted()
  }
  const read = (route: string) =>
    feedRoutes
      .find(({ id }) => id === route)
      ?.parameters?.flatMap(({ in: place, name }) => (place === 'query' ? [name] : []))
      .toSorted()
  const { operations } = document as unknown as { operations: Record<string, object> }
  expect(asked('pullEvents')).toEqual(read('pull_events'))
  expect(asked('streamEvents')).toEqual(read('stream_events'))
})

test('every reference in it leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string)
  expect(references.length).toBeGreaterThan(50)
  for (const path of references) {
    let found: unknown = document
    for (const part of path.split('/')) found = (found as Record<string, unknown>)[part]
    expect(found, path).toBeDefined()
  }
})

test.each(eventTypes)('the schema of %s is complete and refuses what does not belong', (type) => {
  const { schemas } = document['components'] as { schemas: Record<string, object> }
  const ajv = new Ajv({ strict: true })
  addFormats(ajv)
  const validate = ajv.compile(schemas[type] as object)
  expect(validate({ unheard: true })).toBe(false)
})

describe('over HTTP', () => {
  let running: Running
  beforeAll(async () => {
    running = await serve(asyncApiRoutes)
  })
  afterAll(() => running.close())

  test('the document needs no token, the schemas do', async () => {
    const answer = await fetch(`${running.url}/api/asyncapi.json`)
    expect(await answer.json()).toMatchObject({
      asyncapi: '3.0.0',
      servers: { catalog: { host: `127.0.0.1:${running.port}`, pathname: '/api' } },
    })
    const url = `${running.url}/api/v1/events/schemas/table/Voted`
    expect((await fetch(url)).status).toBe(401)
    expect(await (await fetch(url, { headers: bearer() })).json()).toMatchObject({ title: 'table.Voted' })
  })

  test('an unknown event type is 404', async () => {
    expect((await fetch(`${running.url}/api/v1/events/schemas/table/Unheard`, { headers: bearer() })).status).toBe(404)
  })
})
