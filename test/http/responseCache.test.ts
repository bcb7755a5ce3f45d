import { expect, test } from 'vitest'
import { thorough } from '../support/fastCheck.ts'
import { randomFor } from '../support/random.ts'
import { external } from '../support/external.ts'
import { tokenFor } from '../support/service.ts'
import { longEnough } from '../support/patience.ts'
import { useHttp } from './support.ts'

/** Two who see everything, one to whom names of tags and people are hidden, and one who sees only what is his. */
const policies = `
roles:
  Blind:
    - { effect: allow, operations: [view, versions, search], kinds: [table, databaseSchema, dataProduct, domain] }
  Own:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view], kinds: [table], condition: isOwner }
`
const callers = [
  tokenFor('ada', ['Admin']),
  tokenFor('carl', ['DataConsumer']),
  tokenFor('blind', ['Blind']),
  tokenFor('olga', ['Own']),
]

const api = useHttp({ policies })

const put = async (path: string, body: object): Promise<string> => {
  const { status, body: entity } = await api.service.call('PUT', `/v1/${path}`, body)
  expect(status, JSON.stringify(entity)).toBeLessThan(300)
  return entity.id
}

const schema = 's.d.p'
const tables = ['t1', 't2', 't3', 't4']
const tableBody = (name: string) => ({
  name,
  databaseSchema: schema,
  owners: [{ type: 'user', fullyQualifiedName: name === 't1' ? 'olga' : 'carl' }],
  domain: 'sales',
  tags: ['pii.email'],
  columns: [{ name: 'id', dataType: 'INT', tags: ['pii.name'] }],
})

/** Everything that the story changes, with its id. */
const load = async (): Promise<Record<string, string>> => {
  const ids: Record<string, string> = {}
  ids['users/olga'] = await put('users', { name: 'olga' })
  ids['users/carl'] = await put('users', { name: 'carl' })
  ids['teams/crew'] = await put('teams', { name: 'crew' })
  ids['domains/sales'] = await put('domains', { name: 'sales', domainType: 'Aggregate' })
  ids['classifications/pii'] = await put('classifications', { name: 'pii' })
  for (const name of ['email', 'name']) ids[`tags/pii.${name}`] = await put('tags', { name, classification: 'pii' })
  ids['services/databaseServices/s'] = await put('services/databaseServices', { name: 's', serviceType: 'Mysql' })
  ids['databases/s.d'] = await put('databases', { name: 'd', service: 's' })
  ids['databaseSchemas/s.d.p'] = await put('databaseSchemas', { name: 'p', database: 's.d' })
  for (const name of tables) ids[`tables/${schema}.${name}`] = await put('tables', tableBody(name))
  const entity = { type: 'table', fullyQualifiedName: `${schema}.t1` }
  ids[`dataContracts/${schema}.t1.promise`] = await put('dataContracts', { name: 'promise', entity })
  ids['dataProducts/dp'] = await put('dataProducts', { name: 'dp', domain: 'sales' })
  return ids
}

const split = (key: string): [path: string, name: string] => {
  const at = key.lastIndexOf('/')
  return [key.slice(0, at), key.slice(at + 1)]
}

const lists = [
  'tables tables?limit=2 tables?fields=*&include=all tables?include=deleted tables?limit=0 tables?tag=pii.email',
  'tables?tag=pii.name&tagOn=columns tables?owner=olga tables?owner=crew tables?databaseSchema=s.d.p tables?service=s',
  'tables?owned=false tables?described=true tables?contracted=true tables?contracted=false tables?entityStatus=Draft',
  'tables?domain=sales&fields=tags,owners databaseSchemas?fields=* classifications?fields=* tags?classification=pii',
  'search/query?q=t* search/query?q=carl search/query?q=email&facets=owner,tag search/query?q=*&deleted=true',
  'search/suggest?q=t search/suggest?q=ol search/suggest?q=n&index=table_search_index&limit=2',
  'domains?fields=* users?fields=* dataProducts?fields=* services/databaseServices databases?service=s',
]

const addressesOf = (ids: Record<string, string>): string[] => [
  ...Object.entries(ids).flatMap(([key, id]) => {
    const [path, name] = split(key)
    return [`${path}/${id}`, `${path}/name/${name}?include=all`, `${path}/${id}?fields=*&include=all`]
  }),
  ...lists.flatMap((some) => some.split(' ')),
]

const seenBy = async (path: string, token: string): Promise<string> => {
  const answer = await api.service.call('GET', `/v1/${path}`, undefined, { token })
  const { instance: _, correlationId: __, took: ___, ...body } = answer.body
  return JSON.stringify([answer.status, answer.headers.get('etag'), body])
}

let turns = 0

/** The same address, written so as nobody has written it before: nothing is kept for it. */
const writtenAnew = (path: string): string => {
  turns += 1
  const [plain = '', query] = path.split('?')
  const letters = [...plain].map((letter, at) =>
    at < 4 && (turns >> at) % 2 === 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
  )
  return `${letters.join('')}?${query ?? ''}${'&'.repeat(turns >> 4)}`
}

/** What is answered must be what is made anew, unless it has just changed. */
const mustBeTrue = async (path: string, token: string): Promise<string[]> => {
  const before = await seenBy(path, token)
  const made = await seenBy(writtenAnew(path), token)
  if (before === made) return []
  return (await seenBy(path, token)) === made ? [] : [`${path}: ${before} is not ${made}`]
}

const hits = async (): Promise<number> => {
  const { body } = await api.service.call('GET', '/metrics')
  return Number(/catalog_response_cache_hits (\d+)/.exec(body as string)?.[1])
}

test('suggestions are kept like any other answer', async () => {
  const path = 'search/suggest?q=ada'
  for (let turn = 0; turn < 2; turn += 1) await seenBy(path, callers[0] as string)
  const before = await hits()
  await seenBy(path, callers[0] as string)
  expect((await hits()) - before).toBe(external.mongodbUrl === undefined ? 1 : 0)
})

test(
  'no answer that is kept is stale, or another caller’s, whatever is renamed, deleted, restored or owned anew',
  async () => {
    const ids = await load()
    const keys = Object.keys(ids)
    const addresses = addressesOf(ids)
    const random = randomFor('response cache')
    const anyTable = (): string => random.pick(tables)
    const asked = (key: string): string => `${split(key)[0]}/${ids[key] as string}`
    const changes: (() => [method: string, path: string, body?: unknown, type?: string])[] = [
      () => ['PATCH', asked(random.pick(keys)), { displayName: `N ${random.between(1, 1e6)}` }, 'merge-patch'],
      () => [
        'PATCH',
        asked(`tables/${schema}.${anyTable()}`),
        {
          owners: random.pick([
            [],
            [{ id: ids['users/olga'], type: 'user' }],
            [{ id: ids['teams/crew'], type: 'team' }],
          ]),
        },
        'merge-patch',
      ],
      () => [
        'PATCH',
        asked(`tables/${schema}.${anyTable()}`),
        { tags: random.pick([[], ['pii.email'], ['pii.name']].map((tags) => tags.map((tagFQN) => ({ tagFQN })))) },
        'merge-patch',
      ],
      () => [
        'PATCH',
        asked(`tables/${schema}.${anyTable()}`),
        { description: random.pick([null, 'A table.']), entityStatus: random.pick(['Draft', 'Approved']) },
        'merge-patch',
      ],
      () => [
        'PATCH',
        asked('users/olga'),
        { teams: random.pick([[], [{ id: ids['teams/crew'], type: 'team' }]]) },
        'merge-patch',
      ],
      () => ['DELETE', `${asked(random.pick(keys))}?recursive=true`],
      () => ['DELETE', `${asked(`tables/${schema}.${anyTable()}`)}?hardDelete=true`],
      () => ['PUT', 'tables', tableBody(anyTable())],
      () => {
        const key = random.pick(keys)
        return ['PUT', `${split(key)[0]}/restore`, { id: ids[key] }]
      },
      () => {
        const key = random.pick(keys)
        return ['PUT', `${split(key)[0]}/restore`, { id: ids[key] }]
      },
      () => [
        'PUT',
        `${asked(`tables/${schema}.${anyTable()}`)}/vote`,
        { updatedVoteType: random.pick(['votedUp', 'unVoted']) },
      ],
      () => ['PUT', `${asked(`tables/${schema}.${anyTable()}`)}/followers`, JSON.stringify(ids['users/olga'])],
      () => [
        'PUT',
        `${asked('dataProducts/dp')}/assets/${random.pick(['add', 'remove'])}`,
        { assets: [{ id: ids[`tables/${schema}.${anyTable()}`], type: 'table' }] },
      ],
    ]
    let written = 0
    const changesMade = thorough ? 32 : 10
    for (let turn = 0; turn < changesMade; turn += 1) {
      const [method, path, body, type] = random.pick(changes)()
      const headers = type === undefined ? undefined : { 'content-type': 'application/merge-patch+json' }
      const answer = await api.service.call(method, `/v1/${path}`, body, headers && { headers })
      if (answer.status < 300) written += 1
      else expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
      const wrong = await Promise.all(callers.flatMap((token) => addresses.map((each) => mustBeTrue(each, token))))
      expect(wrong.flat(), `after ${method} ${path} ${JSON.stringify(body)}`).toEqual([])
    }
    expect(written).toBeGreaterThan(changesMade / 3)
    // Where several processes may share the read models nothing is kept.
    if (external.mongodbUrl === undefined) expect(await hits()).toBeGreaterThan(60 * changesMade)
  },
  10 * longEnough,
)
