import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import { buildFqn, entityId } from '../../src/kinds/names.ts'
import type { Json, JsonObject } from '../../src/shared/json.ts'
import { external } from '../support/external.ts'
import { startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'
import { must } from '../console/shop.ts'

/** What the caller may not view. */
const hiddenKinds = ['user', 'team', 'domain', 'tag', 'glossaryTerm', 'topic', 'testCase']

const policies = `roles:
  Blind:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [${hiddenKinds.join(', ')}] }
`

const blind = { token: tokenFor('bea', ['Blind']) }

interface World {
  readonly service: RunningService
  /** Correlation ids of the requests, in their order. */
  readonly requests: string[]
  /** Ids of proposals, which chance gives. */
  readonly proposals: string[]
  /** Id of the one entity of each kind that paths name. */
  readonly known: Map<string, { readonly id: string; readonly fqn: string }>
}

/** The same in all worlds, but for what is called `name`, which the caller may not view. */
const fill = async (service: RunningService, name: string): Promise<World> => {
  const requests: string[] = []
  const proposals: string[] = []
  const known: World['known'] = new Map()
  const put = async (path: string, body: Record<string, unknown>) => {
    const answer = await service.call('PUT', `/v1/${path}`, body)
    expect([path, answer.status, answer.status > 201 ? answer.body : '']).toEqual([
      path,
      expect.toBeOneOf([200, 201]),
      '',
    ])
    requests.push(answer.headers.get('x-request-id') ?? '')
    const { name: kind = '' } = kinds.find((each) => each.path === path) ?? {}
    known.set(kind, { id: answer.body.id, fqn: answer.body.fullyQualifiedName })
    return answer.body
  }
  await put('users', { name: 'ann' })
  await put('users', { name: `${name}One`, teams: [] })
  await put('teams', { name, displayName: `The ${name}s` })
  await put('domains', { name, domainType: 'Aggregate', description: name })
  await put('classifications', { name: 'Once' })
  for (const one of [name, `${name}Two`]) await put('tags', { name: one, classification: 'Once' })
  const both = [`Once.${name}`, `Once.${name}Two`]
  await put('services/databaseServices', { name: 'o', serviceType: 'Postgres', tags: both })
  await put('classifications', { name: 'Once', mutuallyExclusive: true })
  await put('classifications', { name: 'Privacy' })
  await put('tags', { name, classification: 'Privacy', displayName: `Very ${name}` })
  await put('glossaries', { name: 'Business', owners: [name] })
  await put('glossaryTerms', { name, glossary: 'Business', synonyms: [`${name}ish`] })
  const about = { owners: [name], domains: [name], tags: [`Privacy.${name}`, `Business.${name}`] }
  await put('services/databaseServices', { name: 's', serviceType: 'Postgres', ...about })
  await put('databases', { name: 'd', service: 's', ...about })
  await put('databaseSchemas', { name: 'c', database: 's.d' })
  const columns = [{ name: 'id', dataType: 'INT', tags: [`Privacy.${name}`] }]
  await put('tables', { name: 't', databaseSchema: 's.d.c', columns: [{ name: 'id', dataType: 'INT' }] })
  const table = await put('tables', { name: 't', databaseSchema: 's.d.c', columns, ...about })
  await put('tables', { name: 't', databaseSchema: 's.d.c', columns, ...about, owners: ['ann', name] })
  await put('services/messagingServices', { name: 'm', serviceType: 'Kafka' })
  const topic = { service: 'm', partitions: 1, messageSchema: { schemaType: 'None', schemaFields: [] } }
  await put('topics', { name, ...topic })
  await put('dataQuality/testSuites', { name: 'suite' })
  const test = {
    testSuite: 'suite',
    entityLink: '<#E::table::s.d.c.t::columns::id>',
    testDefinition: 'columnValuesToBeUnique',
  }
  await put('dataQuality/testCases', { name, ...test })
  await put('dataProducts', { name: 'p', ...about })
  await must(
    service.call('PUT', `/v1/dataProducts/${known.get('dataProduct')?.id}/assets/add`, {
      assets: [{ id: table.id, type: 'table' }],
    }),
  )
  for (const [path, kind, patch] of [
    ['tables', 'table', { owners: [{ type: 'team', fullyQualifiedName: name }], description: 'proposed' }],
    ['topics', 'topic', { description: `About ${name}` }],
    ['glossaryTerms', 'glossaryTerm', { description: `About ${name}` }],
  ] as const)
    proposals.push(
      (await must(service.call('POST', `/v1/${path}/${known.get(kind)?.id}/proposals`, { patch, comment: 'please' })))[
        'id'
      ] as unknown as string,
    )
  const contract = {
    name: 'contract',
    entity: { id: table.id, type: 'table' },
    owners: [name],
    schema: [{ name: 'id', dataType: 'INT' }],
  }
  const made = await put('dataContracts', contract)
  await must(service.call('POST', `/v1/dataContracts/${made['id']}/validate`))
  await must(service.call('PUT', `/v1/tables/${table.id}/followers`, JSON.stringify(known.get('user')?.id)))
  await must(service.call('PUT', `/v1/tables/${table.id}/vote`, { updatedVoteType: 'votedUp' }))
  return { service, requests, proposals, known }
}

const folder = mkdtempSync(join(tmpdir(), 'catalog-worlds-'))
const folders = [temporaryDataDir(), temporaryDataDir()] as const
let worlds: [World, World]

beforeAll(async () => {
  const file = join(folder, 'policies.yaml')
  writeFileSync(file, policies)
  const start = async (at: number, name: string): Promise<World> =>
    fill(await startBuilt((folders[at] as (typeof folders)[0]).path, { CATALOG_POLICIES_FILE: file }), name)
  worlds = await Promise.all([start(0, 'secret'), start(1, 'covert')])
})

afterAll(async () => {
  for (const { service } of worlds ?? []) await service.stop('SIGKILL')
  for (const each of folders) await each.remove()
  rmSync(folder, { recursive: true, force: true })
})

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-VERSION[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'

/** Positions of EventStoreDB, and cursors with them, count bytes: those of other worlds too. */
const bytePosition = external.eventStoreUrl === undefined ? /^$/g : /"\d{5,}"|"after":"[^"]+"/g

/** The text of an answer without what differs between any two runs. */
const comparable = ({ status, body }: { status: number; body: Json }, world: World): string => {
  let text = typeof body === 'string' ? body : JSON.stringify(body)
  text = text.replaceAll(new URL(world.service.url).host, 'HOST')
  for (const [at, id] of world.requests.entries()) text = text.replaceAll(id, `REQUEST${at}`)
  for (const [at, id] of world.proposals.entries()) text = text.replaceAll(id, `PROPOSAL${at}`)
  return `${status} ${text
    .replaceAll(new RegExp(uuid.replace('VERSION', '8'), 'g'), 'OPAQUE')
    .replaceAll(new RegExp(uuid.replace('VERSION', '[47]'), 'g'), 'CHANCE')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(/\b1[78]\d{11}\b/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replaceAll(/"id":"[0-9a-f-]{36}",(?="source"|"type":"\w+","revision")/g, '')
    .replaceAll(/"mark":"\d+-[0-9a-f]{16}"/g, 'MARK')
    .replaceAll(/"took":\d+/g, 'TOOK')
    .replaceAll(bytePosition, 'POSITION')}`
}

/** What is asked of some paths beside the path itself. */
const queries: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /search\/query$/,
    [
      '?q=secret',
      '?q=covert',
      '?q=*&facets=owner,tag,domain,kind,service&highlight=true&size=50',
      '?q=*&domain=secret',
      '?q=owner:secret',
    ],
  ],
  [/search\/suggest$/, ['?q=se', '?q=t']],
  [
    /\/diff$/,
    [
      '?from=0.1&to=0.2',
      '?from=0.1&to=0.2&form=members',
      '?from=0.1&to=0.2&form=sentence',
      '?from=0.1&to=0.2&fields=*',
    ],
  ],
  [/\/events$/, ['?limit=1000', '?domain=secret', '?domain=covert', '?changed=owners']],
  [/\/activity$/, ['?limit=1000', '?domain=secret', '?domain=covert']],
  [/coverage$/, ['', '?by=domain', '?by=owner', '?by=service', '?domain=secret', '?owner=covert', '?by=owner&asOf=30']],
  [/coverage\/history$/, ['?from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z&points=3']],
  [/\/history$/, ['?domain=secret', '?domain=covert', '?limit=1000']],
  [/\/usedBy$/, ['?limit=1000']],
  [/\{(?:id|fqn)\}$/, ['?fields=*', '?fields=owners', '?asOf=30&fields=*']],
  [
    /\w$/,
    [
      '?fields=*',
      '?limit=1000&fields=*',
      '?owned=false',
      '?classified=true',
      '?contracted=true',
      '?tested=false',
      '?owner=secret',
      '?owner=covert',
      '?domain=secret',
      '?tag=Privacy.secret',
      '?tag=Privacy.covert',
      '?asOf=30&fields=*',
    ],
  ],
]

/** Paths that the document names, with what stands for each parameter: of what there is in the world. */
const pathsOf = async (world: World): Promise<[string, string][]> => {
  const { body } = await world.service.call('GET', '/api/openapi.json')
  const paths = Object.entries(body.paths as Record<string, Record<string, unknown>>).filter(
    ([, path]) => 'get' in path,
  )
  return paths.flatMap(([template]) => {
    const kind = kinds.find(({ path }) => template.startsWith(`/v1/${path}/`) || template === `/v1/${path}`)
    const { id = '', fqn = '' } = world.known.get(kind?.name ?? '') ?? {}
    if (kind !== undefined && id === '' && /\{(id|fqn)\}/.test(template)) return []
    const path = template
      .replace('{id}', kind === undefined ? (world.proposals[0] ?? '') : id)
      .replace('{fqn}', encodeURIComponent(fqn))
      .replace('{version}', '0.2')
      .replace('{correlationId}', world.requests.at(-3) ?? '')
      .replace('{name}', 'ann')
    return ['', ...(queries.find(([pattern]) => pattern.test(template))?.[1] ?? [])].map((query): [string, string] => [
      `${template}${query}`,
      `${path}${query}`,
    ])
  })
}

const ask = async (world: World, path: string) =>
  comparable(await world.service.call('GET', path, undefined, blind), world)

describe('what a caller may not view makes no difference', () => {
  it('to what any path answers', async () => {
    const [one, other] = [await pathsOf(worlds[0]), await pathsOf(worlds[1])]
    const differing: unknown[] = []
    for (const [at, [template, path]] of one.entries()) {
      if (/events\/stream|\/metrics|system|\/audit\//.test(template)) continue
      const answers = [await ask(worlds[0], path), await ask(worlds[1], other[at]?.[1] ?? '')]
      if (answers[0] !== answers[1]) differing.push([template, difference(answers[0] as string, answers[1] as string)])
    }
    expect(differing).toEqual([])
  })
})

const patchType = 'application/json-patch+json'

/** What a caller who may not know a name writes, to learn whether it is there; each is refused or goes well in both. */
const writes: readonly (readonly [method: string, path: (world: World) => string, body?: Json, type?: string])[] = [
  ['POST', () => '/v1/teams', { name: 'secret' }],
  ['PUT', () => '/v1/domains', { name: 'covert', domainType: 'Aggregate' }],
  ['DELETE', () => '/v1/teams/name/secret'],
  ['PATCH', (world) => pathTo(world, 'table'), [{ op: 'test', path: '/owners/0/name', value: 'secret' }], patchType],
  [
    'PATCH',
    (world) => pathTo(world, 'table'),
    [
      { op: 'copy', from: '/owners/0/name', path: '/description' },
      { op: 'copy', from: '/tags/0/tagFQN', path: '/displayName' },
    ],
    patchType,
  ],
  ['PATCH', (world) => pathTo(world, 'table'), { description: 'x' }, 'application/merge-patch+json'],
  ['POST', (world) => `/v1/requests/${world.requests.at(-3)}/revert?dryRun=true`],
  ['POST', (world) => `${pathTo(world, 'dataContract')}/validate`],
]

/** The same write with each name that may be there, by name, by id, and beside one that is there. */
const named = (
  kind: string,
  write: (named: JsonObject, fqn: string) => (typeof writes)[number],
  above = '',
): (typeof writes)[number][] =>
  ['secret', 'covert'].flatMap((name) => {
    const fqn = `${above}${name}`
    return [
      write({ fullyQualifiedName: fqn, type: kind }, fqn),
      write({ id: entityId(kind, buildFqn(fqn.split('.'))), type: kind }, entityId(kind, buildFqn(fqn.split('.')))),
    ]
  })

const mergePatch = (kind: string, body: Json): (typeof writes)[number] => [
  'PATCH',
  (world) => pathTo(world, kind),
  body,
  'application/merge-patch+json',
]

const below = { databaseSchema: 's.d.c', columns: [{ name: 'id', dataType: 'INT' }] }

/** Requests that name what may be hidden: wherever a body can have a reference. */
const naming: readonly (typeof writes)[number][] = [
  ...named('team', (owner) => mergePatch('table', { owners: [owner] })),
  ...named('team', (owner) => ['PUT', () => '/v1/tables', { name: 't', ...below, owners: [owner] }]),
  ...named('team', (owner) => ['POST', () => '/v1/tables', { name: 'never', ...below, owners: [owner] }]),
  ...named('team', (owner) => ['PUT', () => '/v1/tables/bulk', [{ name: 'never', ...below, owners: [owner] }]]),
  ...named('domain', (_, domain) => mergePatch('table', { domains: [domain] })),
  ...named('domain', (domain) => [
    'PATCH',
    (world) => pathTo(world, 'table'),
    [{ op: 'add', path: '/domains', value: [domain] }],
    patchType,
  ]),
  ...named('domain', (domain) => [
    'POST',
    (world) => `${pathTo(world, 'table')}/impact`,
    { domains: [domain], columns: [] },
    'application/merge-patch+json',
  ]),
  ...named('tag', (_, tagFQN) => mergePatch('table', { tags: [{ tagFQN, source: 'Classification' }] }), 'Privacy.'),
  ...named('glossaryTerm', (_, tagFQN) => mergePatch('table', { tags: [{ tagFQN, source: 'Glossary' }] }), 'Business.'),
  ...named(
    'tag',
    (_, tagFQN) =>
      mergePatch('table', { columns: [{ name: 'id', dataType: 'INT', tags: [{ tagFQN, source: 'Classification' }] }] }),
    'Privacy.',
  ),
  ...named(
    'topic',
    (topic) => ['PUT', (world) => `${pathTo(world, 'dataProduct')}/assets/add`, { assets: [topic] }],
    'm.',
  ),
  ...named('topic', (topic) => ['PUT', (world) => lineageOf(world), { edges: [{ from: topic }] }], 'm.'),
  ...named('topic', (topic) => ['POST', () => '/v1/dataContracts', { name: 'other', entity: topic, schema: [] }], 'm.'),
  ...named('user', (_, id) => ['PUT', (world) => `${pathTo(world, 'table')}/followers`, JSON.stringify(id)]),
  ...['secretOne', 'covertOne'].map((name): (typeof writes)[number] => [
    'PUT',
    (world) => `${pathTo(world, 'table')}/followers`,
    JSON.stringify(entityId('user', name)),
  ]),
  ...named(
    'testCase',
    (_, name) => [
      'PUT',
      (world) => `${pathTo(world, 'dataContract')}/results`,
      { status: 'Failed', testResults: [{ testCase: name, status: 'Failed' }] },
    ],
    's.d.c.t.',
  ),
  ...named('team', (_, name) => [
    'PUT',
    (world) => `/v1/dataContracts/odcs?entityId=${world.known.get('table')?.id}&entityType=table&dryRun=true`,
    [
      'apiVersion: v3.1.0',
      'kind: DataContract',
      'id: "1"',
      'version: 1.0.0',
      'status: active',
      'team:',
      `  members: [{ username: "${name}", role: owner }]`,
    ].join('\n'),
    'application/yaml',
  ]),
]

const lineageOf = ({ known }: World): string => `/v1/lineage/table/${known.get('table')?.id}`

const pathTo = ({ known }: World, kind: string): string =>
  `/v1/${kinds.find(({ name }) => name === kind)?.path}/${known.get(kind)?.id}`

it('to what a write answers', async () => {
  const differing: unknown[] = []
  for (const [method, path, body, type = 'application/json'] of [...writes, ...naming]) {
    const answers = await Promise.all(
      worlds.map(async (world) => {
        const options = { ...blind, headers: { 'content-type': type } }
        return comparable(await world.service.call(method, path(world), body, options), world)
      }),
    )
    if (answers[0] !== answers[1]) differing.push([method, path(worlds[0]), body, answers])
  }
  expect(differing).toEqual([])
})

it('nor to what a write is told of tags that exclude each other', async () => {
  const answers = await Promise.all(
    worlds.map(async (world) => {
      const path = '/v1/services/databaseServices/name/o'
      const { tags } = (await world.service.call('GET', `${path}?fields=tags`, undefined, blind)).body
      const options = { ...blind, headers: { 'content-type': 'application/merge-patch+json' } }
      return comparable(await world.service.call('PATCH', path, { tags: tags.toReversed() }, options), world)
    }),
  )
  expect(answers[0]).toMatch(/^400 .*cannot stand beside/)
  expect(answers[0]).toBe(answers[1])
})

it('and what is shown in place of a reference, sent back, means the same', async () => {
  const [world] = worlds
  const path = pathTo(world, 'table')
  const before = (await world.service.call('GET', `${path}?fields=*`)).body
  const { owners, domains, tags, columns } = (await world.service.call('GET', `${path}?fields=*`, undefined, blind))
    .body
  const body = { name: 't', databaseSchema: 's.d.c', owners, domains, tags, columns, displayName: 'sent back' }
  expect((await world.service.call('PUT', '/v1/tables', body, blind)).status).toBe(200)
  const after = (await world.service.call('GET', `${path}?fields=*`)).body
  expect([after.owners, after.domains, after.tags, after.columns]).toEqual([
    before.owners,
    before.domains,
    before.tags,
    before.columns,
  ])
  const found = await world.service.call('GET', `/v1/tables?owner=${owners.at(-1).id}`, undefined, blind)
  expect(found.body.data).toHaveLength(1)
  const guessed = await world.service.call('GET', `/v1/tables?owner=${before.owners.at(-1).id}`, undefined, blind)
  expect(guessed.body.data).toEqual([])
})

const difference = (one: string, other: string): string[] => {
  let at = 0
  while (one[at] === other[at]) at++
  return [one.slice(Math.max(0, at - 150), at + 80), other.slice(Math.max(0, at - 20), at + 80)]
}
