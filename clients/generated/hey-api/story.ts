import assert from 'node:assert/strict'
import { client } from './out/client.gen.ts'
import * as catalog from './out/sdk.gen.ts'

const [url, token] = process.argv.slice(2)
client.setConfig({ baseUrl: `${url}/api`, auth: () => token })
const name = 'hey-api'

const made = await catalog.createGlossary({ body: { name, description: 'First.' }, throwOnError: true })
assert.equal(made.data.description, 'First.')
const path = { id: made.data.id }

const read = await catalog.getGlossaryByName({ path: { fqn: name }, throwOnError: true })
assert.equal(read.data.id, path.id)

const merged = await catalog.patchGlossary({
  path,
  headers: { 'Content-Type': 'application/merge-patch+json' },
  // Of a body with several media types the generator knows the first alone.
  body: { description: 'Second.' } as never,
  throwOnError: true,
})
assert.deepEqual([merged.data.description, merged.data.version], ['Second.', 0.2])

const patched = await catalog.patchGlossary({
  path,
  headers: { 'Content-Type': 'application/json-patch+json' },
  body: [{ op: 'add', path: '/displayName', value: 'A name' }],
  throwOnError: true,
})
assert.equal(patched.data.displayName, 'A name')

for (const term of ['a', 'b', 'c']) {
  await catalog.createGlossaryTerm({ body: { name: term, glossary: name }, throwOnError: true })
}
const names: string[] = []
let after: string | undefined
do {
  const query = { glossary: name, limit: 2, ...(after !== undefined && { after }) }
  const page = await catalog.listGlossaryTerm({ query, throwOnError: true })
  names.push(...page.data.data.map((term) => term.name))
  after = page.data.paging.after
} while (after !== undefined)
assert.deepEqual(names, ['a', 'b', 'c'])

const refused = await catalog.createGlossary({ body: { name } })
assert.equal(refused.error?.code, 'ENTITY_ALREADY_EXISTS')

await catalog.deleteGlossary({ path, query: { recursive: true, hardDelete: true }, throwOnError: true })

const stop = new AbortController()
const { stream } = await catalog.streamEvents({ query: { entityId: path.id }, signal: stop.signal })
const types: string[] = []
for await (const event of stream as AsyncIterable<unknown>) {
  const { type } = (typeof event === 'string' ? JSON.parse(event) : event) as { type: string }
  types.push(type.split('.').at(-1) as string)
  if (types.length === 4) break
}
stop.abort()
assert.deepEqual(types, ['Created', 'Updated', 'Updated', 'HardDeleted'])
console.log('the story is true')
process.exit(0)
