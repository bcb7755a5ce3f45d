import type { Json, JsonObject } from '../../src/shared/json.ts'
import type { CallOptions } from '../support/service.ts'
import type { World } from './world.ts'

/** One of the largest requests that are allowed, or that are refused late. */
export interface Largest {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly body?: Json
  readonly options?: CallOptions
}

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
const patch = { headers: { 'content-type': 'application/json-patch+json' } }

const columnsWith = (more: (at: number) => JsonObject, count = 9000): JsonObject[] =>
  many(count, (at) => ({ name: `c${at}`, dataType: 'INT', ...more(at) }))

/** The table that these requests are about, and what it stands in and has on it. */
interface Place {
  readonly id: string
  readonly databaseSchema: string
  readonly tags: readonly string[]
}

const columnSets = ({ tags }: Place): Readonly<Record<string, Json>> => ({
  'a tag each': columnsWith((at) => ({ tags: [tags[at % tags.length] as string] })),
  'members that are null': columnsWith(() => ({ description: null, displayName: null, tags: null })),
  'members of wrong types': columnsWith(() => ({ description: 1, displayName: 2, dataLength: 'x', precision: -1 })),
  'unknown members': columnsWith(() => ({ a: 1, b: 2, c: 3, d: 4 })),
  'names and types that cannot be': columnsWith(() => ({ name: 'a::b', dataType: 'nope', constraint: 'nope' })),
  'unknown tags': columnsWith(() => ({ tags: ['a.b', 'a.c', 'a.d'] })),
  'one name': columnsWith(() => ({ name: 'same' })),
  'a child each': columnsWith(() => ({ dataType: 'STRUCT', children: [{ name: 'x', dataType: 'INT' }] }), 4900),
  'all below one': [{ name: 'all', dataType: 'STRUCT', children: columnsWith((at) => ({ description: `of ${at}` })) }],
})

const tables = (place: Place): Largest[] =>
  Object.entries(columnSets(place)).map(([what, columns]) => ({
    what: `a table whose columns have ${what}`,
    method: 'PUT',
    path: '/v1/tables',
    body: { name: 'largest', databaseSchema: place.databaseSchema, columns },
  }))

const written = ({ id, databaseSchema }: Place): Largest[] => [
  {
    what: 'constraints on columns that are not there',
    method: 'PUT',
    path: '/v1/tables',
    body: {
      name: 'constrained',
      databaseSchema,
      columns: columnsWith(() => ({})),
      tableConstraints: many(700, () => ({ constraintType: 'UNIQUE', columns: many(90, (at) => `none${at}`) })),
    },
  },
  {
    what: 'an extension of many members',
    method: 'PATCH',
    path: `/v1/tables/${id}`,
    body: { extension: Object.fromEntries(many(9000, (at) => [`m${at}`, { a: at, b: [1, 2, 3] }])) },
    options: merge,
  },
  {
    what: 'a patch of very many moves',
    method: 'PATCH',
    path: `/v1/tables/${id}`,
    body: many(9000, (at) => ({ op: 'add', path: `/extension/m${at}`, value: at })),
    options: patch,
  },
  {
    what: 'a patch with a path without end',
    method: 'PATCH',
    path: `/v1/tables/${id}`,
    body: [{ op: 'add', path: '/a'.repeat(400_000), value: 1 }],
    options: patch,
  },
  {
    what: 'a vote of a megabyte',
    method: 'PUT',
    path: `/v1/tables/${id}/vote`,
    body: { updatedVoteType: 'x'.repeat(1e6) },
  },
]

const document = { apiVersion: 'v3.1.0', kind: 'DataContract', id: 'd', name: 'd', version: '1.0.0', status: 'active' }

const parts: Readonly<Record<string, JsonObject>> = {
  people: { team: many(60_000, (at) => ({ username: `person${at}`, role: 'owner' })) },
  servers: {
    servers: many(30_000, (at) => ({ server: `s${at}`, type: 'custom', host: `http://u:p@h?password=${at}` })),
  },
  'service levels': { slaProperties: many(40_000, (at) => ({ property: `p${at}`, value: at })) },
  roles: { roles: many(40_000, (at) => ({ role: `r${at}`, access: 'read' })) },
  tags: { tags: many(200_000, (at) => `t${at}`) },
  'custom properties': { customProperties: many(60_000, (at) => ({ property: `p${at}`, value: { a: at } })) },
  objects: { schema: many(30_000, (at) => ({ name: `t${at}`, logicalType: 'object' })) },
  'quality rules': {
    schema: [{ name: 't', logicalType: 'object', quality: many(20_000, (at) => ({ name: `q${at}`, type: 'text' })) }],
  },
}

const documents = ({ id }: Place): Largest[] =>
  Object.entries(parts).map(([what, part]) => ({
    what: `a document of very many ${what}`,
    method: 'PUT',
    path: `/v1/dataContracts/odcs?entityId=${id}&entityType=table`,
    body: { ...document, ...part },
  }))

const rules = ({ id }: Place): Largest => ({
  what: 'a contract of very many rules',
  method: 'PUT',
  path: '/v1/dataContracts',
  body: {
    name: 'largest',
    entity: { type: 'table', id },
    semantics: many(9900, (at) => ({ name: `r${at}`, rule: '{"none":[{"var":"columns"},{"var":"x"}]}' })),
  },
})

const read = ({ id }: Place): Largest[] =>
  [
    `/v1/tables/${id}?fields=*`,
    `/v1/tables/${id}/versions?limit=1000`,
    `/v1/tables/${id}/history?limit=1000`,
    `/v1/tables/${id}/diff?from=0.1`,
    '/v1/events?limit=1000',
    `/v1/events?limit=1000&changed=${'columns,'.repeat(6000)}`,
    `/v1/tables?limit=1000&fields=*&asOf=@${'9'.repeat(10)}`,
    `/v1/tables?${many(6000, (at) => `p${at}=1`).join('&')}`,
    `/v1/tables?after=${Buffer.from('['.repeat(40_000)).toString('base64url')}`,
    `/v1/search/query?q=${encodeURIComponent('a* OR '.repeat(160))}b`,
  ].map((path) => ({ what: path.slice(0, 60), method: 'GET', path }))

/** The largest requests of many kinds, each for a reason of its own. */
export const largestOf = (world: World): readonly Largest[] => {
  const [table] = world.at('tables')
  const [schema] = world.at('databaseSchemas')
  const tags = world.at('tags').map(({ fqn }) => fqn)
  if (table === undefined || schema === undefined) throw new Error('The world has no table.')
  const place = { id: table.id, databaseSchema: schema.fqn, tags }
  return [...tables(place), ...written(place), ...documents(place), rules(place), ...read(place)]
}
