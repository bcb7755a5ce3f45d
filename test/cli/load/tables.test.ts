import { expect, test } from 'vitest'
import type { ApiClient } from '../../../src/cli/client/apiClient.ts'
import type { SourceStep } from '../../../src/cli/load/content.ts'
import { planLoad } from '../../../src/cli/load/plan.ts'
import { tableSteps, unknownTypes } from '../../../src/cli/load/tables.ts'
import { objectsOf, type JsonObject } from '../../../src/shared/json.ts'

const columnOf = (type: string) => {
  const columns = [{ name: 'a', type }]
  const table = { database: 'd', schema: 's', name: 't', columns, members: {} }
  const body = tableSteps({ name: 'w', type: 'Postgres' }, [table]).at(-1)?.entities[0]?.body
  return objectsOf(body?.['columns'])[0]
}

test.each([
  ['Nullable(Decimal(18, 4))', { dataType: 'DECIMAL', precision: 18, scale: 4 }],
  ['Decimal64(4)', { dataType: 'DECIMAL', precision: null, scale: null }],
  ['Array(LowCardinality(String))', { dataType: 'ARRAY', arrayDataType: 'STRING' }],
  ['Map(String, UInt64)', { dataType: 'MAP' }],
  ['FixedString(16)', { dataType: 'CHAR', dataLength: 16 }],
  ['VARCHAR2(20 CHAR)', { dataType: 'VARCHAR', dataLength: 20 }],
  ['NUMBER(10, -2)', { dataType: 'NUMBER', precision: 10, scale: -2 }],
  ['NCLOB', { dataType: 'CLOB' }],
  ['LONG VARCHAR', { dataType: 'VARCHAR' }],
  ['long vargraphic', { dataType: 'VARCHAR' }],
  ['LONG VARCHAR(20) COLLATE x', { dataType: 'VARCHAR', dataLength: 20 }],
  ['LONG', { dataType: 'LONG' }],
  ['bit varying(8)', { dataType: 'UNKNOWN' }],
  ['bit(8)', { dataType: 'UNKNOWN' }],
  ['BIT (12)[]', { dataType: 'ARRAY', arrayDataType: 'UNKNOWN' }],
  ['bit(1)', { dataType: 'BIT' }],
  ['BIT', { dataType: 'BIT' }],
  ['time_slot', { dataType: 'UNKNOWN' }],
  ['map_point[]', { dataType: 'ARRAY', arrayDataType: 'UNKNOWN' }],
  ['TIMESTAMP_NS', { dataType: 'TIMESTAMP' }],
  ['int unsigned zerofill', { dataType: 'INT' }],
  ['character varying(20) collate "de_DE"', { dataType: 'VARCHAR', dataLength: 20 }],
  ['timestamp(3) with time zone', { dataType: 'TIMESTAMPZ' }],
  ['character varying(20)', { dataType: 'VARCHAR', dataLength: 20 }],
  ['text[]', { dataType: 'ARRAY', arrayDataType: 'TEXT' }],
  ['int4', { dataType: 'INT' }],
  ['UBIGINT', { dataType: 'UINT' }],
  ['BIGNUM', { dataType: 'LARGEINT' }],
  ['INTEGER[3]', { dataType: 'ARRAY', arrayDataType: 'INT' }],
  ['FLOAT[384]', { dataType: 'ARRAY', arrayDataType: 'FLOAT' }],
  ['INTEGER[][3]', { dataType: 'ARRAY', arrayDataType: 'ARRAY' }],
  ['DECIMAL(18, 3)[2]', { dataType: 'ARRAY', arrayDataType: 'DECIMAL', precision: null }],
  ['integer ARRAY', { dataType: 'ARRAY', arrayDataType: 'INT' }],
  ['integer ARRAY[4]', { dataType: 'ARRAY', arrayDataType: 'INT' }],
  ['STRUCT(a INTEGER, b VARCHAR[])[]', { dataType: 'ARRAY', arrayDataType: 'STRUCT' }],
  ['STRUCT(a INTEGER[3])[3]', { dataType: 'ARRAY', arrayDataType: 'STRUCT' }],
  ['STRUCT(a INTEGER[])', { dataType: 'STRUCT' }],
  ['MAP(VARCHAR, INTEGER[])', { dataType: 'MAP' }],
  ['UNION(num INTEGER, str VARCHAR[])', { dataType: 'UNION' }],
  ["ENUM('a', 'b[]')", { dataType: 'ENUM' }],
  ['varchar[50]', { dataType: 'VARCHAR', dataLength: 50 }],
])('a column of type %s has the data type that comes next to it, and shows its own', (type, expected) => {
  expect(columnOf(type)).toMatchObject({ ...expected, dataTypeDisplay: type })
})

test('types that are none of the catalog are told, each once, with the columns that have them', () => {
  const table = (name: string, ...types: (string | undefined)[]) => ({
    database: 'd',
    schema: 's',
    name,
    columns: types.map((type, at) => ({ name: `c${at}`, type })),
    members: {},
  })
  const steps = tableSteps({ name: 'w', type: 'Postgres' }, [
    table('t', 'int', 'mood', undefined),
    table('u', 'mood', 'vibe[]'),
  ])
  expect(unknownTypes(steps.flatMap(({ entities }) => entities))).toEqual([
    { fullyQualifiedName: 'w.d.s.t.c1 and 1 more', message: 'the type mood is not known: the data type is UNKNOWN' },
    { fullyQualifiedName: 'w.d.s.u.c1', message: 'the type vibe[] is not known: the data type is UNKNOWN' },
  ])
})

test('a type that the source does not know is the one that another source knows under its name', async () => {
  const types = ['mood', 'mood[]', 'email', 'vibe', 'vibe[]', 'slot']
  const columns = types.map((type, at) => ({ name: `c${at}`, type }))
  const steps = tableSteps({ name: 'w', type: 'Postgres' }, [
    { database: 'd', schema: 's', name: 't', columns, members: {} },
  ])
  const known: JsonObject[] = [
    { dataType: 'ENUM', dataTypeDisplay: 'mood' },
    { dataType: 'ARRAY', arrayDataType: 'ENUM', dataTypeDisplay: 'mood[]' },
    { dataType: 'VARCHAR', dataLength: 100, dataTypeDisplay: 'email' },
    { dataType: 'UNKNOWN', dataTypeDisplay: 'vibe' },
    { dataType: 'ARRAY', arrayDataType: 'UNKNOWN', dataTypeDisplay: 'vibe[]' },
    { dataType: 'VARCHAR', dataLength: 7, dataTypeDisplay: 'email' },
  ]
  const standing = {
    name: 't',
    databaseSchema: 'w.d.s',
    fullyQualifiedName: 'w.d.s.t',
    columns: known.map((each, at) => ({ name: `c${at}`, ...each })),
  }
  const client = {
    get: async (): Promise<JsonObject> => ({ data: [], paging: {} }),
    getStanding: async () => [standing, '"1"'],
  } as unknown as ApiClient
  const tables = { ...(steps.at(-1) as SourceStep), standing: new Map([['w.d.s.t', standing]]) }
  const [planned] = await planLoad(client, { source: 'dbt', steps: [tables], lineage: [], scopes: [] }, false)
  expect(planned?.entities[0]?.changes).toEqual([
    'columns.c5.dataType',
    'columns.c5.dataLength',
    'columns.c5.dataTypeDisplay',
  ])
  const told = unknownTypes(planned?.entities.map(({ entity }) => entity) ?? []).map(({ message }) => message)
  expect(told).toEqual(
    ['vibe', 'vibe[]', 'slot'].map((type) => `the type ${type} is not known: the data type is UNKNOWN`),
  )
})

test('what a reader has listed is not listed again', async () => {
  const asked: string[] = []
  const get = async (path: string): Promise<JsonObject> => {
    asked.push(path.split('?')[0] as string)
    return { data: [], paging: {} }
  }
  const table = { database: 'd', schema: 's', name: 't', columns: [], members: {} }
  const steps = tableSteps({ name: 'w', type: 'Postgres' }, [table], { standing: new Map() }).slice(1)
  const planned = await planLoad({ get } as ApiClient, { source: 'dbt', steps, lineage: [], scopes: [] }, false)
  expect(asked).toEqual(['databases', 'databaseSchemas'])
  expect(planned.at(-1)?.entities).toMatchObject([{ outcome: 'created' }])
})
