import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from './out/api.ts'

const [url, token] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl: `${url}/api`, headers: { Authorization: `Bearer ${token}` } })
const name = 'openapi-fetch'

const made = await client.POST('/v1/glossaries', { body: { name, description: 'First.' } })
assert.equal(made.data?.description, 'First.')
const id = made.data.id

const read = await client.GET('/v1/glossaries/name/{fqn}', { params: { path: { fqn: name } } })
assert.equal(read.data?.id, id)

const merged = await client.PATCH('/v1/glossaries/{id}', {
  params: { path: { id } },
  headers: { 'Content-Type': 'application/merge-patch+json' },
  body: { description: 'Second.' },
})
assert.deepEqual([merged.data?.description, merged.data?.version], ['Second.', 0.2])

const patched = await client.PATCH('/v1/glossaries/{id}', {
  params: { path: { id } },
  headers: { 'Content-Type': 'application/json-patch+json' },
  body: [{ op: 'add', path: '/displayName', value: 'A name' }],
})
assert.equal(patched.data?.displayName, 'A name')

for (const term of ['a', 'b', 'c']) await client.POST('/v1/glossaryTerms', { body: { name: term, glossary: name } })
const names: string[] = []
let after: string | undefined
do {
  const query = { glossary: name, limit: 2, ...(after !== undefined && { after }) }
  const page = await client.GET('/v1/glossaryTerms', { params: { query } })
  names.push(...(page.data?.data ?? []).map((term) => term.name))
  after = page.data?.paging.after
} while (after !== undefined)
assert.deepEqual(names, ['a', 'b', 'c'])

const refused = await client.POST('/v1/glossaries', { body: { name } })
assert.equal(refused.error?.code, 'ENTITY_ALREADY_EXISTS')

const query = { recursive: true, hardDelete: true }
const gone = await client.DELETE('/v1/glossaries/{id}', { params: { path: { id }, query } })
assert.equal(gone.response.ok, true)

const events = await client.GET('/v1/events', { params: { query: { entityId: id, limit: 1000 } } })
assert.deepEqual(
  events.data?.data.map((event) => event.type.split('.').at(-1)),
  ['Created', 'Updated', 'Updated', 'HardDeleted'],
)
console.log('the story is true')
