import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFqn, entityId } from '../../src/kinds/names.ts'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import type { Json } from '../../src/shared/json.ts'
import { external } from '../support/external.ts'
import { startBuilt, temporaryDataDir, tokenFor, type Answer, type RunningService } from '../support/service.ts'
import { readDocument } from './document.ts'
import type { Maker } from './making.ts'
import { attackOf } from './requests.ts'

/** What the caller may not view. */
const hiddenKinds = ['user', 'team', 'domain', 'tag', 'glossaryTerm', 'topic', 'testCase']

const policies = `roles:
  Blind:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [${hiddenKinds.join(', ')}] }
`

export const blind = { token: tokenFor('bea', ['Blind']) }

export interface TwinWorld {
  readonly service: RunningService
  /** Correlation ids of the requests, in their order. */
  readonly requests: string[]
  /** Ids of proposals, which chance gives. */
  readonly proposals: string[]
  /** Id of the one entity of each kind that paths name. */
  readonly known: Map<string, { readonly id: string; readonly fqn: string }>
}

/** What is answered to a request that must go well. */
const done = async (answering: ReturnType<RunningService['call']>): Promise<Answer['body']> => {
  const { status, body } = await answering
  if (status > 299) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** The same in all worlds, but for what is called `name`, which the caller may not view. */
const fill = async (service: RunningService, name: string): Promise<TwinWorld> => {
  const requests: string[] = []
  const proposals: string[] = []
  const known: TwinWorld['known'] = new Map()
  const put = async (path: string, body: Record<string, unknown>) => {
    const answer = await service.call('PUT', `/v1/${path}`, body)
    if (answer.status > 201) throw new Error(`${path} could not be made: ${JSON.stringify(answer.body)}`)
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
  await done(
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
      (await done(service.call('POST', `/v1/${path}/${known.get(kind)?.id}/proposals`, { patch, comment: 'please' })))[
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
  await done(service.call('POST', `/v1/dataContracts/${made['id']}/validate`))
  await done(service.call('PUT', `/v1/tables/${table.id}/followers`, JSON.stringify(known.get('user')?.id)))
  await done(service.call('PUT', `/v1/tables/${table.id}/vote`, { updatedVoteType: 'votedUp' }))
  return { service, requests, proposals, known }
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-VERSION[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'

/** Positions of EventStoreDB, and cursors with them, count bytes: those of other worlds too. */
const bytePosition = external.eventStoreUrl === undefined ? /^$/g : /"\d{4,}"|@\d{4,}|"after":"[^"]+"/g

/** The text of an answer without what differs between any two runs. */
export const comparable = ({ status, body }: { status: number; body: Json }, world: TwinWorld): string => {
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

/** Where two answers begin to differ. */
export const difference = (one: string, other: string): string[] => {
  let at = 0
  while (one[at] === other[at]) at++
  return [one.slice(Math.max(0, at - 150), at + 80), other.slice(Math.max(0, at - 20), at + 80)]
}

/** Two services with the same in them, but for the names of what a caller may not view. */
export const startTwins = async (): Promise<{
  readonly worlds: [TwinWorld, TwinWorld]
  readonly stop: () => Promise<void>
}> => {
  const folders: [ReturnType<typeof temporaryDataDir>, ReturnType<typeof temporaryDataDir>] = [
    temporaryDataDir(),
    temporaryDataDir(),
  ]
  const started: RunningService[] = []
  const stop = async (): Promise<void> => {
    for (const service of started) await service.stop('SIGKILL')
    for (const folder of folders) await folder.remove()
  }
  const start = async (at: 0 | 1, name: string): Promise<TwinWorld> => {
    const { path } = folders[at]
    const file = join(path, 'policies.yaml')
    writeFileSync(file, policies)
    const service = await startBuilt(path, { CATALOG_POLICIES_FILE: file })
    started.push(service)
    return fill(service, name)
  }
  try {
    return { worlds: await Promise.all([start(0, 'secret'), start(1, 'covert')]), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What lists, searches and paths are asked with: what both worlds have, and the names and ids that one of them hides. */
const guessable = (world: TwinWorld): Maker['world'] => {
  const hidden = ['secret', 'covert'].flatMap((name) =>
    [
      ['team', name],
      ['domain', name],
      ['tag', `Privacy.${name}`],
      ['glossaryTerm', `Business.${name}`],
      ['topic', `m.${name}`],
      ['user', `${name}One`],
    ].map(([kind = '', fqn = '']) => ({ kind, id: entityId(kind, buildFqn(fqn.split('.'))), fqn })),
  )
  const shown = [...world.known]
    .filter(([kind]) => !hiddenKinds.includes(kind))
    .map(([kind, { id, fqn }]) => ({ kind, id, fqn }))
  const entities = [...shown, ...hidden].map((each) => ({
    ...each,
    path: kinds.find(({ name }) => name === each.kind)?.path ?? '',
  }))
  return {
    entities,
    cursors: [],
    at: (path) => {
      const found = entities.filter((each) => each.path === path)
      return found.length === 0 ? entities : found
    },
    // Nothing is written at random: what is written is in both worlds the same only where it is chosen.
    sample: () => ({}),
  }
}

/** What a caller is told of the service itself, or of the log's own bytes, may differ between any two. */
const ofItself = /events\/stream|\/metrics|system|\/audit\/|checkpoint|openapi|docs|healthz|readyz/

export interface Difference {
  readonly target: string
  readonly answers: readonly string[]
}

/** Asks both worlds the same at random, as the caller who may not view what they differ in. */
export const wander = async (
  worlds: readonly [TwinWorld, TwinWorld],
  requests: number,
  seed: string,
): Promise<{ readonly differing: readonly Difference[]; readonly succeeded: number }> => {
  const { body } = await worlds[0].service.call('GET', '/api/openapi.json')
  const whole = readDocument(body)
  const operations = whole.operations.filter(
    ({ method, template, id }) => method === 'GET' && !ofItself.test(template) && !ofItself.test(id),
  )
  const maker = { document: { ...whole, operations }, world: guessable(worlds[0]), seed, sizes: { large: 2000 } }
  const differing: Difference[] = []
  let succeeded = 0
  for (let number = 0; number < requests; number++) {
    const { target, headers } = attackOf(maker, number)
    if (/[^\x21-\x7e]/.test(target) || headers.some(([, value]) => /[^\t\x20-\x7e]/.test(value))) continue
    const answers = await Promise.all(
      worlds.map(async (world) => {
        const answer = await world.service.call('GET', target, undefined, { ...blind, headers: accepted(headers) })
        if (answer.status === 200) succeeded++
        return comparable(answer, world)
      }),
    )
    const [one = '', other = ''] = answers
    if (one !== other) differing.push({ target, answers: difference(one, other) })
  }
  return { differing, succeeded }
}

/** Headers that a client library sends as they are. */
const accepted = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => /^(accept|prefer)$/i.test(name)))
