import { describe, expect, it } from 'vitest'
import { randomFor } from '../support/random.ts'
import { answered, as, jsonPatch, useHttp } from './support.ts'

const http = useHttp()

const namespace = 'postgres://db.example:5432'

/** The tables of a database of that namespace, by name. */
const tables = async (database: string, ...names: string[]): Promise<void> => {
  const service = `"${namespace}"`
  await http.call('PUT', '/v1/services/databaseServices', { name: namespace, serviceType: 'Postgres' })
  await http.post('/v1/databases', { name: database, service })
  await http.post('/v1/databaseSchemas', { name: 's', database: `${service}.${database}` })
  const items = names.map((name) => ({ name, databaseSchema: `${service}.${database}.s` }))
  await http.put('/v1/tables/bulk', items)
}

const table = (name: string, facets = {}) => ({ namespace, name, facets })

const event = (eventType: string, more: object = {}, runId = '5355b91b-32b4-4477-b660-3adadee198b2') => ({
  eventType,
  eventTime: '2026-01-01T00:00:00.123456789Z',
  producer: 'https://example.org',
  schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
  run: { runId, facets: { parent: { run: { runId: 'p' }, job: { namespace: 'x', name: 'y' } } } },
  job: { namespace: 'scheduler', name: 'etl.daily', facets: { sql: { query: 'insert into c select * from a' } } },
  ...more,
})

const send = async (body: object, path = '/v1/lineage') =>
  (await answered(200, http.call('POST', path, body))).body as { stated: string[]; ignored: string[]; changed: boolean }

const graph = async (fqn: string, query = '') =>
  await http.get(`/v1/lineage/table/name/${encodeURIComponent(fqn)}${query}`)

const fqn = (name: string): string => `"${namespace}".${name}`

describe('events of OpenLineage', () => {
  it('state at most 100,000 edges, alone and as a run', async () => {
    const some = (count: number, from = 0) => Array.from({ length: count }, (_, at) => table(`large.s.t${from + at}`))
    const job = { namespace: 'scheduler', name: 'large' }
    const refuse = async (body: object) => {
      const { message } = (await answered(400, http.call('POST', '/v1/lineage', body))).body as { message: string }
      expect(message).toContain('at most 100000 can be stated')
    }
    for (const run of [undefined, { runId: 'large' }])
      await refuse(event('COMPLETE', { job, run, inputs: some(1000), outputs: some(101, 1000) }))
    await answered(404, http.call('GET', '/v1/pipelines/name/scheduler.large'))
    await send(event('START', { job, inputs: some(1000), outputs: some(60, 1000) }))
    await refuse(event('COMPLETE', { job, outputs: some(60, 1060) }))
    const { runs } = await http.get('/v1/pipelines/name/scheduler.large?fields=runs')
    expect(runs).toMatchObject([{ state: 'START', outputs: { length: 60 } }])
  })

  it('state the edges of several units of work', async () => {
    const some = (count: number, from = 0) => Array.from({ length: count }, (_, at) => table(`wide.s.t${from + at}`))
    const job = { namespace: 'scheduler', name: 'wide' }
    const done = await send(event('COMPLETE', { job, inputs: some(500), outputs: some(9, 500) }, 'wide'))
    expect(done).toMatchObject({ stated: { length: 9 }, changed: true })
    const again = await send(event('COMPLETE', { job, inputs: some(500), outputs: some(9, 500) }, 'wide'))
    expect(again).toMatchObject({ stated: { length: 9 }, changed: false })
  })

  it('state where outputs come from when a run completes, with all that the run told before', async () => {
    await tables('one', 'a', 'b', 'c')
    const columnLineage = {
      fields: {
        total: {
          inputFields: [
            { namespace, name: 'one.s.a', field: 'x', transformations: [{ type: 'DIRECT', subtype: 'AGGREGATION' }] },
            { namespace, name: 'one.s.a', field: 'y' },
          ],
        },
      },
    }
    await send(event('START', { inputs: [table('one.s.a'), table('one.s.b')] }), '/v1/openlineage')
    expect((await graph(fqn('one.s.c'))).edges).toEqual([])
    const done = await send(event('COMPLETE', { outputs: [table('one.s.c', { columnLineage })] }))
    expect(done).toEqual({ stated: [fqn('one.s.c')], ignored: [], changed: true })
    const { edges } = await graph(fqn('one.s.c'), '?columns=true&source=openlineage:scheduler/etl.daily')
    expect(edges).toHaveLength(2)
    expect(edges.find(({ columns }: { columns?: object }) => columns)).toMatchObject({
      source: 'openlineage:scheduler/etl.daily',
      sql: 'insert into c select * from a',
      pipeline: { type: 'pipeline', fullyQualifiedName: 'scheduler."etl.daily"' },
      columns: [{ from: ['x', 'y'], to: 'total' }],
    })
    const path = `/v1/pipelines/name/${encodeURIComponent('scheduler."etl.daily"')}`
    const body = await http.get(`${path}?fields=runs`)
    expect(body.runs).toEqual([
      expect.objectContaining({ state: 'COMPLETE', startedAt: expect.any(String), endedAt: expect.any(String) }),
    ])
  })

  it('name inputs in column lineage as they are stored, also where a facet tells their table', async () => {
    await tables('linked', 'a', 'b')
    const stored = { namespace: 's3://bucket', name: 'warehouse/a' }
    const identifiers = [{ namespace, name: 'linked.s.a', type: 'TABLE' }]
    const columnLineage = { fields: { total: { inputFields: [{ ...stored, field: 'x' }] } } }
    const datasets = {
      inputs: [{ ...stored, facets: { symlinks: { identifiers } } }],
      outputs: [table('linked.s.b', { columnLineage })],
    }
    await send(event('COMPLETE', datasets, crypto.randomUUID()))
    const [edge] = (await graph(fqn('linked.s.b'), '?columns=true')).edges
    expect(edge.columns).toEqual([{ from: ['x'], to: 'total' }])
  })

  it('take what columns of an output are made of for an input of that output, and say what cannot be one', async () => {
    await tables('unread', 'a', 'b', 'x', 'y')
    const of = (...names: string[]) => {
      const inputFields = names.map((name) => ({ namespace, name, field: 'f' }))
      return { columnLineage: { fields: { total: { inputFields } } } }
    }
    const datasets = {
      inputs: [table('unread.s.a'), table('a::b')],
      outputs: [table('unread.s.x', of('unread.s.b', 'a::b')), table('unread.s.y')],
    }
    const sent = event('COMPLETE', datasets, crypto.randomUUID())
    expect((await send(sent)).ignored).toEqual([`${namespace} a::b: no asset has such a name`])
    const edges = async (output: string) => {
      const { nodes, edges: found } = await graph(fqn(`unread.s.${output}`), '?up=1&down=0&columns=true')
      const names = new Map((nodes as { id: string; name: string }[]).map(({ id, name }) => [id, name]))
      return (found as { from: string; columns?: object }[])
        .map(({ from, columns }) => [names.get(from), columns])
        .toSorted()
    }
    expect(await edges('x')).toEqual([
      ['a', undefined],
      ['b', [{ from: ['f'], to: 'total' }]],
    ])
    expect(await edges('y')).toEqual([['a', undefined]])
    expect((await send(sent)).changed).toBe(false)
  })

  it('keep what started a run, which versions it read and wrote, and tell of columns that are not known', async () => {
    await tables('versioned', 'a', 'b')
    const facets = { run: { runId: 'p' }, job: { namespace: 'scheduler', name: 'nightly::all' } }
    const runId = crypto.randomUUID()
    const run = { runId, facets: { parent: facets } }
    const version = (datasetVersion: string) => ({ version: { datasetVersion } })
    const schema = { fields: [{ name: 'total', type: 'INT' }, { name: 'Day' }] }
    await send(event('START', { run, inputs: [table('versioned.s.a', version('7'))] }))
    const outputs = [table('versioned.s.b', { ...version('8'), schema })]
    const { ignored } = await send(event('COMPLETE', { run, inputs: [table('versioned.s.a')], outputs }))
    expect(ignored).toEqual([`${fqn('versioned.s.b')}: has no column total and Day, and events add none`])
    const body = await http.get(`/v1/pipelines/name/${encodeURIComponent('scheduler."etl.daily"')}?fields=runs`)
    expect(body.runs.find(({ id }: { id: string }) => id === runId)).toMatchObject({
      parent: { run: 'p', pipeline: 'scheduler.nightly:all' },
      inputs: [{ namespace, name: 'versioned.s.a', version: '7' }],
      outputs: [{ namespace, name: 'versioned.s.b', version: '8' }],
    })
    const columns = [
      { name: 'TOTAL', dataType: 'INT' },
      { name: 'day', dataType: 'DATE' },
    ]
    await http.put('/v1/tables', { name: 'b', databaseSchema: `"${namespace}".versioned.s`, columns })
    const later = event('COMPLETE', { outputs, eventTime: '2026-01-02T00:00:00Z' }, crypto.randomUUID())
    expect((await send(later)).ignored).toEqual([])
  })

  it('count by when their runs ended: late ones take back nothing, and may come again in any order', async () => {
    await tables('ordered', 'a', 'b', 'c', 'x', 'y')
    const job = { namespace: 'scheduler', name: 'ordered' }
    const told = (run: string, eventType: string, eventTime: string, datasets: object = {}) =>
      event(eventType, { job, eventTime: `2026-01-0${eventTime}T00:00:00Z`, ...datasets }, run)
    const of = (input: string, ...outputs: string[]) => ({
      inputs: [table(`ordered.s.${input}`)],
      outputs: outputs.map((output) => table(`ordered.s.${output}`)),
    })
    const upstream = async (output: string) => {
      const { nodes } = await graph(fqn(`ordered.s.${output}`), '?up=1&down=0')
      return nodes.map(({ name }: { name: string }) => name).filter((name: string) => name !== output)
    }
    const events = [
      told('overlapped', 'START', '1'),
      told('new', 'START', '2'),
      told('new', 'COMPLETE', '3', of('b', 'x')),
      told('overlapped', 'COMPLETE', '4', of('a', 'x')),
      told('late', 'COMPLETE', '2', of('c', 'x', 'y')),
    ]
    for (const each of events) await send(each)
    expect([await upstream('x'), await upstream('y')]).toEqual([['a'], ['c']])
    const before = await http.head()
    for (const each of [...events, ...events.toReversed()]) expect((await send(each)).changed).toBe(false)
    const { run: _, eventType: __, ...ofJob } = told('', '', '1', of('b', 'x'))
    expect(await send(ofJob)).toEqual({
      stated: [],
      ignored: [`${fqn('ordered.s.x')}: a run that ended later says where it comes from`],
      changed: false,
    })
    expect(await http.head()).toBe(before)
    const { runs } = await http.get('/v1/pipelines/name/scheduler.ordered?fields=runs')
    expect(runs.map(({ id }: { id: string }) => id)).toEqual(['overlapped', 'new', 'late'])
  })

  it('of jobs whose names differ at their ends, or at the slash between namespace and name, are of different jobs', async () => {
    await tables('jobs', 'a', 'b', 'x')
    const state = (job: object, input: string) =>
      send(event('COMPLETE', { job, inputs: [table(`jobs.s.${input}`)], outputs: [table('jobs.s.x')] }))
    const sourcesOf = async () => {
      const { edges } = await graph(fqn('jobs.s.x'), '?up=1&down=0')
      return edges.map(({ source }: { source: string }) => source).toSorted()
    }
    await state({ namespace: 'a/b', name: 'c' }, 'a')
    await state({ namespace: 'a', name: 'b/c' }, 'b')
    expect(await sourcesOf()).toEqual(['openlineage:a/b%2Fc', 'openlineage:a/b/c'])
    const long = 'x'.repeat(256)
    await state({ namespace: 'long', name: `${long}1` }, 'a')
    await state({ namespace: 'long', name: `${long}2` }, 'b')
    expect(new Set(await sourcesOf()).size).toBe(4)
    const { data } = await http.get('/v1/pipelines?service=long')
    expect(data.map(({ name }: { name: string }) => name.length)).toEqual([256, 256])
  })

  it('of a run that fails state nothing', async () => {
    await tables('three', 'a', 'b')
    await send(event('FAIL', { inputs: [table('three.s.a')], outputs: [table('three.s.b')] }, crypto.randomUUID()))
    expect((await graph(fqn('three.s.b'))).edges).toEqual([])
  })

  it('name what is not there yet: it is drawn when it appears', async () => {
    await tables('four', 'there')
    const datasets = { inputs: [table('four.s.there')], outputs: [table('four.s.later')] }
    await send(event('COMPLETE', datasets, crypto.randomUUID()))
    expect((await graph(fqn('four.s.there'))).nodes).toHaveLength(1)
    const databaseSchema = `"${namespace}".four.s`
    await http.post('/v1/tables', { name: 'later', databaseSchema })
    expect((await graph(fqn('four.s.there'))).edges).toHaveLength(1)
    expect((await graph(fqn('four.s.later'))).edges).toHaveLength(1)
    const gone = `/v1/tables/name/${encodeURIComponent(fqn('four.s.later'))}?hardDelete=true`
    await answered(204, http.call('DELETE', gone))
    expect((await graph(fqn('four.s.there'))).nodes).toHaveLength(1)
    const backwards = { inputs: datasets.outputs, outputs: datasets.inputs }
    await send(event('COMPLETE', backwards, crypto.randomUUID()))
    expect((await graph(fqn('four.s.there'))).nodes).toHaveLength(1)
    await http.post('/v1/tables', { name: 'later', databaseSchema })
    const { edges, nodes } = await graph(fqn('four.s.there'))
    expect([edges.length, nodes.map(({ depth }: { depth: number }) => depth)]).toEqual([1, [0, -1]])
  })

  it('are taken whatever stands in their names and texts: what cannot be stored is mended', async () => {
    await tables('six', 'a', 'b')
    const columnLineage = { fields: { 'to\0': { inputFields: [{ ...table('six.s.a'), field: 'from \ud800' }] } } }
    const job = { namespace: 'my::scheduler\n', name: `a,b\0${'😀'.repeat(300)}`, facets: { sql: { query: 'a\0b' } } }
    const datasets = { inputs: [table('six.s.a')], outputs: [table('six.s.b', { columnLineage })] }
    const { stated } = await send(event('COMPLETE', { ...datasets, job }, `run \0`))
    expect(stated).toEqual([fqn('six.s.b')])
    const { data } = await http.get(`/v1/pipelines?service=${encodeURIComponent('my:scheduler ')}`)
    const called: string = data[0].name
    expect(called).toMatch(/^a,b\ufffd(😀){239}-[0-9a-f]{12}$/u)
    const source = `openlineage:my:scheduler /${called.replace(',', '%2C')}`
    const { edges } = await graph(fqn('six.s.b'), `?columns=true&source=${encodeURIComponent(source)}`)
    expect(edges).toEqual([
      expect.objectContaining({ source, sql: 'a\ufffdb', columns: [{ from: ['from \ufffd'], to: 'to\ufffd' }] }),
    ])
    const pipeline = await http.get(`/v1/pipelines/name/${encodeURIComponent(`my:scheduler .${called}`)}?fields=runs`)
    expect(pipeline.runs).toEqual([expect.objectContaining({ id: 'run \ufffd' })])
  })

  it('of a job without a run count by their times, together where these are the same, and beside those of runs', async () => {
    await tables('described', 'a', 'b', 'c', 'x')
    const job = { namespace: 'scheduler', name: 'described' }
    const of = (day: string, input: string) => {
      const datasets = { inputs: [table(`described.s.${input}`)], outputs: [table('described.s.x')] }
      return { job, eventTime: `2026-01-0${day}T00:00:00Z`, ...datasets }
    }
    const described = (day: string, input: string) => {
      const { run: _, eventType: __, ...event_ } = event('', of(day, input))
      return event_
    }
    const upstream = async () => {
      const { nodes } = await graph(fqn('described.s.x'), '?up=1&down=0')
      return nodes.map(({ name }: { name: string }) => name).filter((name: string) => name !== 'x')
    }
    const events = [described('2', 'a'), described('3', 'b'), described('3', 'c'), described('1', 'a')]
    for (const each of events) await send(each)
    expect((await upstream()).toSorted()).toEqual(['b', 'c'])
    const [edge] = (await graph(fqn('described.s.x'), '?up=1&down=0')).edges
    expect(edge.time).toBe('2026-01-03T00:00:00.000Z')
    const before = await http.head()
    for (const each of [...events, ...events.toReversed()]) expect((await send(each)).changed).toBe(false)
    expect(await http.head()).toBe(before)
    const late = event('COMPLETE', of('3', 'a'), 'late')
    expect((await send(late)).ignored).toEqual([`${fqn('described.s.x')}: a later event says where it comes from`])
    await send(event('COMPLETE', of('4', 'a'), 'next'))
    for (const each of [...events, late]) expect((await send(each)).changed).toBe(false)
    expect(await upstream()).toEqual(['a'])
  })

  it('leave what another source stated before, which can be ended', async () => {
    await tables('renamed', 'a', 'x')
    const sourceNow = 'openlineage:old%,space/etl%2Fdaily%2C100%25'.replace('%,', '%25%2C')
    const job = { namespace: 'old%,space', name: 'etl/daily,100%' }
    await send(event('COMPLETE', { job, inputs: [table('renamed.s.a')], outputs: [table('renamed.s.x')] }, 'renamed'))
    const edges = async () => (await graph(fqn('renamed.s.x'), '?up=1&down=0')).edges
    expect((await edges()).map(({ source }: { source: string }) => source)).toEqual([sourceNow])
    const path = `/v1/lineage/table/name/${encodeURIComponent(fqn('renamed.s.x'))}`
    await http.put(`${path}?source=${encodeURIComponent(sourceNow)}`, { edges: [] })
    expect(await edges()).toEqual([])
  })

  it('say that they change something where they restore the service of a job, and with it the job', async () => {
    const sent = event('COMPLETE', { job: { namespace: 'gone', name: 'job' } }, 'gone')
    await send(sent)
    await http.remove('/v1/services/pipelineServices/name/gone?recursive=true')
    expect((await send(sent, '/v1/lineage?dryRun=true')).changed).toBe(true)
    expect((await send(sent)).changed).toBe(true)
    await http.get('/v1/pipelines/name/gone.job')
    expect((await send(sent)).changed).toBe(false)
  })

  it('of a job state at once, those of a dataset alone nothing; times may lack a zone', async () => {
    await tables('five', 'a', 'b')
    const { run: _, eventType: __, ...job } = event('', { inputs: [table('five.s.a')], outputs: [table('five.s.b')] })
    expect((await send(job)).stated).toEqual([fqn('five.s.b')])
    expect((await send({ eventTime: '2026-01-01T00:00:00', dataset: table('five.s.a') })).ignored).toHaveLength(1)
    await send({ ...event('START', {}, crypto.randomUUID()), eventTime: '2026-01-01T00:00:00.000' })
    await send({ ...event('START', {}, crypto.randomUUID()), eventTime: '2026-01-01t01:00:00.5+01:00' })
    for (const eventTime of ['soon', '5', 'hello 5', '12/31/2025', '2026-02-30T10:00:00Z', '9999-12-31T00:00:00Z'])
      for (const sent of [event('START'), { dataset: table('five.s.a') }])
        await http.refuses('BAD_REQUEST', 'POST', '/v1/lineage', { ...sent, eventTime })
    await http.refuses('BAD_REQUEST', 'POST', '/v1/lineage', {})
    await http.refuses('FORBIDDEN', 'POST', '/v1/lineage', event('START'), as('carl', 'DataConsumer'))
  })

  it('tell SQL and columns of their run, whichever of them does', async () => {
    await tables('details', 'a', 'x')
    const of = (field: string) => ({
      fields: { [field]: { inputFields: [{ namespace, name: 'details.s.a', field }] } },
    })
    const told = (eventType: string, second: number, columnLineage: object, facets: object = {}) => {
      const job = { namespace: 'scheduler', name: 'details', facets }
      const datasets = { inputs: [table('details.s.a')], outputs: [table('details.s.x', { columnLineage })] }
      return event(eventType, { job, eventTime: `2026-01-02T00:00:0${second}Z`, ...datasets }, 'details')
    }
    const events = [
      told('RUNNING', 1, of('one'), { sql: { query: 'select one' } }),
      told('RUNNING', 2, of('one'), { sql: { query: 'select one, two' } }),
      told('COMPLETE', 5, {}),
      told('OTHER', 3, of('two')),
    ]
    for (const each of events) await send(each)
    const [edge] = (await graph(fqn('details.s.x'), '?columns=true')).edges
    const columns = [
      { from: ['one'], to: 'one' },
      { from: ['two'], to: 'two' },
    ]
    expect(edge).toMatchObject({ sql: 'select one, two', columns })
    for (const each of [...events, ...events.toReversed()]) expect((await send(each)).changed).toBe(false)
  })

  it('of two jobs end with the same runs and the same lineage, however they are shuffled and repeated', async () => {
    const { next, pick, sample, chance, between } = randomFor('runs')
    const shuffled = <T>(items: readonly T[]): T[] =>
      items
        .map((item) => [next(), item] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, item]) => item)
    const names = ['a', 'b', 'c', 'd']
    const field = () => pick(['p', 'q'])
    const eventOf = (runId: string, job: string, eventType: string) => {
      const inputs = sample(names, between(0, 2)).map((name) => ({ namespace, name: `DATABASE.s.${name}` }))
      const inputFields = inputs.map((each) => ({ ...each, field: field() }))
      const columnLineage = { fields: { [field()]: { inputFields } } }
      const version = () => ({ version: { datasetVersion: pick(['1', '2']) } })
      return {
        eventType,
        eventTime: new Date(Date.UTC(2026, 0, 1, 0, between(0, 30))).toISOString(),
        run: { runId, facets: { parent: { run: { runId: field() }, job: { namespace: 'up', name: 'up' } } } },
        job: { namespace: 'DATABASE', name: job, facets: chance(0.5) ? { sql: { query: `select ${field()}` } } : {} },
        inputs: inputs.map((each) => ({ ...each, facets: version() })),
        outputs: sample(names, between(0, 2)).map((name) =>
          table(`DATABASE.s.${name}`, { columnLineage, ...version() }),
        ),
      }
    }
    const events = Array.from({ length: 6 }, (_, run) => `run${run}`).flatMap((runId) => {
      const job = pick(['one', 'two'])
      const ends = [chance(0.8) ? 'COMPLETE' : 'FAIL', ...(chance(0.3) ? ['COMPLETE'] : [])]
      return ['START', 'RUNNING', 'RUNNING', 'OTHER', ...ends].map((eventType) => eventOf(runId, job, eventType))
    })
    const stateOf = async (database: string) => {
      const lineage = []
      for (const name of names) {
        const { nodes, edges } = await graph(fqn(`${database}.s.${name}`), '?up=1&down=0&columns=true')
        const named = new Map((nodes as { id: string; name: string }[]).map((node) => [node.id, node.name]))
        for (const { from, to, source, sql, columns } of edges)
          lineage.push({ from: named.get(from), to: named.get(to), source, sql, columns })
      }
      const runsOf = async (job: string) => {
        const { runs } = await http.get(`/v1/pipelines/name/${database}.${job}?fields=runs`)
        return (runs as { details: object }[]).map(({ details, ...run }) => ({
          ...run,
          told: Object.values(details).toSorted(),
        }))
      }
      lineage.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      return { lineage, one: await runsOf('one'), two: await runsOf('two') }
    }
    const after = async (database: string, told: typeof events, atOnce = 1) => {
      await tables(database, ...names)
      const inDatabase = <T>(value: T, from: string, to: string): T =>
        JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T
      const sent = inDatabase(told, 'DATABASE', database)
      for (let at = 0; at < sent.length; at += atOnce)
        await Promise.all(sent.slice(at, at + atOnce).map((each) => send(each)))
      const before = await http.head()
      for (const each of shuffled(sent)) expect((await send(each)).changed).toBe(false)
      expect(await http.head()).toBe(before)
      return inDatabase(await stateOf(database), database, 'DATABASE')
    }
    const inOrder = await after('order0', events)
    expect(inOrder.lineage).not.toHaveLength(0)
    const again = events.filter(() => chance(0.3))
    expect(await after('order1', shuffled([...events, ...again]))).toEqual(inOrder)
    expect(await after('order2', shuffled([...events, ...again]), 5)).toEqual(inOrder)
  })

  it('name columns as the tables do, where only the case differs', async () => {
    await tables('cased')
    const databaseSchema = `"${namespace}".cased.s`
    const columns = ['C6', 'Id', 'ID', 'C.1'].map((name) => ({ name, dataType: 'INT' }))
    await http.put('/v1/tables/bulk', [
      { name: 'from', databaseSchema, columns },
      { name: 'to', databaseSchema, columns: [{ name: 'TOTAL', dataType: 'INT' }] },
    ])
    const inputFields = ['c6', 'ID', 'id', 'c.1'].map((field) => ({ namespace, name: 'cased.s.from', field }))
    const columnLineage = { fields: { total: { inputFields } } }
    const datasets = { inputs: [table('cased.s.from')], outputs: [table('cased.s.to', { columnLineage })] }
    await send(event('COMPLETE', datasets, 'cased'))
    const [edge] = (await graph(fqn('cased.s.to'), '?columns=true')).edges
    expect(edge.columns).toEqual([{ from: ['C6', 'ID', 'id', '"C.1"'], to: 'TOTAL' }])
    const path = `/v1/tables/name/${encodeURIComponent(fqn('cased.s.from'))}/impact`
    const without = [{ op: 'remove', path: '/columns/0' }]
    const { assets } = (await answered(200, http.call('POST', path, without, jsonPatch))).body
    expect(assets).toContainEqual(expect.objectContaining({ name: 'to', columns: ['TOTAL'] }))
  })
})
