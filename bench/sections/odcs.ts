import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { call, type Bench, type Section } from '../context.ts'
import { whole } from '../report.ts'

const tables = 68
const propertiesOfTable = 24

const property = (table: number, index: number) => ({
  name: `column_${index}`,
  physicalType: 'varchar(255)',
  logicalType: index % 3 === 0 ? 'integer' : 'string',
  required: index === 0,
  primaryKey: index === 0,
  description: `Value ${index} of table ${table}: what it is, and where it comes from.`,
  tags: ['sample', `group_${index % 5}`],
  quality: index % 6 === 0 ? [{ type: 'text', description: 'Never empty on working days.' }] : [],
})

/** A v3.1.0 document with so many schema objects. */
const madeDocument = (): string =>
  stringify({
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    id: '53581432-6c55-4ba2-a65f-72344a91553a',
    name: 'everything',
    version: '1.0.0',
    status: 'active',
    schema: Array.from({ length: tables }, (_, table) => ({
      name: `table_${table}`,
      physicalName: `table_${table}`,
      logicalType: 'object',
      description: `Rows of table ${table}.`,
      properties: Array.from({ length: propertiesOfTable }, (__, index) => property(table, index)),
    })),
  })

/** The largest document of the reference data, when that is there; else one made by code. */
const largest = async (): Promise<{ text: string; from: string }> => {
  const folder = process.env['CATALOG_TEST_SHARED']
  if (folder === undefined) return { text: madeDocument(), from: 'made by code' }
  const root = join(folder, 'odcs/examples')
  const names = (await readdir(root, { recursive: true })).filter((name) => /\.ya?ml$/.test(name))
  const texts = await Promise.all(
    names.map(async (name) => ({ text: await readFile(join(root, name), 'utf8'), from: name })),
  )
  const readable = texts.filter(({ text }) => /^apiVersion:\s*["']?v3/m.test(text))
  return readable.toSorted((a, b) => b.text.length - a.text.length)[0] ?? { text: madeDocument(), from: 'made by code' }
}

const rounds = 7

const medianOf = async (work: () => Promise<unknown> | unknown): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    await work()
    times.push(performance.now() - begun)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] as number
}

const line = (bench: Bench, operation: string, ours: number, library: number, what: string): void =>
  bench.add({
    operation,
    value: `${ours.toFixed(1)} ms`,
    note: `${(ours / library).toFixed(2)} times what yaml.${what} takes (${library.toFixed(1)} ms)`,
  })

/** Large ODCS documents against the YAML library alone. */
export const odcs: Section = {
  name: 'odcs',
  title: 'ODCS',
  loaded: false,
  blocks: true,
  measure: async (bench) => {
    const { text, from } = await largest()
    const document = parse(text) as { schema?: { name: string }[] }
    bench.add({
      operation: 'ODCS document',
      value: `${whole(text.length / 1024)} KiB`,
      note: `${from}; ${document.schema?.length ?? 0} objects`,
    })
    const parsing = await medianOf(() => parse(text))
    const writing = await medianOf(() => stringify(document))
    const yaml = 'application/yaml'
    line(
      bench,
      'ODCS parse',
      await medianOf(() => call(bench, 'POST', '/api/v1/dataContracts/odcs/parse/yaml', text, yaml)),
      parsing,
      'parse',
    )
    const id = await makeAsset(bench)
    const objectName = document.schema?.[0]?.name ?? ''
    const query = `entityId=${id}&entityType=table&objectName=${encodeURIComponent(objectName)}`
    let contract = ''
    const importing = await medianOf(async () => {
      contract = (await call(bench, 'PUT', `/api/v1/dataContracts/odcs/yaml?${query}`, text, yaml)).json()[
        'id'
      ] as string
    })
    line(bench, 'ODCS import', importing, parsing, 'parse')
    line(
      bench,
      'ODCS export',
      await medianOf(() => call(bench, 'GET', `/api/v1/dataContracts/${contract}/odcs/yaml`)),
      writing,
      'stringify',
    )
  },
}

/** A table without columns takes any document. */
const makeAsset = async (bench: Bench): Promise<string> => {
  await call(bench, 'PUT', '/api/v1/services/databaseServices', { name: 'odcs', serviceType: 'Postgres' })
  await call(bench, 'PUT', '/api/v1/databases', { name: 'main', service: 'odcs' })
  await call(bench, 'PUT', '/api/v1/databaseSchemas', { name: 'main', database: 'odcs.main' })
  const { id } = (
    await call(bench, 'PUT', '/api/v1/tables', { name: 'document', databaseSchema: 'odcs.main.main' })
  ).json()
  return id as string
}
