import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { byName, answered, as, jsonPatch } from '../../http/support.ts'
import { makeClient } from '../../../src/cli/client/apiClient.ts'
import { applyPlan, writeLineage } from '../../../src/cli/load/applyPlan.ts'
import { readContracts } from '../../../src/cli/load/contractDocuments.ts'
import { planLoad } from '../../../src/cli/load/plan.ts'
import { tableSteps } from '../../../src/cli/load/tables.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import type { JsonObject } from '../../../src/shared/json.ts'
import { limits } from '../../../src/shared/limits.ts'
import { setLimit } from '../../support/limits.ts'
import { objectsOf } from '../../../src/shared/json.ts'
import { skippedWithoutPostgres, startPostgres } from '../../support/postgres.ts'
import { tokenFor } from '../../support/service.ts'
import { catalog } from '../../support/commandLine.ts'
import { model, useLoads } from './loading.ts'

const { http, folder, load, loaded } = useLoads()

const dbt = (service: string, ...flags: string[]): Promise<string> =>
  loaded('dbt', folder, '--service', service, ...flags)

const get = (kind: string, fqn: string, query = '') => http.get(`${byName(kindNamed(kind), fqn)}${query}`)

const mustLack = (kind: string, fqn: string) => answered(404, http.call('GET', byName(kindNamed(kind), fqn)))

const upstream = (fqn: string, query = '') => http.get(`/v1/lineage/table/name/${fqn}?up=1${query}`)

const steward = as('steward', 'Admin')

const patch = (kind: string, fqn: string, body: object) => http.patch(byName(kindNamed(kind), fqn), body, steward)

const describeBy = (user: string, fqn: string, description: string) =>
  http.patch(byName(kindNamed('table'), fqn), { description }, as(user, 'Admin'))

const undoOf = (said: string): string => /catalog load undo (\S+)/.exec(said)?.[1] ?? ''

interface Named {
  readonly name: string
}

const column = (name: string, description = '') => ({ name, description, data_type: null, tags: ['key'] })

/** A dbt project with a source, a view, a model in between that has no relation, and tests. */
const manifest = (description: string) => ({
  metadata: { adapter_type: 'duckdb', project_name: 'shop' },
  sources: { 'source.shop.raw.orders': { ...model('orders'), resource_type: 'source', identifier: 'raw_orders' } },
  nodes: {
    'model.shop.base': model('base', {
      config: { materialized: 'ephemeral' },
      depends_on: { nodes: ['source.shop.raw.orders'] },
    }),
    'model.shop.revenue': model('revenue', {
      description,
      tags: ['finance'],
      config: { materialized: 'view' },
      depends_on: { nodes: ['model.shop.base'] },
      compiled_code: 'select 1 as id',
      columns: { id: column('id', 'The key.') },
    }),
    'test.shop.unique': model('unique_revenue_id', {
      resource_type: 'test',
      column_name: 'id',
      attached_node: 'model.shop.revenue',
      test_metadata: { name: 'unique', kwargs: {} },
    }),
    'test.shop.own': model('own_rule', { resource_type: 'test', depends_on: { nodes: ['model.shop.revenue'] } }),
  },
})

const relations = {
  nodes: {
    'model.shop.revenue': {
      metadata: { type: 'VIEW' },
      columns: {
        AMOUNT: { name: 'AMOUNT', type: 'DECIMAL(10,2)', index: 2, comment: 'From the database.' },
        ID: { name: 'ID', type: 'BIGINT', index: 1, comment: null },
      },
    },
  },
}

/** How the tests of the project went. */
const runResults = (status: string) => ({
  metadata: { generated_at: '2026-11-01T05:00:00Z' },
  results: [
    {
      unique_id: 'test.shop.unique',
      status,
      message: 'Got 3 results',
      timing: [{ completed_at: '2026-11-01T04:59:00Z' }],
    },
    { unique_id: 'test.shop.own', status: 'pass', message: null, timing: [] },
    { unique_id: 'model.shop.revenue', status: 'success', message: 'OK', timing: [] },
  ],
})

const write = (file: string, content: object): void => writeFileSync(join(folder, file), JSON.stringify(content))

/** The project with these members of its model and its tests. */
const changed = (revenue: object, unique: object = {}, own: object = {}, description = 'What came in.') => {
  const given = manifest(description)
  Object.assign(given.nodes['model.shop.revenue'], revenue)
  Object.assign(given.nodes['test.shop.unique'], unique)
  Object.assign(given.nodes['test.shop.own'], own)
  return given
}

const writeProject = (given: object = manifest('What came in.')): void => {
  write('manifest.json', given)
  write('catalog.json', relations)
}

/** Results of a run of the tests, which are there for one test. */
const writeResults = (results: object, change = (text: string) => text): void => {
  const file = join(folder, 'run_results.json')
  onTestFinished(() => rmSync(file, { force: true }))
  writeFileSync(file, change(JSON.stringify(results)))
}

describe('catalog load dbt', () => {
  it('loads models, sources, columns, tags and tests, and a second time nothing', async () => {
    writeProject()
    await dbt('first')
    const table = await get('table', 'first.shop.main.revenue', '?fields=*')
    expect(table).toMatchObject({
      description: 'What came in.',
      tableType: 'View',
      schemaDefinition: 'select 1 as id',
      serviceType: 'DuckDB',
      tags: [{ tagFQN: 'dbt.finance' }],
      columns: [
        { name: 'ID', dataType: 'BIGINT', description: 'The key.', tags: [{ tagFQN: 'dbt.key' }] },
        { name: 'AMOUNT', dataType: 'DECIMAL', dataTypeDisplay: 'DECIMAL(10,2)', description: 'From the database.' },
      ],
    })
    await get('table', 'first.shop.main.raw_orders')
    await mustLack('table', 'first.shop.main.base')
    const test = await get('testCase', 'first.shop.main.revenue.ID.unique_revenue_id')
    expect(test.testDefinition.fullyQualifiedName).toBe('columnValuesToBeUnique')
    await get('testCase', 'first.shop.main.revenue.own_rule')
    expect((await upstream('first.shop.main.revenue')).edges).toMatchObject([{ source: 'dbt' }])
    const head = await http.head()
    expect(await dbt('first')).toContain('Nothing has changed. There is nothing to undo.')
    expect(await http.head()).toBe(head)
  })

  it('states the lineage of columns that compiled SQL tells, and says where it tells none', async () => {
    writeProject()
    const compiled = (revenue: string) => write('manifest.json', changed({ compiled_code: revenue }))
    const columns = Object.fromEntries(['id', 'cents'].map((name, index) => [name, { name, type: 'INT', index }]))
    const sources = { 'source.shop.raw.orders': { metadata: {}, columns } }
    write('catalog.json', { ...relations, sources })
    compiled('with base as (select * from shop.main.raw_orders) select id, cents / 100 as amount from base')
    expect(await dbt('columns')).not.toContain('note')
    const edge = async () => (await upstream('columns.shop.main.revenue', '&columns=true')).edges[0]
    expect((await edge()).columns).toEqual([
      { from: ['id'], to: 'ID' },
      { from: ['cents'], to: 'AMOUNT' },
    ])
    expect(await dbt('columns')).toContain('Nothing has changed.')
    compiled('select id from')
    const said = await dbt('columns')
    expect(said).toMatch(/note {6}columns\.shop\.main\.revenue: cannot read the lineage of columns .*: Parse error/)
    expect([(await edge()).columns, (await edge()).source]).toEqual([undefined, 'dbt'])
  })

  it('ends the lineage of a model that reads nothing any more, and keeps what others have stated of it', async () => {
    writeProject()
    await dbt('leaving')
    const fqn = 'leaving.shop.main.revenue'
    const other = { edges: [{ from: 'leaving.shop.main.raw_orders' }] }
    await http.put(`/v1/lineage/table/name/${fqn}`, other, steward)
    write('manifest.json', changed({ depends_on: { nodes: [] } }))
    expect(await dbt('leaving')).toContain('lineage of 1')
    expect((await upstream(fqn)).edges).toMatchObject([{ source: 'manual' }])
    expect(await dbt('leaving')).toContain('Nothing has changed.')
    const foreseen = await dbt('left', '--dry-run')
    expect(foreseen).toContain('lineage: 0 changed, 1 unchanged\n')
  })

  it('reports how tests went, and the same run a second time is nothing', async () => {
    writeProject()
    writeResults(runResults('fail'))
    const foreseen = async () => {
      const before = await http.head()
      const said = await dbt('tested', '--dry-run')
      expect(await http.head()).toBe(before)
      return said
    }
    expect(await foreseen()).toContain('lineage: 1 changed, 0 unchanged\nresults: 2 changed, 0 unchanged\n')
    expect(await dbt('tested')).toContain('2 results')
    expect(await foreseen()).toContain('lineage: 0 changed, 1 unchanged\nresults: 0 changed, 2 unchanged\n')
    const key = async () => get('testCase', 'tested.shop.main.revenue.ID.unique_revenue_id', '?fields=*')
    const failed = { status: 'Failed', message: 'Got 3 results', timestamp: Date.parse('2026-11-01T04:59:00Z') }
    expect((await key()).latestResult).toMatchObject(failed)
    expect((await get('testCase', 'tested.shop.main.revenue.own_rule', '?fields=*')).latestResult).toMatchObject({
      status: 'Success',
      timestamp: Date.parse('2026-11-01T05:00:00Z'),
    })
    const head = await http.head()
    expect(await dbt('tested')).toContain('Nothing has changed.')
    expect(await http.head()).toBe(head)
    writeResults(runResults('pass'), (text) => text.replaceAll('2026-11-01', '2026-11-02'))
    expect(await foreseen()).toContain('results: 2 changed, 0 unchanged\n')
    expect(await dbt('tested')).toMatch(/\nTo undo all of it: .*\n0 written, lineage of 0, 2 results/)
    expect((await key()).latestResult.status).toBe('Success')
    expect((await key()).results).toHaveLength(2)
  })

  it('keeps what people wrote, unless it is told otherwise', async () => {
    writeProject()
    await dbt('kept')
    const fqn = 'kept.shop.main.revenue'
    await describeBy('steward', fqn, 'By the steward.')
    writeProject(manifest('Said anew in the project.'))
    expect(await dbt('kept')).toContain(`${fqn} description, which steward wrote`)
    expect((await get('table', fqn)).description).toBe('By the steward.')
    await dbt('kept', '--overwrite')
    expect((await get('table', fqn)).description).toBe('Said anew in the project.')
  })

  it('keeps what people write while it is at work: it reads and plans again what has changed since', async () => {
    const client = makeClient({
      url: http.url,
      tokenOf: () => tokenFor('loader', ['Admin']),
      headers: { 'x-correlation-id': 'load:dbt/shop' },
    })
    const [fqn, term] = ['racing.shop.main.revenue', 'dbt.racing']
    const apply = async (description: string, meanwhile?: () => Promise<unknown>, names = ['revenue']) => {
      const table = (name: string) => ({
        database: 'shop',
        schema: 'main',
        name,
        columns: [],
        members: { description },
      })
      const tag = { fullyQualifiedName: term, body: { name: 'racing', classification: 'dbt', description } }
      const steps = [
        ...tableSteps({ name: 'racing', type: 'Postgres' }, names.map(table)),
        { path: 'tags', bulk: false, scope: { classification: 'dbt' }, entities: [tag] },
      ]
      const planned = await planLoad(client, { source: 'dbt', project: 'shop', steps, lineage: [], scopes: [] }, false)
      await meanwhile?.()
      expect(await applyPlan(client, planned, () => undefined)).toEqual([])
    }
    await client.put('classifications', { name: 'dbt' })
    await apply('First.')
    await apply('Second.', async () => {
      await describeBy('steward', fqn, 'By the steward.')
      await patch('tag', term, { description: 'By the steward.' })
    })
    expect((await get('table', fqn)).description).toBe('By the steward.')
    expect((await get('tag', term)).description).toBe('By the steward.')
    const body = { name: 'costs', databaseSchema: 'racing.shop.main', description: 'By the steward.' }
    const create = () => http.post('/v1/tables', body, steward)
    await apply('Third.', create, ['revenue', 'costs', 'taxes'])
    expect((await get('table', 'racing.shop.main.costs')).description).toBe('By the steward.')
    expect((await get('table', 'racing.shop.main.taxes')).description).toBe('Third.')
  })

  it('takes what an undone load leaves for what an earlier load wrote, and what people wrote for theirs', async () => {
    writeProject(manifest('First.'))
    await dbt('twice')
    const fqn = 'twice.shop.main.revenue'
    writeProject(manifest('Second.'))
    await loaded('undo', undoOf(await dbt('twice')))
    expect((await get('table', fqn)).description).toBe('First.')
    expect(await dbt('twice')).not.toContain('kept')
    expect((await get('table', fqn)).description).toBe('Second.')
    await describeBy('steward', fqn, 'By the steward.')
    writeProject(manifest('Third.'))
    await loaded('undo', undoOf(await dbt('twice', '--overwrite')))
    expect(await dbt('twice')).toContain(`${fqn} description, which steward wrote`)
  })

  it('writes nothing with --dry-run, and is undone as a whole', async () => {
    writeProject()
    const head = await http.head()
    expect(await dbt('undone', '--dry-run')).toContain('undone.shop.main.revenue')
    expect(await http.head()).toBe(head)
    const said = await dbt('undone')
    await loaded('undo', undoOf(said))
    await mustLack('table', 'undone.shop.main.revenue')
  })

  it('foresees that what was deleted is restored, and asks nothing about it before', async () => {
    writeProject()
    writeResults(runResults('fail'))
    const { 'test.shop.own': _, ...nodes } = manifest('').nodes
    write('manifest.json', { ...manifest(''), nodes })
    await dbt('returned')
    await http.remove(`${byName(kindNamed('databaseService'), 'returned')}?recursive=true`, steward)
    write('manifest.json', manifest(''))
    const preview = await dbt('returned', '--dry-run')
    expect(preview).not.toContain('lineage:')
    expect(preview).toContain('results: 1 changed, 0 unchanged\nNothing was written')
    expect(await dbt('returned')).toContain(' 0 failed.')
  })

  it('is undone but for what others have changed since, where that is asked for', async () => {
    writeProject()
    const said = await dbt('part')
    await describeBy('steward', 'part.shop.main.revenue', 'By the steward.')
    expect((await load('undo', undoOf(said))).stderr).toMatch(
      /cannot be\. A dry run shows all of them, and skipping conflicts \(skipConflicts, --skip-conflicts\)/,
    )
    const conflict = /^ {2}conflict {2}table part\.shop\.main\.revenue: .*steward/m
    for (const flag of ['--dry-run', '--skip-conflicts']) {
      const { code, stdout } = await load('undo', undoOf(said), flag)
      expect([code, stdout]).toEqual([1, expect.stringMatching(conflict)])
      expect(stdout).toMatch(/^ {2}reverted {2}table part\.shop\.main\.raw_orders: delete$/m)
      expect(stdout).toMatch(/\d+ conflict, \d+ reverted\n$/)
    }
    expect((await get('table', 'part.shop.main.revenue')).description).toBe('By the steward.')
    await mustLack('table', 'part.shop.main.raw_orders')
  })

  it('takes a seed that is declared as a source, too, for one table, with the words of both', async () => {
    writeProject()
    const given = manifest('What came in.')
    const seed = model('raw_orders', { resource_type: 'seed', tags: ['seeded'] })
    const { 'source.shop.raw.orders': source } = given.sources
    const documented = { ...source, description: 'Of the shop.', columns: { id: column('id', 'The key.') } }
    const all = {
      ...given,
      sources: { 'source.shop.raw.orders': documented },
      nodes: { ...given.nodes, 'seed.shop.raw_orders': seed },
    }
    write('manifest.json', all)
    expect(await dbt('both')).toContain('tables: 2 new')
    expect(await get('table', 'both.shop.main.raw_orders', '?fields=columns,tags')).toMatchObject({
      description: 'Of the shop.',
      tags: [{ tagFQN: 'dbt.seeded' }],
      columns: [{ name: 'id', description: 'The key.' }],
    })
    expect(await dbt('both')).toContain('Nothing has changed.')
  })

  it('keeps the columns and types of which a project without catalog.json knows nothing', async () => {
    writeProject()
    await dbt('partly')
    writeProject(manifest('Without the catalog of the database.'))
    rmSync(join(folder, 'catalog.json'))
    const said = await dbt('partly')
    expect(said).not.toContain('columns')
    expect(await get('table', 'partly.shop.main.revenue', '?fields=columns')).toMatchObject({
      description: 'Without the catalog of the database.',
      columns: [
        { name: 'ID', dataType: 'BIGINT', description: 'The key.' },
        { name: 'AMOUNT', dataType: 'DECIMAL', description: 'From the database.' },
      ],
    })
  })

  it('calls a column as the catalog does, however the project writes it', async () => {
    const call = (name: string) =>
      write('manifest.json', changed({ columns: { [name]: column(name, 'Of the project.') } }, { column_name: name }))
    const names = async () =>
      (await get('table', 'cases.shop.main.revenue', '?fields=columns')).columns.map(({ name }: Named) => name)
    writeProject()
    call('id')
    await dbt('cases')
    expect(await names()).toEqual(['ID', 'AMOUNT'])
    const path = byName(kindNamed('table'), 'cases.shop.main.revenue')
    const words = [{ op: 'add', path: '/columns/1/description', value: 'By the steward.' }]
    await http.patch(path, words, { ...steward, ...jsonPatch })
    call('amount')
    expect(await dbt('cases')).not.toContain('removed')
    expect((await get('table', 'cases.shop.main.revenue', '?fields=columns')).columns).toMatchObject([
      { name: 'ID' },
      { name: 'AMOUNT', description: 'By the steward.' },
    ])
    await get('testCase', 'cases.shop.main.revenue.AMOUNT.unique_revenue_id')
    rmSync(join(folder, 'catalog.json'))
    call('Amount')
    await dbt('cases')
    expect(await names()).toEqual(['ID', 'AMOUNT'])
  })

  it('loads columns whose names differ only in case, each with what is said of it', async () => {
    writeProject()
    const args = ['dbt', folder, '--service', 'cased']
    await loaded(...args)
    const columns = { id: column('id', 'Of the first.'), Id: column('Id', 'Of the second.') }
    write('manifest.json', changed({ columns }, { column_name: 'Id' }))
    const { columns: known } = relations.nodes['model.shop.revenue']
    const more = { ...known, id: { ...known.ID, name: 'id', index: 3 }, Id: { ...known.ID, name: 'Id', index: 4 } }
    write('catalog.json', { nodes: { 'model.shop.revenue': { metadata: { type: 'VIEW' }, columns: more } } })
    await loaded(...args)
    const shown = (await get('table', 'cased.shop.main.revenue', '?fields=columns')).columns as JsonObject[]
    expect(shown.map(({ name, description }) => [name, description])).toEqual([
      ['ID', 'The key.'],
      ['AMOUNT', 'From the database.'],
      ['id', 'Of the first.'],
      ['Id', 'Of the second.'],
    ])
    await get('testCase', 'cased.shop.main.revenue.Id.unique_revenue_id')
    expect(await loaded(...args)).toContain('Nothing has changed.')
  })

  it('leaves the words and the lineage of a source to the project that makes it', async () => {
    const load = (name: string, given: object) => {
      const metadata = { adapter_type: 'duckdb', project_name: name }
      write('manifest.json', { metadata, sources: {}, ...given })
      return dbt('mesh')
    }
    rmSync(join(folder, 'catalog.json'), { force: true })
    const reading = (id: string) => ({ depends_on: { nodes: [id] }, compiled_code: 'select 1 as id' })
    const maker = (description: string) => {
      const orders = model('orders', { description, tags: ['core'], ...reading('model.a.raw') })
      return load('a', { nodes: { 'model.a.raw': model('raw'), 'model.a.orders': orders } })
    }
    const reader = (description: string) => {
      const orders = { ...model('orders', { description, tags: ['read'] }), resource_type: 'source' }
      const nodes = { 'model.b.report': model('report', reading('source.b.orders')) }
      return load('b', { nodes, sources: { 'source.b.orders': orders } })
    }
    const orders = async () => {
      const table = await get('table', 'mesh.shop.main.orders', '?fields=tags')
      const { edges } = await upstream('mesh.shop.main.orders', '&down=0')
      return [table.description, table.tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN), edges.length]
    }
    await reader('As it is read.')
    await reader('As it is read today.')
    expect(await orders()).toEqual(['As it is read today.', ['dbt.read'], 0])
    await maker('As it is made.')
    expect(await orders()).toEqual(['As it is made.', ['dbt.core'], 1])
    expect(await reader('As it is read today.')).toContain('Nothing has changed.')
    expect(await orders()).toEqual(['As it is made.', ['dbt.core'], 1])
    expect(await maker('As it is made.')).toContain('Nothing has changed.')
    await maker('As it is made today.')
    expect(await orders()).toEqual(['As it is made today.', ['dbt.core'], 1])
  })

  it('takes a relationships test of an old manifest for one of the table that refers to the other', async () => {
    writeProject()
    const nodes = { nodes: ['source.shop.raw.orders', 'model.shop.revenue'] }
    const test = (modelText: string) => ({
      attached_node: undefined,
      depends_on: nodes,
      test_metadata: { name: 'relationships', kwargs: { model: `{{ get_where_subquery(${modelText}) }}` } },
    })
    write('manifest.json', changed({}, test("ref('revenue')"), test("source('raw', 'orders')")))
    await dbt('related')
    await get('testCase', 'related.shop.main.revenue.ID.unique_revenue_id')
    await get('testCase', 'related.shop.main.raw_orders.own_rule')
  })

  it('says that the results of another command are none of tests', async () => {
    writeProject()
    writeResults({ ...runResults('success'), args: { which: 'generate' } })
    expect(await dbt('generated')).toContain(
      'note      run_results.json: it is of "dbt generate", which runs no tests: run "dbt build" or "dbt test" last',
    )
  })

  it('takes back the kind of a table and its last tag with the project', async () => {
    writeProject()
    await dbt('back')
    const columns = { id: { ...column('id', 'The key.'), tags: [] } }
    write('manifest.json', changed({ tags: [], config: { materialized: 'incremental' }, columns }))
    await dbt('back')
    const table = await get('table', 'back.shop.main.revenue', '?fields=tags,columns')
    expect([table.tableType, table.tags, table.columns[0].tags ?? []]).toEqual(['Regular', [], []])
    expect(await dbt('back')).toContain('Nothing has changed.')
  })

  it('clears no tags that people wrote', async () => {
    writeProject()
    await dbt('cleared')
    const fqn = 'cleared.shop.main.revenue'
    const tags = [{ tagFQN: 'dbt.key' }]
    await patch('table', fqn, { tags })
    write('manifest.json', changed({ tags: [] }, {}, {}, 'Said anew.'))
    expect(await dbt('cleared')).not.toContain('kept')
    await dbt('cleared', '--overwrite')
    expect((await get('table', fqn, '?fields=tags')).tags).toMatchObject(tags)
  })

  it('keeps cleared what people cleared, also for a loader without the permission to history', async () => {
    writeProject()
    const args = ['dbt', folder, '--service', 'emptied']
    await loaded(...args)
    const [fqn, suite] = ['emptied.shop.main.revenue', 'dbt shop']
    const columns = [{ name: 'ID', dataType: 'BIGINT' }]
    await patch('table', fqn, { tags: [], description: null, columns })
    await patch('testSuite', suite, { description: null })
    write('manifest.json', changed({ columns: { id: column('id', 'Said anew.') } }, {}, {}, 'Said anew.'))
    const token = tokenFor('nightly', ['Ingestion'])
    const { code, stdout, stderr } = await catalog(['load', ...args, '--url', http.url, '--token', token], {
      CATALOG_DATA_DIR: folder,
    })
    expect([code, stderr]).toEqual([0, ''])
    for (const path of ['tags', 'description', 'columns.ID.tags', 'columns.ID.description'])
      expect(stdout).toContain(`kept      ${fqn} ${path}, which steward cleared`)
    expect(stdout).toContain(`kept      ${suite} description, which steward cleared`)
    const table = await get('table', fqn, '?fields=tags,columns')
    expect([table.tags, table.description, table.columns[0]]).toEqual([
      [],
      undefined,
      expect.not.objectContaining({ description: expect.anything() }),
    ])
    await loaded(...args, '--overwrite')
    expect(await get('table', fqn)).toMatchObject({ description: 'Said anew.' })
    expect((await get('testSuite', suite)).description).toBe('Tests of a dbt project.')
  })

  it('says which tests are gone from the project, and that it does not know a version of the manifest', async () => {
    writeProject()
    const args = ['dbt', folder, '--service', 'shrunk']
    expect(await loaded(...args)).not.toContain('note')
    const given = manifest('What came in.')
    const { 'test.shop.own': gone, ...nodes } = given.nodes
    const metadata = { ...given.metadata, dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v13.json' }
    write('manifest.json', { ...given, metadata, nodes })
    const said = await loaded(...args)
    expect(said).toContain(
      `note      dataQuality/testCases: shrunk.shop.main.revenue.${gone.name} is gone from the source and stay`,
    )
    expect(said).toContain('note      manifest.json: it has version 13: what is not as in versions 4 to 12')
  })

  it('takes a test of a column that is not known for one of its table', async () => {
    writeProject()
    write('manifest.json', changed({}, { column_name: 'missing' }))
    await dbt('unknown')
    const test = await get('testCase', 'unknown.shop.main.revenue.unique_revenue_id')
    expect(test.testDefinition.fullyQualifiedName).toBe('dbtTest')
  })

  it('loads tests whose names are too long, have ::, or are those of other tests of their column', async () => {
    writeProject()
    const given = manifest('What came in.')
    const { 'test.shop.unique': unique } = given.nodes
    const long = `accepted_values_${'a_very_long_status__'.repeat(15)}`
    const names: Record<string, string> = {
      'test.shop.long': long,
      'test.shop.longer': `${long}s`,
      'test.shop.odd': 'is::known',
      'test.shop.unique': 'in_range',
      'test.shop.twin': 'in_range',
    }
    const nodes = Object.fromEntries(Object.entries(names).map(([id, name]) => [id, { ...unique, name }]))
    Object.assign(given.nodes, nodes)
    write('manifest.json', given)
    const results = Object.keys(names).map((unique_id) => {
      return { unique_id, status: unique_id === 'test.shop.unique' ? 'fail' : 'pass', message: null, timing: [] }
    })
    writeResults({ ...runResults('pass'), results })
    expect(await dbt('named')).toContain('5 results')
    const entity = 'named.shop.main.revenue.ID'
    const { data } = await http.get('/v1/dataQuality/testCases?limit=1000&fields=*')
    const tests = (data as JsonObject[]).filter(({ entityFQN }) => entityFQN === entity)
    const shown = tests.map(({ displayName, latestResult }) => [displayName, (latestResult as JsonObject)['status']])
    expect(shown.toSorted()).toEqual(
      Object.entries(names)
        .map(([id, name]) => [name, id === 'test.shop.unique' ? 'Failed' : 'Success'])
        .toSorted(),
    )
    for (const { name } of tests) expect(name).toMatch(/^.{1,243}-[\da-f]{12}$/)
    expect(await dbt('named')).toContain('Nothing has changed.')
  })

  it('states lineage and reports results also where the service refuses some of the tests', async () => {
    writeProject()
    write('manifest.json', changed({}, {}, { description: 'x'.repeat(limits.body.value) }))
    writeResults(runResults('pass'))
    const { code, stdout, stderr } = await load('dbt', folder, '--service', 'some')
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('lineage of 1, 1 results, 0 deleted, 0 left out, 1 failed'),
    ])
    expect(stderr).toContain('rule')
  })

  it('states the lineage of the other tables where that of one is too large', async () => {
    writeProject()
    await dbt('vast')
    const client = makeClient({ url: http.url, tokenOf: () => tokenFor('loader', ['Admin']) })
    const [from, table] = ['vast.shop.main.raw_orders', 'vast.shop.main.revenue']
    const large = { fullyQualifiedName: from, edges: [{ from: table, sql: 'x'.repeat(limits.bulkBody.value) }] }
    const small = { fullyQualifiedName: table, edges: [{ from, sql: 'select 1' }] }
    const crowded = {
      fullyQualifiedName: from,
      edges: Array.from({ length: 200 }, (_, at) => ({
        from: `vast.t${at}`,
        columns: Array.from({ length: 600 }, (__, of) => ({ from: ['a'], to: `c${of}` })),
      })),
    }
    const { changed, failures } = await writeLineage(client, 'vast', [crowded, small, large])
    expect([changed, failures]).toEqual([
      1,
      [
        { fullyQualifiedName: from, message: expect.stringContaining('400') },
        { fullyQualifiedName: from, message: expect.stringContaining('413') },
      ],
    ])
  })

  it('leaves out a result whose time is not a date, and says so', async () => {
    writeProject()
    writeResults(runResults('fail'), (text) => text.replace('2026-11-01T04:59:00Z', 'yesterday'))
    const said = await dbt('untimed')
    expect(said).toContain('1 results')
    expect(said).toContain(
      'note      untimed.shop.main.revenue.ID.unique_revenue_id: run_results.json does not tell when',
    )
  })

  it('reports the other results where one is refused, and says which', async () => {
    writeProject()
    writeResults(runResults('fail'), (text) => text.replace('2026-11-01T04:59:00Z', '2126-11-01T04:59:00Z'))
    const { code, stdout, stderr } = await load('dbt', folder, '--service', 'ahead')
    expect([code, stdout]).toEqual([1, expect.stringContaining('1 results, 0 deleted, 0 left out, 1 failed')])
    expect(stderr).toMatch(/ahead\.shop\.main\.revenue\.ID\.unique_revenue_id: .* must be in epoch/)
  })

  it('says what to do where the folder is none of dbt', async () => {
    const { code, stderr } = await load('dbt', tmpdir())
    expect(code).toBe(1)
    expect(stderr).toContain('run "dbt compile" or "dbt build" first')
  })
})

it('catalog load openlineage sends the events of a file, names those that are refused, and a second time changes nothing', async () => {
  const dataset = (name: string) => ({ namespace: 'nightly', name: `db.s.${name}` })
  const event = (eventType: string, job: object) => ({
    eventType,
    eventTime: '2026-01-01T00:00:00Z',
    run: { runId: '5355b91b-32b4-4477-b660-3adadee198b2' },
    job,
    inputs: [dataset('raw')],
    outputs: [dataset('daily'), { namespace: 's3://bucket', name: '/' }],
  })
  const job = { namespace: 'nightly', name: 'build' }
  const file = join(folder, 'events.ndjson')
  writeFileSync(file, ['START', 'COMPLETE'].map((state) => `${JSON.stringify(event(state, job))}\n`).join(''))
  const foreseen = () => loaded('openlineage', file, '--dry-run')
  expect(await foreseen()).toContain('events: 2 changed, 0 unchanged\n')
  await mustLack('pipeline', 'nightly.build')
  const said = await loaded('openlineage', file)
  expect(said).toContain('2 of 2 events changed the catalog')
  expect(said).toContain('note      s3://bucket /: no asset has such a name')
  await get('pipeline', 'nightly.build')
  const head = await http.head()
  expect(await foreseen()).toContain('events: 0 changed, 2 unchanged\n')
  expect(await foreseen()).toContain('note      s3://bucket /: no asset has such a name')
  expect(await loaded('openlineage', file)).toContain('Nothing has changed.')
  expect(await http.head()).toBe(head)
  writeFileSync(file, JSON.stringify([event('COMPLETE', { name: 'lost' })]))
  const told = await load('openlineage', file, '--dry-run')
  expect([told.code, told.stdout]).toEqual([1, expect.stringContaining('refused   lost')])
  const { code, stderr } = await load('openlineage', file)
  expect([code, stderr]).toEqual([1, expect.stringContaining('lost')])
  writeFileSync(file, '{"eventType": \n')
  expect((await load('openlineage', file)).stderr).toContain('is not JSON')
  writeFileSync(file, `${JSON.stringify(event('START', { ...job, name: 'other' }))}\n{"eventTime":`)
  const partial = await load('openlineage', file)
  expect([partial.code, partial.stdout]).toEqual([1, expect.stringContaining('1 of 1 events changed the catalog')])
  expect(partial.stdout).toContain('events.ndjson, line 2: it is not JSON.')
  writeFileSync(join(folder, 'short.csv'), 'database,schema,table\nd,s,t\nd,s\n')
  expect((await load('csv', join(folder, 'short.csv'), '--service', 's')).stderr).toContain('short.csv: Invalid Record')
  const cut = mkdtempSync(join(folder, 'cut-'))
  writeFileSync(join(cut, 'manifest.json'), '{"metadata":')
  expect((await load('dbt', cut)).stderr).toContain('manifest.json is not JSON')
})

/** A message of PostgreSQL's protocol: its type, its length and its content. */
const message = (type: string, content: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + content.length)
  return Buffer.concat([Buffer.from(type), length, content])
}

it('asks for the password of a database where it is missing or wrong', async () => {
  const signIn = (step: number, text: string) => message('R', Buffer.from(`\0\0\0${String.fromCharCode(step)}${text}`))
  const wrong = message('E', Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0'))
  for (const [answers, said] of [
    [[signIn(10, 'SCRAM-SHA-256\0\0'), signIn(11, 'r=r,s=s,i=1')], ''],
    [[wrong], 'password authentication failed. '],
  ] as const) {
    const left = [...answers]
    const answer = (socket: Socket) => (left.length > 1 ? socket.write(left.shift() ?? '') : socket.end(left[0] ?? ''))
    const server = createServer((socket) => socket.on('data', () => answer(socket)))
    const port = await new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
    const { code, stderr } = await load(`postgres://reader@127.0.0.1:${port}/shop`)
    server.close()
    expect([code, stderr]).toEqual([
      1,
      `catalog load: ${said}Check the user and the password, which can also be in PGPASSWORD.\n`,
    ])
  }
})

it('asks for the service where the address of a database has no host', async () => {
  const { code, stderr } = await load('postgres', 'postgres:///shop?host=/tmp')
  expect([code, stderr]).toEqual([1, expect.stringContaining('must not be empty: name it with --service NAME')])
  const bare = await load('postgres://reader@[::1]/shop', '--dry-run')
  expect([bare.code, bare.stderr]).toEqual([1, expect.stringContaining('"[::1]", must not have :: in it: name it')])
})

describe('catalog load csv', () => {
  const file = join(folder, 'columns.csv')

  it('loads documented columns, from a spreadsheet too', async () => {
    const lines = [
      '\ufeffDatabase;Schema;Table;Column;Type;Description',
      'db;s;orders;;;"Orders; all of them"',
      'db;s;orders;id;bigint;The key',
      'db;s;orders;names;text[];',
      'db;s;orders;place;"h3 cell";',
    ]
    writeFileSync(file, lines.join('\r\n'))
    expect(await loaded('csv', file, '--service', 'sheet')).toContain(
      'note      sheet.db.s.orders.place: the type h3 cell is not known: the data type is UNKNOWN',
    )
    expect(await get('table', 'sheet.db.s.orders', '?fields=columns')).toMatchObject({
      description: 'Orders; all of them',
      columns: [
        { name: 'id', dataType: 'BIGINT', description: 'The key' },
        { name: 'names', dataType: 'ARRAY', arrayDataType: 'TEXT' },
        { name: 'place', dataType: 'UNKNOWN', dataTypeDisplay: 'h3 cell' },
      ],
    })
  })

  it.each([
    ['database,table\nd,t', 'lacks schema'],
    [
      'database,schema,table,column,data_type,owner,\nd,s,t,c,int,ann,\n',
      'not known: data_type, owner. Its first line names its columns: database, schema, table, column, type, description, tags.',
    ],
    ['database,schema,table,description,Description\nd,s,t,a,b\n', 'has several columns description'],
    ['database,schema,table\n', 'has only headings'],
    ['database,schema,table\nd,,t', 'line 2: schema is empty'],
    ['database,schema,table\nd,s,t\r\nd,,t', 'line 3: schema is empty'],
    ['database,schema,table\rd,s,t\rd,,t', 'line 3: schema is empty'],
    ['database,schema,table\r\nd,s,t\nd,,t\n', 'line 3: schema is empty'],
    ['database,schema,table,tags\nd,s,t,a..b', 'line 2: a..b is not a tag'],
    ['database,schema,table,description\n\nd,s,t,"of two\nlines"\nd,,t,\n', 'line 5: schema is empty'],
  ])('names the place of a mistake: %j', async (text, message) => {
    writeFileSync(file, text)
    const { code, stderr } = await load('csv', file, '--service', 'sheet')
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })

  it.each([
    ['latin1', 'line 3: the text is not UTF-8'],
    ['utf16le', 'is UTF-16'],
  ] as const)('refuses a file in %s, and loads nothing', async (encoding, message) => {
    const text = 'database,schema,table,description\nd,s,t,plain\nd,s,u,Umsätze\n'
    writeFileSync(file, text, encoding)
    const head = await http.head()
    const { code, stderr } = await load('csv', file, '--service', 'sheet')
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(await http.head()).toBe(head)
  })

  it('follows a source that goes back to what it was before a load with --overwrite', async () => {
    const table = 'back.d.s.t'
    for (const [description, ...flags] of [['First.'], ['Second.', '--overwrite'], ['First.']] as const) {
      writeFileSync(file, `database,schema,table,description\nd,s,t,${description}\n`)
      await loaded('csv', file, '--service', 'back', ...flags)
      expect((await get('table', table)).description).toBe(description)
    }
    await describeBy('steward', table, 'By the steward.')
    await loaded('csv', file, '--service', 'back', '--overwrite')
    expect((await get('table', table)).description).toBe('First.')
  })

  it('previews what comes back with what it restores, and counts it', async () => {
    const write = (...tables: string[]) =>
      writeFileSync(file, ['database,schema,table', ...tables.map((table) => `d,${table}`)].join('\n'))
    const service = '/v1/services/databaseServices/name/back2'
    write('s,p1', 's,p2', 's,old', 's2,p3')
    await loaded('csv', file, '--service', 'back2')
    await answered(200, http.call('DELETE', byName(kindNamed('table'), 'back2.d.s.old')))
    await answered(200, http.call('DELETE', `${service}?recursive=true`))
    write('s,p1', 's,new')
    const preview = await loaded('csv', file, '--service', 'back2', '--dry-run')
    expect(preview).toContain('databaseSchemas: 0 new, 2 restored')
    expect(preview).toContain('tables: 1 new, 3 restored')
    for (const name of ['back2.d.s2', 'back2.d.s.p2', 'back2.d.s2.p3'])
      expect(preview).toContain(`restored  ${name}, which was deleted with what it stands in`)
    await loaded('csv', file, '--service', 'back2')
    const { data } = await http.get('/v1/tables?service=back2')
    expect(data.map(({ name }: { name: string }) => name).toSorted()).toEqual(['new', 'p1', 'p2', 'p3'])
  })

  it('previews what is kept and changed before what is new, and counts it', async () => {
    const table = (name: string, description: string) => `d,s,${name},${description}\n`
    const write = (...lines: string[]) => writeFileSync(file, `database,schema,table,description\n${lines.join('')}`)
    write(table('y', 'First.'), table('z', 'First.'))
    await loaded('csv', file, '--service', 'previewed')
    await describeBy('steward', 'previewed.d.s.z', 'By the steward.')
    write(
      ...Array.from({ length: 45 }, (_, at) => table(`t${at}`, 'New.')),
      ...['y', 'z'].map((name) => table(name, 'Second.')),
    )
    const preview = await loaded('csv', file, '--service', 'previewed', '--dry-run')
    expect(preview).toContain('tables: 45 new, 1 changed, 1 unchanged, 1 kept')
    expect(preview).toMatch(
      / kept +previewed\.d\.s\.z description, which steward wrote\n +changed +previewed\.d\.s\.y\n[^]*created/,
    )
    expect(preview).toMatch(/and \d+ more/)
  })

  it('separates by what separates the headings, and by nothing else', async () => {
    writeFileSync(file, 'database,schema,table,description\nd,s,t,keys; not\tnull\n')
    await loaded('csv', file, '--service', 'separated')
    expect((await get('table', 'separated.d.s.t')).description).toBe('keys; not\tnull')
  })

  it('keeps the columns of a table that a file only describes, and the types that it does not tell', async () => {
    const file = join(folder, 'described.csv')
    const loadLines = async (...lines: string[]) => {
      writeFileSync(file, lines.join('\n'))
      await loaded('csv', file, '--service', 'described')
    }
    await loadLines('database,schema,table,column,type,description', 'd,s,t,a,bigint,The key', 'd,s,t,b,text,')
    await loadLines('database,schema,table,description', 'd,s,t,What came in.')
    const both = [
      { name: 'a', dataType: 'BIGINT', description: 'The key' },
      { name: 'b', dataType: 'TEXT' },
    ]
    const table = () => get('table', 'described.d.s.t', '?fields=columns')
    expect(await table()).toMatchObject({ description: 'What came in.', columns: both })
    await loadLines('database,schema,table,column,description', 'd,s,t,a,The first key', 'd,s,t,c,')
    const changed = [
      { ...both[0], description: 'The first key' },
      { name: 'c', dataType: 'UNKNOWN' },
    ]
    expect((await table()).columns).toMatchObject(changed)
  })

  it('leaves the type of a service that exists as it is', async () => {
    writeProject()
    await dbt('typed')
    const file = join(folder, 'typed.csv')
    writeFileSync(file, 'database,schema,table,description\nshop,main,revenue,Of the spreadsheet.\n')
    expect(await loaded('csv', file, '--service', 'typed')).toContain('databaseServices: 0 new, 0 changed')
    expect((await get('databaseService', 'typed')).serviceType).toBe('DuckDB')
  })
})

it('a table that somebody has deleted is restored with the words that people wrote, and the preview says so', async () => {
  const file = join(folder, 'again.csv')
  const at = 'anew.d.s.t'
  const csv = (lines: string) => writeFileSync(file, `database,schema,table,column,type,description\n${lines}`)
  const args = ['csv', file, '--service', 'anew']
  csv('d,s,t,,,Of the sheet.\nd,s,t,a,int,\nd,s,t,b,int,\n')
  const said = await loaded(...args)
  const foreseen = await loaded('undo', undoOf(said), '--dry-run')
  expect(foreseen).toMatch(
    / {2}reverted {2}table anew.*\nNothing was written \(--dry-run\)\. It would be: 4 reverted\n$/,
  )
  await describeBy('ann', at, 'Of a person.')
  await http.remove(byName(kindNamed('table'), at), as('ann', 'Admin'))
  csv('d,s,t,,,Of the sheet.\nd,s,t,a,int,\n')
  const preview = await loaded(...args, '--dry-run')
  expect(preview).toContain('tables: 0 new, 1 restored, 0 changed, 0 unchanged')
  expect(preview).toContain(`restored  ${at}\n              columns.b removed\n`)
  expect(preview).toContain(`kept      ${at} description, which ann wrote`)
  await loaded(...args)
  expect((await get('table', at)).description).toBe('Of a person.')
  await http.remove(byName(kindNamed('table'), at), as('ann', 'Admin'))
  expect(await loaded(...args)).toContain('1 restored')
  expect((await get('table', at)).description).toBe('Of a person.')
  expect(await loaded(...args)).toContain('Nothing has changed.')
})

it('a load of more than can be undone as one request says so before it writes', async () => {
  const file = join(folder, 'many.csv')
  writeFileSync(file, 'database,schema,table\nd,s,t1\nd,s,t2\n')
  const foreseen = (most: number) => {
    setLimit('revertedEvents', most)
    return loaded('csv', file, '--service', 'many', '--dry-run')
  }
  // A service, a database and a schema are created, too.
  expect(await foreseen(5)).not.toContain('too many to be undone')
  expect(await foreseen(4)).toContain('more than 4 changes: too many to be undone with one command')
})

/** A database of its own. */
const database = async (server: string, statements: string) => {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  const name = `catalog_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.query(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await admin.query(`DROP DATABASE ${name}`)
    await admin.end()
  })
  await client.query(statements)
  return { url, name, query: (sql: string) => client.query(sql) }
}

/** A shop as it is at first. */
const shop = `
  CREATE TABLE customers (id serial PRIMARY KEY, email varchar(200) NOT NULL UNIQUE, words text[]);
  COMMENT ON COLUMN customers.email IS 'Where we write to.';
  CREATE TABLE orders (id bigint, line int, customer int REFERENCES customers, PRIMARY KEY (id, line));
  CREATE TABLE returns (id bigint PRIMARY KEY);
  CREATE VIEW emails AS SELECT email FROM customers;
  CREATE MATERIALIZED VIEW lines AS SELECT count(line) AS number FROM orders;
  CREATE TABLE logs (at date) PARTITION BY RANGE (at);
  CREATE TABLE logs_2026 PARTITION OF logs FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')`

/** Types that say more than their names, and a key to a table of partitions. */
const types = `
  CREATE SCHEMA sales;
  COMMENT ON SCHEMA sales IS 'What we sell.';
  CREATE DOMAIN sales.code AS varchar(12) NOT NULL;
  CREATE DOMAIN sales.sku AS sales.code CHECK (value <> '');
  CREATE TYPE sales.state AS ENUM ('open', 'closed');
  CREATE DOMAIN sales.known AS sales.state;
  CREATE DOMAIN sales.amounts AS numeric(12,3)[];
  CREATE TYPE time_slot AS (first time, last time);
  CREATE TYPE date_range AS RANGE (subtype = date);
  CREATE TABLE sales.orders (id int PRIMARY KEY) PARTITION BY RANGE (id);
  CREATE TABLE sales.orders_1 PARTITION OF sales.orders FOR VALUES FROM (0) TO (10);
  CREATE TABLE sales.orders_2 PARTITION OF sales.orders FOR VALUES FROM (10) TO (20);
  CREATE TABLE sales.lines (order_id int NOT NULL REFERENCES sales.orders, sku sales.sku, state sales.state,
                            price numeric(12,3), note char(5), mac macaddr8, states sales.state[], known sales.known,
                            amounts sales.amounts, slot time_slot, period date_range);
  CREATE TABLE public.empty ()`

/** The next day: a key, a word and a table have gone, a view reads more, and another one is a table now. */
const changedShop = `
  ALTER TABLE customers DROP CONSTRAINT customers_email_key, ALTER email DROP NOT NULL;
  ALTER TABLE orders DROP CONSTRAINT orders_pkey, DROP CONSTRAINT orders_customer_fkey;
  DROP TABLE returns;
  CREATE OR REPLACE VIEW emails AS SELECT email FROM customers JOIN orders ON customer = customers.id;
  DROP MATERIALIZED VIEW lines;
  CREATE TABLE lines (number bigint)`

describe.skipIf(skippedWithoutPostgres('catalog load postgres://'))('catalog load postgres://', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>

  beforeAll(async () => {
    postgres = await startPostgres()
  })

  afterAll(() => postgres.stop())

  // Nodes come in the order of their ids, which the random name of the database is a part of.
  const upstreamOf = async (fqn: string, asOf?: string) => {
    const query = asOf === undefined ? '' : `&asOf=${asOf}`
    const { nodes } = await upstream(fqn, `&down=0${query}`)
    return (nodes as { name: string }[])
      .slice(1)
      .map(({ name }) => name)
      .toSorted()
  }

  it('loads tables, views, keys and comments', async () => {
    const { url, name } = await database(postgres.url, shop)
    const at = `pg.${name}.public`
    await loaded(url, '--service', 'pg')
    expect(await get('table', `${at}.customers`, '?fields=columns')).toMatchObject({
      columns: [
        { name: 'id', dataType: 'INT', constraint: 'PRIMARY_KEY' },
        {
          name: 'email',
          dataTypeDisplay: 'character varying(200)',
          constraint: 'UNIQUE',
          description: 'Where we write to.',
        },
        { name: 'words', dataType: 'ARRAY', arrayDataType: 'TEXT' },
      ],
    })
    expect((await get('table', `${at}.orders`, '?fields=tableConstraints')).tableConstraints).toEqual([
      { constraintType: 'FOREIGN_KEY', columns: ['customer'], referredColumns: [`${at}.customers.id`] },
      { constraintType: 'PRIMARY_KEY', columns: ['id', 'line'] },
    ])
    expect((await get('table', `${at}.emails`)).tableType).toBe('View')
    const [edge] = (await upstream(`${at}.emails`, '&columns=true')).edges
    expect(edge.columns).toEqual([{ from: ['email'], to: 'email' }])
    await mustLack('table', `${at}.logs_2026`)
    expect(await loaded(url, '--service', 'pg')).toContain('Nothing has changed.')
  })

  it('takes a partition that a view reads or a key refers to for its table, and quotes the columns of keys', async () => {
    const { url, name } = await database(
      postgres.url,
      `CREATE TABLE logs (at date, "a.b" int, PRIMARY KEY (at, "a.b")) PARTITION BY RANGE (at);
       CREATE TABLE logs_2026 PARTITION OF logs FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
       CREATE VIEW recent AS SELECT at FROM logs_2026;
       CREATE TABLE notes (at date, number int, FOREIGN KEY (at, number) REFERENCES logs_2026);
       CREATE RULE noted AS ON INSERT TO recent DO INSTEAD INSERT INTO notes VALUES (new.at, 1)`,
    )
    await loaded(url, '--service', 'parts')
    const at = `parts.${name}.public`
    // Of the rules of a view only its query reads.
    expect(await upstreamOf(`${at}.recent`)).toEqual(['logs'])
    expect((await get('table', `${at}.notes`, '?fields=tableConstraints')).tableConstraints).toMatchObject([
      { referredColumns: [`${at}.logs.at`, `${at}.logs."a.b"`] },
    ])
  })

  it('tells tables of one name apart, of which a view names one without its schema', async () => {
    const { url, name } = await database(
      postgres.url,
      `CREATE TABLE sold (id int, amount int);
       CREATE SCHEMA raw;
       CREATE TABLE raw.sold (id int, amount int);
       CREATE VIEW gained AS SELECT one.id, two.amount FROM sold one JOIN raw.sold two ON one.id = two.id`,
    )
    expect(await loaded(url, '--service', 'apart')).not.toContain('cannot read')
    const { nodes, edges } = await upstream(`apart.${name}.public.gained`, '&down=0&columns=true')
    const schemas = new Map(objectsOf(nodes).map(({ id, fullyQualifiedName }) => [id, String(fullyQualifiedName)]))
    const read = objectsOf(edges).map(({ from, columns }) => [schemas.get(from as string), columns])
    expect(Object.fromEntries(read)).toEqual({
      [`apart.${name}.public.sold`]: [{ from: ['id'], to: 'id' }],
      [`apart.${name}.raw.sold`]: [{ from: ['amount'], to: 'amount' }],
    })
  })

  it('comes to rest beside a dbt project of the same database', async () => {
    const { url, name } = await database(
      postgres.url,
      `CREATE TYPE mood AS ENUM ('glad');
       CREATE DOMAIN email AS varchar(100);
       CREATE TABLE revenue (id bigint, feel mood, feels mood[], mail email);
       COMMENT ON TABLE revenue IS 'Of the database.';
       CREATE VIEW latest AS SELECT id FROM revenue`,
    )
    const place = { database: name, schema: 'public', description: 'Of the project.' }
    const latest = { ...place, config: { materialized: 'view' }, compiled_code: 'select id from base' }
    const nodes = {
      'model.rest.revenue': model('revenue', { ...place, compiled_code: 'select 1 as id' }),
      'model.rest.latest': model('latest', latest),
    }
    const metadata = { adapter_type: 'postgres', project_name: 'rest' }
    write('manifest.json', { metadata, nodes })
    const types = { id: 'bigint', feel: 'mood', feels: 'mood[]', mail: 'email' }
    const columns = Object.entries(types).map(([column, type], index) => [column, { name: column, type, index }])
    const relation = { metadata: { type: 'BASE TABLE' }, columns: Object.fromEntries(columns) }
    write('catalog.json', { nodes: { 'model.rest.revenue': relation } })
    await loaded(url, '--service', 'rest')
    await dbt('rest')
    expect(await loaded(url, '--service', 'rest')).toContain('Nothing has changed.')
    expect(await dbt('rest')).toContain('Nothing has changed.')
    expect(await get('table', `rest.${name}.public.revenue`)).toMatchObject({
      description: 'Of the project.',
      schemaDefinition: 'select 1 as id',
      columns: [
        { dataType: 'BIGINT' },
        { dataType: 'ENUM' },
        { arrayDataType: 'ENUM' },
        { dataType: 'VARCHAR', dataLength: 100 },
      ],
    })
    expect(await dbt('fresh')).toContain('the type mood is not known')
    await loaded(url, '--service', 'fresh')
    expect(await dbt('fresh')).not.toContain('is not known')
    expect(await dbt('fresh')).toContain('Nothing has changed.')
  })

  it('loads domains, arrays, enumerations and other types of the database, sizes of types, comments of the database and its schemas, and each key once', async () => {
    const { url, name, query } = await database(postgres.url, types)
    await query(`COMMENT ON DATABASE ${name} IS 'All of it.'`)
    await loaded(url, '--service', 'types')
    const at = `types.${name}`
    const columnsOf = async () => {
      const { columns } = await get('table', `${at}.sales.lines`, '?fields=columns')
      return columns.map((column: object) => {
        const { fullyQualifiedName, ordinalPosition, ...others } = column as Record<string, unknown>
        expect([fullyQualifiedName, ordinalPosition]).toEqual([expect.any(String), expect.any(Number)])
        return others
      })
    }
    expect(await columnsOf()).toEqual([
      { name: 'order_id', dataType: 'INT', dataTypeDisplay: 'integer', constraint: 'NOT_NULL' },
      { name: 'sku', dataType: 'VARCHAR', dataLength: 12, dataTypeDisplay: 'sales.sku', constraint: 'NOT_NULL' },
      { name: 'state', dataType: 'ENUM', dataTypeDisplay: 'sales.state', constraint: 'NULL' },
      {
        name: 'price',
        dataType: 'NUMERIC',
        precision: 12,
        scale: 3,
        dataTypeDisplay: 'numeric(12,3)',
        constraint: 'NULL',
      },
      { name: 'note', dataType: 'CHAR', dataLength: 5, dataTypeDisplay: 'character(5)', constraint: 'NULL' },
      { name: 'mac', dataType: 'MACADDR', dataTypeDisplay: 'macaddr8', constraint: 'NULL' },
      {
        name: 'states',
        dataType: 'ARRAY',
        arrayDataType: 'ENUM',
        dataTypeDisplay: 'sales.state[]',
        constraint: 'NULL',
      },
      { name: 'known', dataType: 'ENUM', dataTypeDisplay: 'sales.known', constraint: 'NULL' },
      {
        name: 'amounts',
        dataType: 'ARRAY',
        arrayDataType: 'NUMERIC',
        dataTypeDisplay: 'sales.amounts',
        constraint: 'NULL',
      },
      { name: 'slot', dataType: 'STRUCT', dataTypeDisplay: 'time_slot', constraint: 'NULL' },
      { name: 'period', dataType: 'UNKNOWN', dataTypeDisplay: 'date_range', constraint: 'NULL' },
    ])
    expect((await get('table', `${at}.sales.lines`, '?fields=tableConstraints')).tableConstraints).toEqual([
      { constraintType: 'FOREIGN_KEY', columns: ['order_id'], referredColumns: [`${at}.sales.orders.id`] },
    ])
    expect((await get('database', at)).description).toBe('All of it.')
    expect((await get('databaseSchema', `${at}.sales`)).description).toBe('What we sell.')
    expect((await get('databaseSchema', `${at}.public`)).description).toBeUndefined()
    await query('ALTER TABLE sales.lines ALTER price TYPE text, ALTER note TYPE text')
    await loaded(url, '--service', 'types')
    const now = { dataType: 'TEXT', dataTypeDisplay: 'text', constraint: 'NULL' }
    expect((await columnsOf()).slice(3, 5)).toEqual([
      { name: 'price', ...now },
      { name: 'note', ...now },
    ])
  })

  it('loads what has changed, sweeps what is gone and is undone, and lineage tells each of the three days', async () => {
    const { url, name, query } = await database(postgres.url, shop)
    const at = `days.${name}.public`
    await loaded(url, '--service', 'days')
    const first = await http.head()
    await query(changedShop)
    expect(await loaded(url, '--service', 'days', '--sweep', '--dry-run')).toContain(`deleted   ${at}.returns`)
    expect(await http.head()).toBe(first)
    const said = await loaded(url, '--service', 'days', '--sweep')
    const second = await http.head()
    await mustLack('table', `${at}.returns`)
    // As long as what stands is what the preview has shown.
    const [begun] = (await http.get(`/v1/events?after=${first}&limit=1`)).data
    expect([begun.type, begun.subject]).toEqual(['catalog.table.SoftDeleted', `${at}.returns`])
    const lines = await get('table', `${at}.lines`, '?fields=*')
    expect([lines.tableType, lines.schemaDefinition]).toEqual(['Regular', undefined])
    expect((await get('table', `${at}.orders`, '?fields=*')).tableConstraints).toEqual([])
    const { columns } = await get('table', `${at}.customers`, '?fields=columns')
    expect(columns[1]).toMatchObject({ name: 'email', constraint: 'NULL' })
    expect(await loaded(url, '--service', 'days', '--sweep')).toContain('Nothing has changed.')
    await loaded('undo', undoOf(said))
    await get('table', `${at}.returns`)
    const days = [`@${first}`, `@${second}`, undefined]
    expect(await Promise.all(days.map((day) => upstreamOf(`${at}.emails`, day)))).toEqual([
      ['customers'],
      ['customers', 'orders'],
      ['customers'],
    ])
    expect(await Promise.all(days.map((day) => upstreamOf(`${at}.lines`, day)))).toEqual([['orders'], [], ['orders']])
    expect((await get('table', `${at}.customers`, '?fields=columns')).columns[1].constraint).toBe('UNIQUE')
  })

  it('states the lineage of a view without what the catalog refuses, which fails once', async () => {
    const { url, name } = await database(
      postgres.url,
      `${shop}; CREATE TABLE "a::b" (id int); CREATE VIEW joined AS SELECT email FROM customers JOIN "a::b" USING (id)`,
    )
    const { code, stdout, stderr } = await load(url, '--service', 'refusing')
    expect([code, stdout]).toEqual([1, expect.stringContaining('1 failed')])
    expect(stderr).toContain('a::b')
    expect(await upstreamOf(`refusing.${name}.public.joined`)).toEqual(['customers'])
  })

  it('says what to do about an address that is not a URL, and about a database that gives too little time', async () => {
    for (const password of ['a/b', '%ff', 'top@secret.invalid/b']) {
      const noUrl = await load(`postgres://reader:${password}@127.0.0.1/shop`)
      expect([noUrl.code, noUrl.stderr]).toEqual([1, expect.stringContaining('Encode special characters')])
      expect(noUrl.stderr).not.toContain('secret')
    }
    const { url, name, query } = await database(postgres.url, shop)
    await query(`ALTER DATABASE ${name} SET statement_timeout = 1`)
    const many = Array.from({ length: 300 }, (_, at) => `CREATE TABLE t${at} (a int, b int, c int)`)
    await query(many.join(';'))
    const late = await load(url, '--service', 'late')
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('statement_timeout=60s')])
  })

  it('is refused before it writes anything where it would sweep too much', async () => {
    const { url, name, query } = await database(postgres.url, shop)
    const at = `much.${name}.public`
    await loaded(url, '--service', 'much')
    await query('DROP VIEW emails; DROP TABLE returns, logs; COMMENT ON TABLE orders IS $$New.$$')
    const [head, args] = [await http.head(), [url, '--service', 'much', '--sweep']]
    const refusal = '3 of 6 were not seen, more than a third'
    const foreseen = await load(...args, '--dry-run')
    expect([foreseen.code, foreseen.stdout]).toEqual([1, expect.stringContaining(refusal)])
    const { code, stdout, stderr } = await load(...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(refusal)])
    expect(stdout).not.toContain('Undo')
    expect(await http.head()).toBe(head)
    expect(await loaded(...args, '--confirm')).toContain('3 deleted')
    expect((await get('table', `${at}.orders`)).description).toBe('New.')
  })
})

/** A contract about a table, in the database and schema of its server. */
const document = (object: string, limits: string, schema = 'public') => `apiVersion: v3.1.0
kind: DataContract
id: ${object}-1
name: ${object} contract
version: 1.0.0
status: active
description:
  limitations: ${limits}
servers:
  - { server: production, type: postgres, host: localhost, port: 5432, database: shop, schema: ${schema} }
schema:
  - name: ${object}
    physicalName: ${object.toUpperCase()}
    properties:
      - { name: id, logicalType: integer, physicalType: bigint }
`

it('names each table that is refused by its own place, also where several have the same name', async () => {
  const file = join(folder, 'refused.csv')
  writeFileSync(file, 'database,schema,table\nd,one,a::b\nd,two,a::b\n')
  const { code, stderr } = await load('csv', file, '--service', 'refused')
  expect(code).toBe(1)
  expect(stderr).toMatch(/refused\.d\.one\.a::b: .*\n.*refused\.d\.two\.a::b: /)
})

/** Loads tables of a database, each given as `schema,table,column,type`. */
const loadTables = async (service: string, database: string, ...tables: string[]): Promise<void> => {
  const lines = tables.map((table) => `${database},${table}\n`)
  const file = join(folder, `${service}.csv`)
  writeFileSync(file, `database,schema,table,column,type\n${lines.join('')}`)
  await loaded('csv', file, '--service', service)
}

/** A folder of contracts, and the command that loads it. */
const contractsFor = (service: string) => {
  const contracts = mkdtempSync(join(folder, `${service}-`))
  const write = (name: string, text: string) => writeFileSync(join(contracts, name), text)
  return { contracts, write, args: ['odcs', contracts, '--service', service] }
}

/** The contract of a table. */
const contractOf = async (fqn: string) => {
  const { id } = await get('table', fqn)
  return http.get(`/v1/dataContracts/entity?entityId=${id}&entityType=table&fields=*`)
}

describe('catalog load odcs', () => {
  it('restores a contract that was deleted, as by undoing the load', async () => {
    await loadTables('deleted', 'shop', 'public,orders,id,bigint')
    const { write, args } = contractsFor('deleted')
    write('orders.yaml', document('orders', 'none'))
    await loaded('undo', undoOf(await loaded(...args)))
    const preview = 'dataContracts: 0 new, 1 restored, 0 changed, 0 unchanged'
    const tried = await loaded(...args, '--dry-run')
    expect(tried).toContain(preview)
    expect(tried).toMatch(/restored {2}deleted\.shop\.public\.orders.*\n\S/)
    expect(await loaded(...args)).toContain('1 written')
    const { id } = await contractOf('deleted.shop.public.orders')
    await answered(200, http.call('DELETE', `/v1/dataContracts/${id}`))
    write('orders.yaml', document('orders', 'of one day'))
    expect(await loaded(...args)).toContain(preview)
    expect(await contractOf('deleted.shop.public.orders')).toMatchObject({
      description: expect.stringContaining('one day'),
    })
  })

  it('puts contracts on the tables that they name, names those without one, and is undone', async () => {
    const tables = ['public,orders', 'archive,orders', 'public,customers']
    await loadTables('promised', 'shop', ...tables.map((table) => `${table},id,bigint`))
    const { write, args } = contractsFor('promised')
    write('orders.yaml', document('orders', 'none'))
    write('customers.yml', document('customers', 'none', 'elsewhere'))
    write('lost.yaml', document('nobody', 'none'))
    write('broken.yaml', 'apiVersion: v3.1.0\n')
    const head = await http.head()
    const { code: foreseen, stdout: tried } = await load(...args, '--dry-run')
    expect(foreseen).toBe(1)
    expect(tried).toContain('created   promised.shop.public.orders')
    expect(tried).toContain('created   promised.shop.public.customers')
    expect(tried).toContain('lost.yaml, nobody: nothing is named NOBODY')
    expect(tried).toMatch(/broken\.yaml: .*needs the member/)
    expect(await http.head()).toBe(head)
    const { code, stdout } = await load(...args)
    expect([code, stdout]).toEqual([1, expect.stringContaining('2 written')])
    expect(stdout).toContain('2 left out')
    const ordersNow = () => contractOf('promised.shop.public.orders')
    const customersNow = () => contractOf('promised.shop.public.customers')
    expect((await ordersNow()).description).toContain('none')
    const loadedHead = await http.head()
    expect((await load(...args)).stdout).toContain('Nothing has changed.')
    expect(await http.head()).toBe(loadedHead)
    write('orders.yaml', document('orders', 'of one day'))
    expect((await load(...args)).stdout).toContain('1 written')
    expect((await ordersNow()).description).toContain('of one day')
    await patch('dataContract', (await ordersNow()).fullyQualifiedName, { description: 'By the steward.' })
    write('orders.yaml', document('orders', 'of two days'))
    expect((await load(...args)).stdout).toContain('description, which steward wrote')
    expect((await ordersNow()).description).toBe('By the steward.')
    expect((await load(...args, '--overwrite')).stdout).toContain('1 written')
    expect((await ordersNow()).description).toContain('of two days')
    write('customers.yml', document('customers', 'many', 'elsewhere'))
    const last = await load(...args)
    await loaded('undo', undoOf(last.stdout))
    expect((await customersNow()).description).toContain('none')
    expect((await load(...args)).stdout).toContain('1 written')
    write('customers.yml', document('customers', 'many', 'elsewhere').replace('1.0.0', '2.0.0'))
    const { fullyQualifiedName } = await customersNow()
    const exported = () => get('dataContract', fullyQualifiedName, '/odcs')
    const newer = await load(...args)
    expect(await exported()).toMatchObject({ version: '2.0.0' })
    await loaded('undo', undoOf(newer.stdout))
    expect(await exported()).toMatchObject({ version: '1.0.0' })
    expect((await load(...args)).stdout).toContain('1 written')
    expect(await exported()).toMatchObject({ version: '2.0.0' })
  })

  it('follows links, each file once, and goes on where a file cannot be read', async () => {
    const contracts = mkdtempSync(join(folder, 'linked-'))
    const [elsewhere, inside] = [mkdtempSync(join(folder, 'elsewhere-')), join(contracts, 'inside')]
    for (const each of [inside, join(contracts, 'folder.yaml')]) mkdirSync(each)
    writeFileSync(join(elsewhere, 'orders.yaml'), document('orders', 'none'))
    writeFileSync(join(contracts, 'folder.yaml', 'stock.json'), '{')
    symlinkSync(elsewhere, join(contracts, 'shared'))
    symlinkSync(contracts, join(inside, 'loop'))
    symlinkSync(join(elsewhere, 'orders.yaml'), join(contracts, 'twice.yaml'))
    symlinkSync('nowhere', join(contracts, 'broken.yaml'))
    const { contracts: found = [], problems = [] } = await readContracts(contracts, undefined)
    expect(found.map(({ file }) => file)).toEqual([join('shared', 'orders.yaml')])
    expect(problems.map(({ fullyQualifiedName }) => fullyQualifiedName)).toEqual([
      'broken.yaml',
      join('folder.yaml', 'stock.json'),
    ])
  })

  it('sends documents as they were written, each asset one, and shows what changes', async () => {
    const tables = ['public,prices', 'archive,prices', 'public,stock']
    await loadTables('exact', 'shop', ...tables.map((table) => `${table},id,bigint`))
    const { contracts, write, args } = contractsFor('exact')
    const more =
      '# Not to be lost.\ncustomProperties:\n  - { property: a, value: 0.10 }\n  - { property: b, value: 12345678901234567890 }\n'
    const text = `${document('stock', 'none')}${more}`
    write('stock.yaml', text)
    await loaded(...args)
    const { fullyQualifiedName } = await contractOf('exact.shop.public.stock')
    const exported = () => get('dataContract', fullyQualifiedName, '/odcs/yaml')
    expect(await exported()).toBe(text)
    expect(await loaded(...args)).toContain('Nothing has changed.')
    write('stock.yaml', `${text}slaProperties:\n  - { property: latency, value: 4, unit: h }\n`)
    expect(await loaded(...args)).toContain('1 written')
    expect(await exported()).toContain('latency')
    write('stock.yaml', text)
    expect(await loaded(...args)).toContain('1 written')
    expect(await exported()).toBe(text)
    write('stock.yaml', text.replace('Not to be', 'Never'))
    expect(await loaded(...args)).toContain('1 written')
    expect(await exported()).toContain('# Never lost.')
    write('stock.yaml', text.replace('limitations: none', 'limitations: some'))
    expect(await loaded(...args, '--dry-run')).toMatch(/changed .*\n {14}description\n(?! {14})/)
    const terms = { termsOfUse: 'Of a person.' }
    await patch('dataContract', fullyQualifiedName, terms)
    expect(await loaded(...args)).toContain('1 written')
    expect(await get('dataContract', fullyQualifiedName, '?fields=*')).toMatchObject(terms)
    write('stock.yaml', text)
    await loaded(...args)
    write('stock.yaml', text.replace('Not to be', 'Never'))
    await loaded(...args)
    write('twice.yaml', document('stock', 'others'))
    const twice = await load(...args)
    expect([twice.code, twice.stdout]).toEqual([1, expect.stringContaining('stock.yaml and twice.yaml')])
    expect(await exported()).toContain('# Never lost.')
    rmSync(join(contracts, 'twice.yaml'))
    write('prices.yaml', document('prices', 'none', 'nowhere').replace('database: shop', 'database: other'))
    expect((await load(...args)).stdout).toMatch(
      /prices.yaml, prices: several are named PRICES, .* Name the database and/,
    )
  })

  it('puts a contract on the table of the very name and place, where others differ only in case', async () => {
    const tables = ['public,item', 'public,Item', 'Public,item'].map((table) => `${table},id,bigint`)
    await loadTables('cased', 'shop', ...tables)
    const { write, args } = contractsFor('cased')
    const named = (name: string, schema?: string) =>
      document(name, `of ${name}`, schema)
        .replace(/ *physicalName.*\n/, '')
        .replaceAll('-1', schema ?? '')
    write('lower.yaml', named('item'))
    write('upper.yaml', named('Item'))
    write('schema.yaml', named('item', 'Public'))
    expect(await loaded(...args)).toContain('3 written')
    for (const [fqn, id] of [
      ['public.item', 'item'],
      ['public.Item', 'Item'],
      ['Public.item', 'itemPublic'],
    ])
      expect(await get('dataContract', `cased.shop.${fqn}."${fqn?.split('.')[1]} contract"`, '/odcs')).toMatchObject({
        id,
      })
  })

  it('keeps what people wrote in columns, service levels and policies', async () => {
    await loadTables('inside', 'shop', 'public,inner,id,bigint', 'public,inner,amount,bigint')
    const { write, args } = contractsFor('inside')
    const more =
      '      - { name: id, logicalType: integer, description: Of the document. }\n      - { name: amount, logicalType: number }\n' +
      'slaProperties:\n  - { property: latency, value: 4, unit: h }\n  - { property: retention, value: 3, unit: y }\n' +
      'roles:\n  - { role: reader, access: read }\n'
    write('inner.yaml', `${document('inner', 'none').replace(/ *- \{ name: id.*\n$/, '')}${more}`)
    await loaded(...args)
    const address = `/v1/dataContracts/${(await contractOf('inside.shop.public.inner')).id as string}`
    const ann = as('ann', 'Admin')
    const patched = (path: string, value: string | number | object) =>
      http.patch(address, [{ op: 'add', path, value }], { ...ann, ...jsonPatch })
    const added = await patched('/schema/1/description', 'By Ann.')
    expect(await loaded(...args)).toContain('Nothing has changed.')
    expect((await http.get(address)).version).toBe(added.version)
    for (const [path, value, said] of [
      ['/schema/0/description', 'By Ann.', 'schema.id.description'],
      ['/sla/latency', 5, 'sla.latency'],
      ['/security/policies', [{ accessPolicy: 'By Ann.' }], 'security.policies'],
    ] as const) {
      const { version } = await patched(path, value)
      const again = await loaded(...args)
      expect(again).toContain(`${said}, which ann wrote`)
      expect(again).toContain('Nothing has changed.')
      expect((await http.get(address)).version).toBe(version)
    }
    expect(await loaded(...args, '--overwrite')).toContain('1 written')
    await http.patch(address, { sla: null }, ann)
    expect(await loaded(...args)).toMatch(/sla, which ann cleared\n(.*\n)*Nothing has changed\./)
  })

  it.skipIf(process.env['CATALOG_TEST_SHARED'] === undefined)('reads the examples of public projects', async () => {
    const examples = join(process.env['CATALOG_TEST_SHARED'] as string, 'odcs', 'examples', 'v3.1.0')
    const columns = ['transaction_reference_date', 'rcvr_id', 'rcvr_cntry_code']
    await loadTables('edw', 'pypl-edw', ...columns.map((name) => `pp_access_views,tbl_1,${name},text`))
    const { code: foreseen, stdout: tried } = await load('odcs', examples, '--service', 'edw', '--dry-run')
    expect(foreseen).toBe(1)
    expect(tried).toContain('created   edw.pypl-edw.pp_access_views.tbl_1')
    expect(tried).toContain('left out')
    const { code: status, stdout, stderr } = await load('odcs', examples, '--service', 'edw')
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(/\n[1-9]\d* written, .* 0 failed/)
    expect((await load('odcs', examples, '--service', 'edw')).stdout).toContain('Nothing has changed.')
  })
})
