import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, it } from 'vitest'
import { typedSchema } from '../../../src/api/openapi/asyncapi.ts'
import { eventTypes } from '../../../src/events/verbs.ts'
import type { Field, KindDefinition } from '../../../src/kinds/defineKind.ts'
import { kinds, storedKinds } from '../../../src/kinds/registry/kinds.ts'
import { isObject, type Json, type JsonObject } from '../../../src/shared/json.ts'
import { dataSchemaOf } from '../../../src/subscriptions/feed/cloudEvent.ts'
import { useInProcess } from '../../support/running.ts'

const shared = useInProcess()
const { call } = shared

const everySchema = storedKinds.flatMap((kind) => eventTypes.map((type) => typedSchema(kind, type)))

/** Values for the members that `forget` erases. */
const personalOf = ({ fields }: KindDefinition, of: string): JsonObject => {
  const valueFor = ({ schema }: Field) => [`${of}@example.org`, { of }].find((value) => schema.safeParse(value).success)
  const personal = Object.entries(fields).filter(([, field]) => field.personal)
  return Object.fromEntries(personal.map(([name, field]) => [name, valueFor(field) as Json]))
}

it('events of every kind are what the schema says that they name', async () => {
  const listed = (await call('GET', '/v1/events/schemas')).body.data as { dataschema: string; href: string }[]
  expect(listed.map(({ dataschema }) => dataschema)).toEqual(everySchema.map(({ $id }) => $id))
  const document = (await call('GET', '/api/openapi.json')).body
  for (const definition of kinds) {
    const { path } = definition
    const example = document.paths[`/v1/${path}`].post.requestBody.content['application/json'].example as JsonObject
    const made = await call('POST', `/v1/${path}`, example)
    const headers = { 'content-type': 'application/merge-patch+json' }
    await call('PATCH', `/v1/${path}/${made.body.id}`, { description: 'Other words.', displayName: 'X' }, { headers })
    const personal = personalOf(definition, 'eve')
    if (Object.keys(personal).length === 0) continue
    const { id } = (await call('POST', `/v1/${path}`, { ...example, name: 'eve', ...personal })).body
    await call('PATCH', `/v1/${path}/${id}`, personalOf(definition, 'erin'), { headers })
    expect((await call('POST', `/v1/${path}/${id}/forget`)).body.erased).toEqual(Object.keys(personal))
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  for (const schema of everySchema) ajv.addSchema(schema)
  const wrong: unknown[] = []
  const seen = new Set<string>()
  for (let after = '0'; ;) {
    const { data, paging } = (await call('GET', `/v1/events?after=${after}&limit=1000`)).body
    for (const { dataschema, data: told } of data as { dataschema: string; data: unknown }[]) {
      seen.add(dataschema)
      if (ajv.validate(dataschema, told) !== true) wrong.push([dataschema, ajv.errorsText(), told])
    }
    if (data.length === 0) break
    after = paging.after as string
  }
  expect(wrong).toEqual([])
  expect(kinds.map(({ name }) => dataSchemaOf(name, 'Created')).filter((name) => !seen.has(name))).toEqual([])
})

it('a schema is where the list says, and what there is not is named', async () => {
  const { data } = (await call('GET', '/v1/events/schemas')).body as { data: { dataschema: string; href: string }[] }
  const [entry] = data.filter(({ dataschema }) => dataschema === 'urn:catalog:event:table:Updated:1')
  const at = entry?.href.slice(shared.url.length) as string
  expect((await call('GET', at)).body).toEqual(
    typedSchema(
      kinds.find(({ name }) => name === 'table')!,
      'Updated',
    ),
  )
  expect((await call('GET', `${at}s`)).body.message).toContain('table.Updateds')
})

const publishedFile = join(import.meta.dirname, 'publishedEvents.json')

/** Path → type of everything that a schema promises, as far as it is the same for all values. */
const promises = (schema: JsonObject, root: JsonObject = schema, at = ''): Record<string, Json> => {
  const { $ref } = schema
  const referred = typeof $ref === 'string' ? (root['$defs'] as JsonObject)[$ref.slice('#/$defs/'.length)] : schema
  const { type = 'any', properties, required } = (at.split('.').length > 3 ? {} : referred) as JsonObject
  const members = isObject(properties) ? Object.entries(properties) : []
  const must = Array.isArray(required) ? required : []
  return {
    ...(at === '' ? {} : { [at]: type }),
    ...Object.assign(
      {},
      ...members.map(([name, member]) =>
        promises(member as JsonObject, root, `${at}${at === '' ? '' : '.'}${name}${must.includes(name) ? '!' : ''}`),
      ),
    ),
  }
}

const now = Object.fromEntries(everySchema.map((schema) => [schema['$id'] as string, promises(schema)]))

it('a schema of events keeps what was published under its name; CATALOG_TEST_PUBLISH=1 publishes what is new', () => {
  if (process.env['CATALOG_TEST_PUBLISH'] === '1') writeFileSync(publishedFile, `${JSON.stringify(now)}\n`)
  const published = JSON.parse(readFileSync(publishedFile, 'utf8')) as typeof now
  const broken = Object.entries(published).flatMap(([name, promised]) =>
    Object.entries(promised)
      .filter(([path, type]) => JSON.stringify(now[name]?.[path]) !== JSON.stringify(type))
      .map(([path]) => `${name} ${path}: raise its version in cloudEvent.ts, and keep the old one readable`),
  )
  expect(broken).toEqual([])
  expect(Object.keys(now).filter((name) => published[name] === undefined)).toEqual([])
})
