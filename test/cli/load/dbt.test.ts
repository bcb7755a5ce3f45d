import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { as, byName, jsonPatch } from '../../http/support.ts'
import { buildFqn } from '../../../src/kinds/names.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import type { SourceEdge } from '../../../src/cli/load/content.ts'
import { resultsOf } from '../../../src/cli/load/dbt/tests.ts'
import { model, useLoads } from './loading.ts'

const { http, folder, load, loaded } = useLoads()

/** Loads artifacts into a service. */
const dbt = async (service: string, artifacts: Readonly<Record<string, object>>, ...flags: string[]) => {
  const target = mkdtempSync(join(folder, 'target-'))
  for (const [name, content] of Object.entries(artifacts))
    writeFileSync(join(target, `${name}.json`), JSON.stringify(content))
  return loaded('dbt', target, '--service', service, ...flags)
}

const get = (kind: string, fqn: string) => http.get(`${byName(kindNamed(kind), fqn)}?fields=*`)

const table = (name: string, more: object = {}) => model(name, { database: 'd', schema: 's', ...more })

const source = (name: string, more: object = {}) => table(name, { resource_type: 'source', ...more })

const manifest = (nodes: object, sources: object = {}, metadata: object = {}) => ({
  metadata: { adapter_type: 'duckdb', project_name: 'shop', ...metadata },
  nodes,
  sources,
})

/** What `catalog.json` says of a relation: its columns with their types. */
const relation = (types: Readonly<Record<string, string>>, metadata: object = {}) => ({
  metadata,
  columns: Object.fromEntries(Object.entries(types).map(([name, type], index) => [name, { name, type, index }])),
})

it('keeps the columns and statements of lineage of which a manifest without compiled code tells nothing', async () => {
  const edges = async () => {
    const { nodes, edges } = await http.get('/v1/lineage/table/name/uncompiled.d.s.revenue?up=1&down=0&columns=true')
    const nameOf = new Map(nodes.map(({ id, name }: Record<string, string>) => [id, name]))
    const named = edges.map(({ from, sql, columns }: SourceEdge) => ({ from: nameOf.get(from), sql, columns }))
    return named.toSorted((one: SourceEdge, other: SourceEdge) => one.from.localeCompare(other.from))
  }
  const artifacts = (reads: readonly string[], compiled: object, others: object = compiled) => {
    const revenue = table('revenue', { depends_on: { nodes: reads.map((name) => `source.shop.${name}`) }, ...compiled })
    const nodes = { 'model.shop.revenue': revenue, 'model.shop.other': table('other', others) }
    const sources = ['orders', 'prices'].map((name) => [`source.shop.${name}`, source(name)])
    return manifest(nodes, Object.fromEntries(sources))
  }
  const catalog = { nodes: {}, sources: { 'source.shop.orders': relation({ id: 'INT' }) } }
  const compiled = { compiled_code: 'select id from d.s.orders' }
  const whole = { from: 'orders', sql: compiled.compiled_code, columns: [{ from: ['id'], to: 'id' }] }
  await dbt('uncompiled', { manifest: artifacts(['orders'], compiled), catalog })
  expect(await edges()).toEqual([whole])
  const said = await dbt('uncompiled', { manifest: artifacts(['orders'], {}), catalog })
  expect(said).toContain('note      manifest.json: 2 models have no compiled code')
  expect(said).toContain('Nothing has changed.')
  expect(await edges()).toEqual([whole])
  await dbt('uncompiled', { manifest: artifacts(['orders', 'prices'], {}), catalog })
  expect(await edges()).toEqual([whole, { from: 'prices' }])
  await dbt('uncompiled', { manifest: artifacts(['prices'], {}), catalog })
  expect(await edges()).toEqual([{ from: 'prices' }])
  expect(await dbt('uncompiled', { manifest: artifacts(['orders'], compiled), catalog })).not.toContain('note')
  expect(await edges()).toEqual([whole])
})

it('keeps the columns of lineage of a statement that stays and cannot be read without catalog.json', async () => {
  const nodes = (compiled_code: string) => ({
    'model.shop.revenue': table('revenue', { depends_on: { nodes: ['source.shop.orders'] }, compiled_code }),
  })
  const artifacts = (statement: string) => manifest(nodes(statement), { 'source.shop.orders': source('orders') })
  const catalog = { nodes: {}, sources: { 'source.shop.orders': relation({ id: 'INT' }) } }
  const columns = async () => {
    const { edges } = await http.get('/v1/lineage/table/name/untold.d.s.revenue?up=1&columns=true')
    return edges[0].columns
  }
  const statement = 'select * from d.s.orders'
  await dbt('untold', { manifest: artifacts(statement), catalog })
  expect(await columns()).toEqual([{ from: ['id'], to: 'id' }])
  expect(await dbt('untold', { manifest: artifacts(statement) })).toContain('the columns of d.s.orders are not known')
  expect(await columns()).toEqual([{ from: ['id'], to: 'id' }])
  await dbt('untold', { manifest: artifacts(`${statement} where id > 0`) })
  expect(await columns()).toBeUndefined()
})

const test = (name: string, reads: readonly string[], more: object = {}) =>
  table(name, { resource_type: 'test', depends_on: { nodes: reads }, ...more })

it('says which tests have no table, those that did not pass first, since neither they nor results are loaded', async () => {
  const unique = { attached_node: 'model.shop.base', test_metadata: { name: 'unique', kwargs: {} } }
  const nodes = {
    'model.shop.base': table('base', { config: { materialized: 'ephemeral' } }),
    'model.shop.revenue': table('revenue', { compiled_code: 'select 1 as id' }),
    'test.shop.base': test('unique_base_id', ['model.shop.base'], unique),
    'test.shop.rule': test('own_rule', []),
    'test.shop.kept': test('kept_rule', ['model.shop.revenue'], { column_name: null }),
  }
  const results = ['base', 'rule', 'kept'].map((name) => {
    return { unique_id: `test.shop.${name}`, status: name === 'rule' ? 'fail' : 'pass', timing: [] }
  })
  const run_results = { metadata: { generated_at: '2026-11-01T05:00:00Z' }, results }
  const said = await dbt('tableless', { manifest: manifest(nodes), run_results })
  expect(said).toContain(
    'note      dataQuality/testCases: tests without a table are left out with their results (2): own_rule (fail), unique_base_id',
  )
  expect(said).toContain('1 results')
})

it('names a project that its manifest does not name by the package of which its id is the hash', async () => {
  const project_id = createHash('md5').update('finance').digest('hex')
  const artifacts = (package_: string, id: string, description: string) => {
    const orders = table('orders', { description, compiled_code: 'select 1 as id' })
    const rule = test('rule', [`model.${package_}.orders`])
    const nodes = {
      [`model.${package_}.orders`]: orders,
      [`test.${package_}.rule`]: rule,
      'model.utils.days': table('days'),
    }
    return { manifest: manifest(nodes, {}, { project_name: null, project_id: id }) }
  }
  await dbt('rooted', artifacts('finance', 'of no package', 'Of an earlier load.'))
  expect((await get('testCase', 'rooted.d.s.orders.rule')).testSuite.name).toBe('dbt rooted')
  await dbt('rooted', artifacts('finance', project_id, 'As it is made.'))
  expect((await get('testCase', 'rooted.d.s.orders.rule')).testSuite.name).toBe('dbt finance')
  expect((await get('table', 'rooted.d.s.orders')).description).toBe('As it is made.')
  const orders = source('orders', { description: 'As it is read.' })
  const reader = { 'model.sales.report': table('report', { depends_on: { nodes: ['source.sales.orders'] } }) }
  const metadata = { project_name: null, project_id: createHash('md5').update('sales').digest('hex') }
  const said = await dbt('rooted', { manifest: manifest(reader, { 'source.sales.orders': orders }, metadata) })
  expect(said).not.toContain('gone from the source')
  expect((await get('table', 'rooted.d.s.orders')).description).toBe('As it is made.')
})

it('leaves out tags that the catalog cannot name, and says which', async () => {
  const tags = ['fine', 'is::odd', 't'.repeat(257)]
  const columns = { id: { name: 'id', tags: ['is::odd', 'key'] } }
  const nodes = { 'model.shop.revenue': table('revenue', { tags, columns, compiled_code: 'select 1 as id' }) }
  const said = await dbt('tagged', { manifest: manifest(nodes) })
  expect(said).toContain('note      dbt.is::odd: the tag is not loaded: its name must not have :: in it')
  expect(said).toContain('the tag is not loaded: its name must have at most 256 characters')
  const { tags: given, columns: shown } = await get('table', 'tagged.d.s.revenue')
  expect(given).toMatchObject([{ tagFQN: 'dbt.fine' }])
  expect(shown[0].tags).toMatchObject([{ tagFQN: 'dbt.key' }])
})

it('takes from several sources of one relation what the last says, and what it leaves out from the others', async () => {
  const columns = (description: string, more: object = {}) => ({ id: { name: 'id', description }, ...more })
  const sources = {
    'source.shop.one': source('orders', {
      description: 'One.',
      columns: columns('One.', { at: { name: 'at', description: 'When.' } }),
    }),
    'source.shop.two': source('orders', {
      description: 'Two.',
      columns: columns('Two.', { at: { name: 'at', description: '' } }),
    }),
  }
  await dbt('several', { manifest: manifest({}, sources) })
  const { description, columns: shown } = await get('table', 'several.d.s.orders')
  expect([description, ...shown.map((each: { description: string }) => each.description)]).toEqual([
    'Two.',
    'Two.',
    'When.',
  ])
})

it('takes LONG of Oracle for a text', async () => {
  const nodes = { 'model.shop.notes': table('notes') }
  const catalog = { nodes: { 'model.shop.notes': relation({ id: 'NUMBER(10)', note: 'LONG', raw: 'LONG RAW' }) } }
  await dbt('long', { manifest: manifest(nodes, {}, { adapter_type: 'oracle' }), catalog })
  expect((await get('table', 'long.d.s.notes')).columns).toMatchObject([
    { dataType: 'NUMBER' },
    { dataType: 'CLOB', dataTypeDisplay: 'LONG' },
    { dataType: 'BINARY' },
  ])
})

it('keeps what a spreadsheet wrote, and a spreadsheet what the project wrote, unless told otherwise', async () => {
  const file = join(folder, 'words.csv')
  const sheet = (word: string, ...flags: string[]) => {
    const lines = [`d,s,orders,,${word}`, `d,s,orders,id,${word}`, `d,s,prices,,${word}`]
    writeFileSync(
      file,
      `database,schema,table,column,description,tags\n${lines.join(',Secrecy.High\n')},Secrecy.High\n`,
    )
    return loaded('csv', file, '--service', 'words', ...flags)
  }
  const project = (word: string) => {
    const columns = { id: { name: 'id', description: word } }
    const nodes = Object.fromEntries(
      ['orders', 'stock'].map((name) => {
        const more = { columns, description: word, tags: ['core'], compiled_code: `select 1 as id -- ${word}` }
        return [`model.shop.${name}`, table(name, more)]
      }),
    )
    return dbt('words', { manifest: manifest(nodes) })
  }
  const words = async (name: string) => {
    const { description, columns, tags, schemaDefinition } = await get('table', `words.d.s.${name}`)
    const tagNames = tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN)
    return [description, columns[0]?.description, tagNames, schemaDefinition]
  }
  const ofSheet = (word: string) => [word, word, ['Secrecy.High']]
  await http.post('/v1/classifications', { name: 'Secrecy' })
  await http.post('/v1/tags', { name: 'High', classification: 'Secrecy' })
  await sheet('Sheet.')
  const said = await project('Project.')
  for (const path of ['description', 'tags', 'columns.id.description'])
    expect(said).toContain(`kept      words.d.s.orders ${path}, which loader wrote`)
  expect(await words('orders')).toEqual([...ofSheet('Sheet.'), 'select 1 as id -- Project.'])
  expect(await sheet('Sheet.')).toContain('Nothing has changed.')
  expect(await project('Project.')).toContain('Nothing has changed.')
  await sheet('Sheet 2.')
  await project('Project 2.')
  expect(await words('orders')).toEqual([...ofSheet('Sheet 2.'), 'select 1 as id -- Project 2.'])
  expect((await words('stock')).slice(0, 3)).toEqual(['Project 2.', 'Project 2.', ['dbt.core']])
  writeFileSync(file, 'database,schema,table,description\nd,s,stock,Sheet 3.\n')
  expect(await loaded('csv', file, '--service', 'words')).toContain('kept      words.d.s.stock description')
  await loaded('csv', file, '--service', 'words', '--overwrite')
  await project('Project 3.')
  expect((await words('stock')).slice(0, 2)).toEqual(['Sheet 3.', 'Project 3.'])
})

it('nests the fields of BigQuery below structures, and reads lineage and tests of them', async () => {
  const fields = {
    event_name: 'STRING',
    params: 'ARRAY<STRUCT<key STRING>>',
    'params.key': 'STRING',
    'device.category': 'STRING',
    'device.os.name': 'shape',
  }
  const columns = { 'device.category': { name: 'device.category', description: 'Mobile or not.', tags: ['pii'] } }
  const view = {
    compiled_code: 'select event_name, device.category as category, p.key as k from d.s.events, unnest(params) as p',
    depends_on: { nodes: ['source.shop.events'] },
  }
  const tested = { column_name: 'device.category', test_metadata: { name: 'not_null', kwargs: {} } }
  const nodes = {
    'model.shop.daily': table('daily', view),
    'test.shop.known': test('known_category', ['source.shop.events'], tested),
  }
  const sources = { 'source.shop.events': source('events', { columns }), 'source.shop.files': source('files') }
  const catalog = {
    nodes: { 'model.shop.daily': relation({ event_name: 'STRING', category: 'STRING', k: 'STRING' }) },
    sources: { 'source.shop.events': relation(fields), 'source.shop.files': relation({ '<unknown>': '<unknown>' }) },
  }
  const artifacts = { manifest: manifest(nodes, sources, { adapter_type: 'bigquery' }), catalog }
  const said = await dbt('nested', artifacts)
  expect(said).toContain('note      nested.d.s.events.device.os.name: the type shape is not known')
  expect(said).not.toContain('cannot read')
  const events = await get('table', 'nested.d.s.events')
  expect(events.columns).toMatchObject([
    { name: 'event_name' },
    { name: 'params', dataType: 'ARRAY', arrayDataType: 'STRUCT', children: [{ name: 'key', dataType: 'STRING' }] },
    {
      name: 'device',
      dataType: 'STRUCT',
      children: [
        { name: 'category', description: 'Mobile or not.', tags: [{ tagFQN: 'dbt.pii' }] },
        { name: 'os', dataType: 'STRUCT', children: [{ name: 'name' }] },
      ],
    },
  ])
  expect((await get('table', 'nested.d.s.files')).columns).toEqual([])
  await get('testCase', 'nested.d.s.events.device.category.known_category')
  const { edges } = await http.get('/v1/lineage/table/name/nested.d.s.daily?up=1&columns=true')
  expect(edges[0].columns).toEqual([
    { from: ['event_name'], to: 'event_name' },
    { from: ['device'], to: 'category' },
    { from: ['params'], to: 'k' },
  ])
  expect(await dbt('nested', artifacts)).toContain('Nothing has changed.')
  const path = byName(kindNamed('table'), 'nested.d.s.events')
  const words = [{ op: 'add', path: '/columns/2/children/0/description', value: 'By Ann.' }]
  await http.patch(path, words, { ...as('ann', 'Admin'), ...jsonPatch })
  columns['device.category'].description = 'Said anew.'
  const kept = 'columns.device.children.category.description, which ann wrote'
  expect(await dbt('nested', artifacts)).toContain(`kept      nested.d.s.events ${kept}`)
  expect(await dbt('nested', { manifest: artifacts.manifest })).not.toContain('removed')
  const { columns: last } = await get('table', 'nested.d.s.events')
  expect(last.slice(0, 2)).toEqual(events.columns.slice(0, 2))
  expect(last[2].children).toMatchObject([{ description: 'By Ann.' }, { children: [{ name: 'name' }] }])
})

it('names tables as the database does, so that two Snowflake projects meet at one', async () => {
  const adapter_type = 'snowflake'
  const inLower = { database: 'analytics', schema: 'marts' }
  const inUpper = { database: 'ANALYTICS', schema: 'MARTS', name: 'ORDERS' }
  const orders = table('orders', { ...inLower, compiled_code: 'select 1 as id' })
  const nodes = { 'model.a.orders': orders }
  const maker = manifest(nodes, {}, { adapter_type, project_name: 'a' })
  const catalog = { nodes: { 'model.a.orders': relation({ ID: 'NUMBER' }, inUpper) } }
  await dbt('upper', { manifest: maker, catalog })
  await get('table', 'upper.ANALYTICS.MARTS.ORDERS')
  expect(await dbt('upper', { manifest: maker })).toContain('tables: 0 new')
  const read = source('orders', { ...inLower, schema: 'Marts' })
  const report = table('report', { ...inUpper, name: 'REPORT', depends_on: { nodes: ['source.b.orders'] } })
  const reader = manifest(
    { 'model.b.report': report },
    { 'source.b.orders': read },
    { adapter_type, project_name: 'b' },
  )
  expect(await dbt('upper', { manifest: reader })).toContain('tables: 1 new')
  const { nodes: seen } = await http.get('/v1/lineage/table/name/upper.ANALYTICS.MARTS.ORDERS?down=1')
  expect(seen.map(({ name }: { name: string }) => name)).toEqual(['ORDERS', 'REPORT'])
  await dbt('upper', { manifest: manifest(nodes) })
  await http.remove(byName(kindNamed('table'), 'upper.analytics.marts.orders'))
  expect(await dbt('upper', { manifest: maker })).toContain('tables: 0 new, 0 changed, 1 unchanged')
})

it('tells first what was not loaded, says how much more there is, and shows all of it on demand', async () => {
  const reading = { depends_on: { nodes: ['source.shop.raw'] }, compiled_code: 'select id from' }
  const models = Array.from({ length: 45 }, (_, at) => [`model.shop.m${at}`, table(`m${at}`, reading)])
  const nodes = { ...Object.fromEntries(models), 'test.shop.rule': test('rule', ['model.shop.m1']) }
  const run_results = { metadata: { generated_at: '2026-11-01T05:00:00Z' }, args: { which: 'run' }, results: [] }
  const artifacts = { manifest: manifest(nodes, { 'source.shop.raw': source('raw') }), run_results }
  const notesIn = (said: string) => said.split('\n').filter((line) => line.startsWith('  note '))
  const cut = await dbt('noted', artifacts, '--dry-run')
  expect(notesIn(cut)).toHaveLength(40)
  expect(notesIn(cut)[0]).toContain('run_results.json: it is of "dbt run"')
  expect(cut).toContain('and 6 more; --all shows them')
  expect(notesIn(await dbt('noted', artifacts, '--dry-run', '--all'))).toHaveLength(46)
  const file = join(folder, 'many.csv')
  writeFileSync(file, `database,schema,table\n${Array.from({ length: 45 }, (_, at) => `d,s,a::${at}\n`).join('')}`)
  const refused = async (...flags: string[]) => {
    const { code, stderr } = await load('csv', file, '--service', 'refusing', ...flags)
    expect(code).toBe(1)
    return [stderr.match(/refusing\.d\.s\.a::/g)?.length, stderr.includes('and 5 more; --all shows them')]
  }
  expect(await refused()).toEqual([40, true])
  expect(await refused('--all')).toEqual([45, false])
})

it('loads the arguments of tests as values of their parameters', async () => {
  const kwargs = {
    model: "{{ ref('orders') }}",
    column_name: 'state',
    values: ['open', 'closed'],
    quote: true,
    field: 'id',
    max_value: JSON.rawJSON('9223372036854775807'),
    limits: [JSON.rawJSON('-9007199254740993'), 1.5],
  }
  const accepted = { attached_node: 'model.shop.orders', column_name: 'state' }
  const given = (name: string) => ({ ...accepted, test_metadata: { name, kwargs } })
  const columns = { state: { name: 'state' } }
  const nodes = {
    'model.shop.orders': table('orders', { columns, compiled_code: 'select 1 as state' }),
    'test.shop.values': test('accepted_state', ['model.shop.orders'], given('accepted_values')),
    'test.shop.unique': test('unique_state', ['model.shop.orders'], given('unique')),
  }
  await dbt('argued', { manifest: manifest(nodes) })
  const parameters = async (name: string) => (await get('testCase', `argued.d.s.orders.state.${name}`)).parameterValues
  expect(await parameters('accepted_state')).toEqual([
    { name: 'values', value: '["open","closed"]' },
    { name: 'quote', value: 'true' },
    { name: 'field', value: 'id' },
    { name: 'max_value', value: '9223372036854775807' },
    { name: 'limits', value: '[-9007199254740993,1.5]' },
  ])
  expect(await parameters('unique_state')).toEqual([])
  expect(await dbt('argued', { manifest: manifest(nodes) })).toContain('Nothing has changed.')
})

it('finds the column of a test between the quotes of the adapter, and keeps what one of the table is told of a column', async () => {
  const quoted = { '"Order ID"': 'Order ID', '`day`': 'day', '[at]': 'at', '"raw"': '"raw"' }
  const given = (column_name: string) => ({
    attached_node: 'model.shop.orders',
    column_name,
    test_metadata: { name: 'not_null', kwargs: { model: "{{ ref('orders') }}", column_name } },
  })
  const columns = Object.fromEntries(['raw', ...Object.values(quoted)].map((name) => [name, { name }]))
  const names = [...Object.keys(quoted), 'id || day']
  const nodes = {
    'model.shop.orders': table('orders', { columns, compiled_code: 'select 1 as id' }),
    ...Object.fromEntries(
      names.map((name, at) => [`test.shop.t${at}`, test(`known_${at}`, ['model.shop.orders'], given(name))]),
    ),
  }
  await dbt('quoted', { manifest: manifest(nodes) })
  for (const [at, column] of Object.values(quoted).entries()) {
    const known = await get('testCase', `quoted.d.s.orders.${buildFqn([column])}.known_${at}`)
    expect(known.testDefinition.fullyQualifiedName).toBe('columnValuesToBeNotNull')
  }
  const { testDefinition, parameterValues } = await get('testCase', 'quoted.d.s.orders.known_4')
  expect(testDefinition.fullyQualifiedName).toBe('dbtTest')
  expect(parameterValues).toEqual([{ name: 'column_name', value: 'id || day' }])
})

it('takes times of results without a zone for those of UTC, wherever the load runs', () => {
  vi.stubEnv('TZ', 'Asia/Kathmandu')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(new Date(2026, 0).toISOString()).toBe('2025-12-31T18:15:00.000Z')
  const tests = new Map([['test.shop.rule', { fullyQualifiedName: 'd.s.t.rule', body: {} }]])
  const times = ['2026-02-01T00:00:00.999999', '2026-02-01T05:45:00.999999+05:45', '2026-02-01T00:00:00.999Z']
  const results = times.map((completed_at) => {
    return { unique_id: 'test.shop.rule', status: 'pass', timing: [{ completed_at }] }
  })
  const found = resultsOf({ metadata: { generated_at: '' }, results }, tests).results
  expect(found.map(({ timestamp }) => timestamp)).toEqual(times.map(() => Date.UTC(2026, 1, 1, 0, 0, 0, 999)))
})
