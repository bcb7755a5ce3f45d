import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { signToken } from '../../src/api/auth/authenticate.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { makeClient, type ApiClient } from '../../src/cli/client/apiClient.ts'
import { companySteps, itemsOf, load } from '../../src/cli/seedCommand.ts'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import type { JsonObject } from '../../src/shared/json.ts'
import { startService } from '../../src/composition/service.ts'
import { dropDatabaseOf, storesFor } from '../support/external.ts'
import { judged, ndcg } from '../projections/search/judging.ts'
import { temporaryFolder } from '../support/folders.ts'

interface Running {
  readonly url: string
  readonly client: ApiClient
  readonly token: string
  /** Position of the newest event. */
  readonly head: () => Promise<string>
  readonly close: () => Promise<void>
}

const startCatalog = async (folder?: string): Promise<Running> => {
  const dataDir = folder ?? (await temporaryFolder())
  const service = await startService(
    readConfig({ CATALOG_DATA_DIR: dataDir, CATALOG_PORT: '0', ...storesFor(dataDir) }),
    pino({ level: 'silent' }),
  )
  const close = async (): Promise<void> => {
    await service.close()
    await dropDatabaseOf(dataDir)
  }
  if (folder === undefined) onTestFinished(close)
  const secret = readFileSync(join(dataDir, 'jwt.secret'), 'utf8').trim()
  const tokenOf = (user = 'admin'): string =>
    signToken(secret, { user, roles: user === 'admin' ? ['Admin'] : [], ttl: 600 })
  const head = async (): Promise<string> => {
    const { dependencies } = (await (await fetch(`${service.url}/readyz`)).json()) as {
      dependencies: { projections: { head: string } }
    }
    return dependencies.projections.head
  }
  return { url: service.url, client: makeClient({ url: service.url, tokenOf }), token: tokenOf(), head, close }
}

const company = companySteps()

const quiet = (): void => undefined

const totalOf = async (client: ApiClient, path: string): Promise<number> =>
  ((await client.get(`${path}?limit=0&include=all`))['paging'] as { total: number }).total

/** What the company must have at least. */
const expected: Readonly<Record<string, number>> = {
  'services/databaseServices': 5,
  'services/messagingServices': 2,
  'services/dashboardServices': 2,
  'services/mlmodelServices': 1,
  'services/storageServices': 1,
  'services/searchServices': 1,
  'services/apiServices': 1,
  databases: 6,
  databaseSchemas: 30,
  tables: 400,
  storedProcedures: 20,
  topics: 80,
  mlmodels: 30,
  dashboards: 20,
  containers: 50,
  searchIndexes: 8,
  apiCollections: 10,
  apiEndpoints: 50,
  glossaryTerms: 120,
  classifications: 3,
  tags: 15,
  domains: 20,
  dataProducts: 10,
  dataContracts: 30,
  'dataQuality/testSuites': 5,
  'dataQuality/testCases': 200,
  users: 50,
  teams: 8,
}

it('the tour tells how large the company is', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/tour.md'), 'utf8')
  const size = (path: string): number =>
    company.flatMap((step) => ('items' in step && step.path === path ? step.items : [])).length
  const services = kinds.filter(({ path }) => path.startsWith('services/')).map(({ path }) => size(path))
  expect(services).not.toContain(0)
  const total = services.reduce((sum, number) => sum + number)
  expect(page).toContain(`${total} services, of each of the ${services.length} kinds`)
  const paths = ['databases', 'tables', 'topics', 'dashboards', 'pipelines']
  for (const path of paths) expect(page).toMatch(new RegExp(`\\b${size(path)} ${path}\\b`))
})

describe('the loaded company', () => {
  let running: Running
  /** How many items each step said it loaded. */
  const done = new Map<string, number>()
  const folder = mkdtempSync(join(tmpdir(), 'catalog-company-'))
  beforeAll(async () => {
    running = await startCatalog(folder)
    const advance = (title: string, count: number) => done.set(title, (done.get(title) ?? 0) + count)
    await load(running.client, company, advance)
  })
  afterAll(async () => {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('came through the public API, and a second run changes nothing', async () => {
    const { client, head } = running
    expect(Object.fromEntries(done)).toEqual(
      Object.fromEntries(company.map((step) => [step.title, itemsOf(step).length])),
    )
    for (const [path, least] of Object.entries(expected))
      expect(await totalOf(client, path), path).toBeGreaterThanOrEqual(least)

    let columns = 0
    const page = await client.get('tables?limit=1000&fields=columns')
    for (const table of page['data'] as { columns: JsonObject[] }[]) columns += table.columns.length
    expect(columns).toBeGreaterThanOrEqual(4000)
    const fed = await client.get('lineage/dashboard/name/bi_superset.sales-today?up=10&down=0')
    expect((fed['paging'] as { total: number }).total).toBeGreaterThan(20)
    const { position } = (fed['edges'] as { since: { position: string } }[])[0]?.since ?? { position: '' }
    const since = await client.get(
      `lineage/dashboard/name/bi_superset.sales-today/diff?up=1&from=@${Number(position) - 1}`,
    )
    expect([since['added'], since['removed']]).toMatchObject([[{ source: 'manual' }], [{ source: 'manual' }]])

    const before = await head()
    await load(client, company, quiet)
    expect(await head()).toBe(before)
  })

  /** What each call of the tour must answer with. */
  const tour: readonly [heading: string, text: RegExp][] = [
    [
      'One table',
      /"tagFQN":"Business\.Revenue\.Net Revenue".*"fullyQualifiedName":"shop_postgres\.shop\.orders\.order\.net_amount"/,
    ],
    ['The most important tables', /"tagFQN":"Tier\.Tier1".*"after":/],
    ['Everything that has to do with refunds', /"name":"refund"/],
    ['What "net revenue" means', /"synonyms":\["Net Sales"\].*"Like-for-like Revenue"/],
    ['A topic', /"schemaFields":\[\{.*"OrderLine|"schemaFields":\[\{.*lines/],
    ['A data product', /"assets":\[\{.*"type":"topic"/],
    ['Change something', /"version":0\.2/],
    ['Change something', /"description":"An order that a customer placed in any channel\."/],
    ['Change something', /"asOf":"@500"/],
    ['A contract', /apiVersion: v3\.1\.0/],
    ['Tests of one area', /"tests":\[\{/],
    ['What happened lately', /Everything that a customer bought at one time/],
  ]

  it('is searched with the hits that people look for', async () => {
    const { client } = running
    const found = async (q: string, more: string): Promise<JsonObject[]> => {
      const answer = await client.get(`search/query?q=${encodeURIComponent(q)}${more}`)
      return (answer['hits'] as unknown as { hits: { _source: JsonObject }[] }).hits.map(({ _source }) => _source)
    }
    const fqn = (entity: JsonObject): string => entity['fullyQualifiedName'] as string
    const all: string[] = []
    for (const from of [0, 1000]) all.push(...(await found('*', `&from=${from}&size=1000`)).map(fqn))
    const gains: [string, number][] = []
    for (const each of judged) gains.push([each.q, ndcg(each, (await found(each.q, '')).map(fqn), all)])
    expect(judged.length).toBeGreaterThanOrEqual(60)
    const mean = gains.reduce((sum, [, gain]) => sum + gain, 0) / gains.length
    const worst = gains.toSorted(([, a], [, b]) => a - b).slice(0, 5)
    expect(mean, JSON.stringify(worst)).toBeGreaterThanOrEqual(0.9)
    expect((worst[0] as [string, number])[1], JSON.stringify(worst)).toBeGreaterThan(0.5)
  })

  it('is what the tour shows when its calls are pasted', async () => {
    const { url, token } = running
    const page = readFileSync(join(import.meta.dirname, '../../docs/tour.md'), 'utf8')
    const calls = [...page.matchAll(/^```sh\n(curl [^`]*)```$/gm)].map(([, call]) =>
      (call as string).replaceAll('http://127.0.0.1:8585', url),
    )
    expect(calls).toHaveLength(tour.length)
    for (const [index, [heading, text]] of tour.entries()) {
      const { stdout } = await promisify(execFile)('sh', ['-c', calls[index] as string], {
        env: { ...process.env, TOKEN: token },
        maxBuffer: 2 ** 24,
      })
      expect(stdout, heading).toMatch(text)
    }
  })
})

describe('a load that cannot work', () => {
  it('says that nothing answers', async () => {
    const client = makeClient({ url: 'http://127.0.0.1:9', tokenOf: () => 'token' })
    await expect(load(client, company, quiet)).rejects.toThrow(
      'Nothing answers at http://127.0.0.1:9. Start the service first',
    )
  })

  it('names what a bulk request refused', async () => {
    const { client } = await startCatalog()
    const step = { title: 'databases', path: 'databases', bulk: true, items: [{ name: 'lost', service: 'nowhere' }] }
    await expect(load(client, [step], quiet)).rejects.toThrow(/databases: 1 of 1 were refused[^]*lost/)
  })
})
