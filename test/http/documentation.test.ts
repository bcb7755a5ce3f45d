import { beforeAll, describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import { answered, useHttp } from './support.ts'

interface Shape {
  readonly type?: string
  readonly $ref?: string
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly in?: string
    readonly name?: string
    readonly required?: boolean
    readonly $ref?: string
  }[]
  /** Empty if it is open. */
  readonly security?: readonly object[]
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Shape }> }>
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown; readonly schema: Shape }> }
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, object> }
}

let document: Document

const http = useHttp()

beforeAll(async () => {
  document = (await (await fetch(`${http.url}/api/openapi.json`)).json()) as Document
})
const operations = (): Operation[] =>
  Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .filter((each) => each.operationId !== undefined)

describe('the document of the whole API', () => {
  it.each(kinds.map(({ name, path }) => ({ name, path })))(
    'has examples of $name that can be sent',
    async ({ path }) => {
      const exampleOf = (at: string) => document.paths[at]?.['post']?.requestBody?.content['application/json']?.example
      await http.post(`/v1/${path}`, exampleOf(`/v1/${path}`))
      await answered(200, http.call('POST', `/v1/${path}/changes`, exampleOf(`/v1/${path}/changes`)))
    },
  )

  it('says of every operation and of every tag what it is', () => {
    const silent = operations().filter(({ summary, description }) => !(description.length > summary.length))
    expect(silent.map(({ operationId }) => operationId)).toEqual([])
    const told = new Map(document.tags.map(({ name, description }) => [name, description]))
    const tags = new Set(operations().flatMap(({ tags: own }) => own))
    expect([...tags].filter((name) => (told.get(name) ?? name) === name)).toEqual([])
  })

  it('declares the parameters of every path in its order, and no others', () => {
    const wrong = Object.entries(document.paths).flatMap(([path, item]) => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      return Object.values(item).flatMap(({ operationId, parameters = [] }) => {
        const declared = parameters.flatMap((each) => (each.in === 'path' ? each.name : []))
        return operationId === undefined || declared.join() === named.join() ? [] : operationId
      })
    })
    expect(wrong).toEqual([])
  })

  it('declares Catalog-Position where it is waited for, and nowhere else', async () => {
    const header = { 'Catalog-Position': '9999999999999999' }
    const wrong: string[] = []
    for (const [path, item] of Object.entries(document.paths)) {
      const { parameters = [], operationId, security } = item['get'] ?? {}
      if (
        operationId === undefined ||
        security !== undefined ||
        parameters.some(({ required, in: at }) => required && at === 'query')
      )
        continue
      const target = path.replaceAll(/\{\w+\}/g, crypto.randomUUID())
      const { body } = await http.call('GET', target, undefined, { headers: header })
      const waits = String(body?.message).startsWith('Catalog-Position: is beyond the end')
      const declared = parameters.some(({ $ref }) => $ref === '#/components/parameters/Catalog-Position')
      if (waits !== declared) wrong.push(`${operationId}: ${waits ? 'waits' : 'declares it'}`)
    }
    expect(wrong).toEqual([])
  })

  it('has parts that an editor can open, and says each long list of values once', async () => {
    const parts = document.tags.map(({ name }) => name)
    const sizes = await Promise.all(
      parts.map(
        async (part) => (await (await fetch(`${http.url}/api/openapi.json?part=${part}`)).arrayBuffer()).byteLength,
      ),
    )
    expect(Math.max(...sizes)).toBeLessThan(600_000)
    const lists = [...JSON.stringify(document).matchAll(/"enum":(\[[^\]]*\])/g)].map(([, list = '']) => list)
    const long = lists.filter((list) => (JSON.parse(list) as string[]).length > 60)
    expect(long.length).toBeGreaterThan(0)
    expect(long.toSorted()).toEqual([...new Set(long)].toSorted())
  })

  it('has no component that nothing refers to, and requires nothing that it does not describe', () => {
    const whole = JSON.stringify(document)
    const components = Object.entries(document.components).flatMap(([sort, named]) =>
      sort === 'securitySchemes' ? [] : Object.keys(named).map((name) => `#/components/${sort}/${name}`),
    )
    expect(components.filter((path) => !whole.includes(`"$ref":"${path}"`))).toEqual([])
    const undescribed: string[] = []
    JSON.stringify(document, (key, value: unknown) => {
      const { type, required, properties = {} } = (value ?? {}) as Record<string, object | undefined>
      if (String(type) === 'object' && Array.isArray(required))
        undescribed.push(...required.filter((name: string) => !(name in properties)).map((name) => `${key}: ${name}`))
      return value
    })
    expect(undescribed).toEqual([])
  })

  it('names operations in one way', () => {
    expect(
      operations()
        .map(({ operationId }) => operationId)
        .filter((id) => !/^[a-z][a-zA-Z]*(_[a-zA-Z0-9]+)*$/.test(id)),
    ).toEqual([])
  })

  it('has a named shape for every body of a kind', () => {
    for (const { path } of kinds) {
      const item = document.paths[`/v1/${path}/{id}`] as Record<string, Operation>
      const patch = item['patch']?.requestBody?.content as Record<string, { schema: { $ref?: string } }>
      expect(patch['application/json-patch+json']?.schema.$ref).toBe('#/components/schemas/JsonPatch')
      expect(patch['application/merge-patch+json']?.schema.$ref).toMatch(/Patch$/)
    }
    expect(Object.keys(document.components.schemas).filter((name) => /\d/.test(name))).toEqual([])
  })

  it('has a named shape for every other body and answer, so that generated clients have names for them', () => {
    const nameless = operations().filter(({ requestBody, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap((message) => Object.values(message?.content ?? {}))
        .some(({ schema }) => schema.type === 'object'),
    )
    expect(nameless.map(({ operationId }) => operationId)).toEqual([])
  })
})
