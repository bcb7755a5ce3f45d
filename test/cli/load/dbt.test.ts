import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { useHttp } from '../../http/support.ts'
import type { SourceEdge } from '../../../src/cli/load/content.ts'
import { tokenFor } from '../../support/service.ts'
import { catalog } from '../../support/commandLine.ts'

const http = useHttp()
const folder = mkdtempSync(join(tmpdir(), 'catalog-dbt-'))

afterAll(() => rmSync(folder, { recursive: true }))

const load = (...args: string[]) =>
  catalog(['load', ...args, '--url', http.url, '--token', tokenFor('loader', ['Admin'])], { CATALOG_DATA_DIR: folder })

const loaded = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await load(...args)
  expect(code, `${stdout}${stderr}`).toBe(0)
  return stdout
}

/** Loads artifacts into a service. */
const dbt = async (service: string, artifacts: Readonly<Record<string, object>>, ...flags: string[]) => {
  const target = mkdtempSync(join(folder, 'target-'))
  for (const [name, content] of Object.entries(artifacts))
    writeFileSync(join(target, `${name}.json`), JSON.stringify(content))
  return loaded('dbt', target, '--service', service, ...flags)
}

const table = (name: string, more: object = {}) => ({
  resource_type: 'model',
  database: 'd',
  schema: 's',
  name,
  columns: {},
  config: { materialized: 'table' },
  depends_on: { nodes: [] },
  ...more,
})

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
  expect(said).toContain('lineage of 0')
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
