import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import { buildFqn, entityId } from '../../src/kinds/names.ts'
import type { Json, JsonObject } from '../../src/shared/json.ts'
import { thorough } from '../support/fastCheck.ts'
import { blind, comparable, difference, startTwins, wander, type TwinWorld } from '../attack/twinWorlds.ts'

let worlds: [TwinWorld, TwinWorld]
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ worlds, stop } = await startTwins())
})

afterAll(async () => {
  await stop?.()
})

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
const pathsOf = async (world: TwinWorld): Promise<[string, string][]> => {
  const { body } = await world.service.call('GET', '/api/openapi.json')
  const paths = Object.entries(body.paths as Record<string, Record<string, unknown>>).filter(
    ([, path]) => 'get' in path,
  )
  return paths.flatMap(([template], at) => {
    const kind = kinds.find(({ path }) => template.startsWith(`/v1/${path}/`) || template === `/v1/${path}`)
    const { id = '', fqn = '' } = world.known.get(kind?.name ?? '') ?? {}
    if (kind !== undefined && id === '' && /\{(id|fqn)\}/.test(template)) return []
    const path = template
      .replace('{id}', kind === undefined ? (world.proposals[0] ?? '') : id)
      .replace('{fqn}', encodeURIComponent(fqn))
      .replace('{version}', '0.2')
      .replace('{correlationId}', world.requests.at(-3) ?? '')
      .replace('{name}', 'ann')
    const asked = ['', ...(queries.find(([pattern]) => pattern.test(template))?.[1] ?? [])]
    // Each path has another quarter of them: all take long.
    const some = asked.filter((_, turn) => thorough || (turn + at) % 4 === 0)
    return some.map((query): [string, string] => [`${template}${query}`, `${path}${query}`])
  })
}

const ask = async (world: TwinWorld, path: string) =>
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

  it('to what random requests answer', async () => {
    const { differing, succeeded } = await wander(worlds, thorough ? 1500 : 300, 'worlds')
    expect(differing).toEqual([])
    expect(succeeded).toBeGreaterThan(thorough ? 300 : 60)
  })
})

const patchType = 'application/json-patch+json'

/** What a caller who may not know a name writes, to learn whether it is there; each is refused or goes well in both. */
const writes: readonly (readonly [method: string, path: (world: TwinWorld) => string, body?: Json, type?: string])[] = [
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

const lineageOf = ({ known }: TwinWorld): string => `/v1/lineage/table/${known.get('table')?.id}`

const pathTo = ({ known }: TwinWorld, kind: string): string =>
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
      const body = { name: 'other', serviceType: 'Postgres', tags }
      return comparable(await world.service.call('POST', '/v1/services/databaseServices', body, blind), world)
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
