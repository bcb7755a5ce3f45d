import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { makeMetrics, timedLog } from '../../../src/api/system/metrics.ts'
import type { ProjectionProgress, WebhookLag } from '../../../src/api/system/operatingGauges.ts'
import type { SystemOptions } from '../../../src/api/system/systemRoutes.ts'
import type { ProcessState } from '../../../src/projections/lease.ts'
import { version } from '../../../src/shared/version.ts'
import { appendOf, freshStream } from '../../support/events.ts'
import { bearer } from '../support.ts'
import { get, runningSystem } from '../system.ts'
import { everywhere } from '../everywhere.ts'

/** Read models whose entities show the log up to a position. */
const shows = (entities: bigint | undefined, others: readonly [string, bigint | undefined][] = []) =>
  new Map([['entities', entities], ...others])

describe('probes', () => {
  it('say that the process lives', async () => {
    const response = await get('/livez')
    expect([response.status, await response.json(), response.headers.get('cache-control')]).toEqual([
      200,
      { status: 'alive' },
      'no-store',
    ])
  })

  it('say that it can serve, and how far the read models are', async () => {
    const response = await get('/readyz')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      status: 'ready',
      dependencies: {
        eventStore: { status: 'up' },
        readModels: { status: 'up' },
        projections: {
          status: 'up',
          lag: '2',
          position: '10',
          head: '12',
          behind: { entities: { status: 'up', events: 0, seconds: 0 } },
        },
      },
    })
  })

  it('take position 0 and an empty log for what they are', async () => {
    const of = async (head: bigint | undefined, position: bigint | undefined) => {
      const response = await get('/readyz', {
        eventStore: { ping: async () => {}, head: async () => head },
        readModels: { ping: async () => {}, positions: async () => shows(position) },
      })
      return ((await response.json()) as { dependencies: { projections: unknown } }).dependencies.projections
    }
    expect(await of(undefined, undefined)).toEqual({ status: 'up', lag: '0' })
    const entities = { status: 'up', events: 0, seconds: 0 }
    expect(await of(0n, undefined)).toEqual({ status: 'up', lag: '1', head: '0', behind: { entities } })
    expect(await of(0n, 0n)).toEqual({ status: 'up', lag: '0', head: '0', position: '0' })
  })

  it('name what does not show the newest event, with events and seconds; all else can be served without it', async () => {
    const readModels = {
      ping: async () => {},
      positions: async () =>
        shows(10n, [
          ['search', 7n],
          ['activity', 10n],
          ['timeline', undefined],
        ]),
    }
    const lagBehind = async (position: bigint | undefined) => ({
      events: Number(12n - (position ?? 0n)),
      seconds: position === undefined ? 61 : 1,
    })
    const response = await get('/readyz', { readModels, lagBehind })
    expect(response.status).toBe(200)
    const { dependencies } = (await response.json()) as { dependencies: { projections: unknown } }
    expect(dependencies.projections).toEqual({
      status: 'up',
      lag: '2',
      position: '10',
      head: '12',
      behind: {
        entities: { status: 'up', events: 2, seconds: 1 },
        search: { status: 'up', events: 5, seconds: 1 },
        activity: { status: 'up', events: 2, seconds: 1 },
        timeline: { status: 'down', events: 12, seconds: 61 },
      },
    })
  })

  it('say that it can although the log, which answers slowly, does not tell in time how long the read models lag', async () => {
    const response = await get('/readyz', { lagBehind: () => new Promise(() => {}) })
    const { dependencies } = (await response.json()) as { dependencies: { projections: unknown } }
    expect([response.status, dependencies.projections]).toEqual([
      200,
      { status: 'up', lag: '2', position: '10', head: '12' },
    ])
  })

  const fails = async () => {
    throw new StoreUnavailable('host 10.1.2.3')
  }

  const emptied = { ping: async () => {}, positions: async () => shows(undefined) }
  const hanging = { ping: () => new Promise<void>(() => {}), head: async () => 1n }
  const late = async () => ({ events: 2, seconds: 61 })

  it.each<[string, Partial<SystemOptions>, down: string[], status?: string]>([
    ['the event store is away', { eventStore: { ping: fails, head: fails } }, ['eventStore', 'projections']],
    ['the read models are away', { readModels: { ping: fails, positions: fails } }, ['readModels', 'projections']],
    ['the read models lag behind', { caughtUp: () => false }, ['projections']],
    ['the read models were emptied a moment ago', { applied: () => 10n, readModels: emptied }, ['projections']],
    ['what the entities do not show has waited for more than a minute', { lagBehind: late }, ['projections']],
    ['the read models show less than was applied', { applied: () => 11n }, ['projections']],
    ['a store hangs', { eventStore: hanging }, ['eventStore']],
    ['the process is stopping', { stopping: () => true }, [], 'stopping'],
  ])('say that it cannot when %s', async (_, more, down, status = 'not ready') => {
    const response = await get('/readyz', more)
    const text = await response.text()
    const body = JSON.parse(text) as { status: string; dependencies: Record<string, { status: string }> }
    expect([response.status, body.status]).toEqual([503, status])
    expect(Object.entries(body.dependencies).map(([name, each]) => [name, each.status])).toEqual(
      ['eventStore', 'readModels', 'projections'].map((name) => [name, down.includes(name) ? 'down' : 'up']),
    )
    expect(text).not.toContain('10.1.2.3')
  })
})

describe('metrics', () => {
  const read = async (progress: () => Promise<ProjectionProgress>) => {
    const projections = async () => shows(10n, [['search', 7n]])
    const metrics = makeMetrics({ progress, projections })
    metrics.eventsAppended('Created', 3)
    const api = await runningSystem({ metrics })
    const response = await fetch(`${api.url}/metrics`)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/)
    return response.text()
  }

  it('count events, and say where the read models and the process are', async () => {
    const text = await read(async () => ({
      head: 12n,
      position: 10n,
      projects: true,
      waiting: { events: 2, seconds: 7 },
    }))
    expect(text).toContain(`catalog_info{version="${version}"} 1`)
    expect(text).toContain('catalog_events_appended_total{type="Created"} 3')
    expect(text).toMatch(/^catalog_projection_lag 2$/m)
    expect(text).toMatch(/^catalog_projection_position 10$/m)
    expect(text).toMatch(/^catalog_log_head_position 12$/m)
    expect(text).toMatch(/^catalog_projecting 1$/m)
    expect(text).toContain('catalog_projection_behind{projection="entities"} 0')
    expect(text).toContain('catalog_projection_behind{projection="search"} 3')
    expect(text).toContain('process_cpu_seconds_total')
  })

  it('count what was appended, not what was appended again, also in another process', async () => {
    const log = openSqliteEventStore({ path: ':memory:' })
    const counted = async (appends: Parameters<typeof log.append>[0]) => {
      const metrics = makeMetrics()
      const timed = timedLog(log, metrics)
      await timed.head()
      for (let time = 0; time < 2; time += 1) await timed.append(appends)
      return (await metrics.text()).join('').match(/^catalog_events_appended_total\{.*$/gm) ?? []
    }
    const [one, other] = [appendOf(freshStream(), 'no_stream', 2), appendOf(freshStream(), 'no_stream')]
    expect(await counted([one])).toEqual([
      'catalog_events_appended_total{type="Created"} 1',
      'catalog_events_appended_total{type="Updated"} 1',
    ])
    expect(await counted([one, other])).toEqual(['catalog_events_appended_total{type="Created"} 1'])
    await log.close()
  })

  it('count what webhooks and the deliveries of inboxes laid aside', async () => {
    const all: readonly WebhookLag[] = [
      { name: 'crm', lag: 4n, deadLetters: 1, failing: false },
      { name: 'inbox of ann', lag: 0n, deadLetters: 2, failing: false, channel: 'slack' },
      { name: 'inbox of bob', lag: 0n, deadLetters: 3, failing: true, channel: 'slack' },
    ]
    const text = (await makeMetrics({ webhooks: async () => all }).text()).join('')
    const dead = text.split('\n').filter((line) => /^catalog_(webhook|inbox)_dead_letters/.test(line))
    expect(dead).toEqual([
      'catalog_webhook_dead_letters{webhook="crm"} 1',
      'catalog_inbox_dead_letters{channel="email"} 0',
      'catalog_inbox_dead_letters{channel="slack"} 5',
      'catalog_inbox_dead_letters{channel="teams"} 0',
      'catalog_inbox_dead_letters{channel="webhook"} 0',
    ])
  })

  it.each([
    ['fail', () => Promise.reject(new StoreUnavailable('x'))],
    ['do not answer', () => new Promise<never>(() => {})],
  ])('are there when the stores %s, with what else is known', async (_, progress) => {
    const stores = async () => ({ event_store: false, read_models: true })
    const others = { projections: progress, entities: progress, webhooks: progress, witnesses: progress }
    const text = (await makeMetrics({ progress, stores, ...others }).text()).join('')
    expect(text).toContain('catalog_events_appended_total')
    expect(text).toContain('catalog_store_up{store="event_store"} 0')
    expect(text).not.toMatch(/^catalog_(projection|log|entities|webhook|inbox|witness)\w*(\{.*)? \d/m)
  })
})

describe('metrics of a service whose callers have been everywhere', () => {
  it('time each route and count each of its statuses, once, below one headline', async () => {
    const lines = (await everywhere().text()).join('').split('\n')
    const seriesOf = (name: string) => lines.filter((line) => line.startsWith(`${name}{`))
    const [timed, counted] = [
      seriesOf('catalog_http_request_duration_seconds_count'),
      seriesOf('catalog_http_requests_total'),
    ]
    expect([new Set(timed).size, new Set(counted).size]).toEqual([700, 7000])
    expect(timed.filter((line) => !line.endsWith(' 10'))).toEqual([])
    expect(counted.filter((line) => !line.endsWith(' 1'))).toEqual([])
    for (const name of ['catalog_http_request_duration_seconds', 'catalog_http_requests_total'])
      for (const what of ['HELP', 'TYPE'])
        expect(lines.filter((line) => line.startsWith(`# ${what} ${name} `))).toHaveLength(1)
    expect(lines.length).toBeLessThan(700 * 18 + 7000 + 1000)
  })

  it('are made once for all who ask at the same time', async () => {
    let asked = 0
    const progress = async (): Promise<never> => {
      asked += 1
      throw new StoreUnavailable('x')
    }
    const { text } = makeMetrics({ progress })
    await Promise.all([text(), text(), text()])
    expect(asked).toBe(1)
    await text()
    expect(asked).toBe(2)
  })
})

it('the version names the engines', async () => {
  expect(await (await get('/api/v1/system/version')).json()).toEqual({
    name: 'metadata-catalog',
    version,
    node: process.versions.node,
    engines: { eventStore: 'sqlite', readModels: 'sqlite' },
  })
})

describe('processes', () => {
  const state: ProcessState = {
    id: 'one',
    host: 'a.example',
    pid: 7,
    version: '1.2.3',
    startedAt: new Date(0),
    seenAt: new Date(1000),
    projects: ['entities', 'search'],
    position: 10n,
  }

  it('are listed with how far each is, and which of them answers', async () => {
    const all = [state, { ...state, id: 'two', projects: ['timeline'], position: undefined }]
    const api = await runningSystem({ processes: async () => ({ self: 'two', all }) })
    const response = await fetch(`${api.url}/api/v1/system/processes`, { headers: bearer() })
    const { data } = (await response.json()) as { data: object[] }
    expect(data).toMatchObject([
      { id: 'one', self: false, projects: true, position: '10', lag: '2', seenAt: '1970-01-01T00:00:01.000Z' },
      { id: 'two', self: true, projects: false, projections: ['timeline'], lag: '13' },
    ])
    expect(data[1]).not.toHaveProperty('position')
  })

  it('are nothing for callers who may not manage', async () => {
    const { url } = await runningSystem()
    const answers = [{}, bearer('ada', 'DataConsumer')].map(async (headers) => {
      const { status } = await fetch(`${url}/api/v1/system/processes`, { headers })
      return status
    })
    expect(await Promise.all(answers)).toEqual([401, 403])
  })
})
