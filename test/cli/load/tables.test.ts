import { expect, test } from 'vitest'
import type { ApiClient } from '../../../src/cli/client/apiClient.ts'
import { planLoad } from '../../../src/cli/load/plan.ts'
import { tableSteps } from '../../../src/cli/load/tables.ts'
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
  ['timestamp(3) with time zone', { dataType: 'TIMESTAMPZ' }],
  ['character varying(20)', { dataType: 'VARCHAR', dataLength: 20 }],
  ['text[]', { dataType: 'ARRAY', arrayDataType: 'TEXT' }],
  ['int4', { dataType: 'INT' }],
  ['UBIGINT', { dataType: 'UINT' }],
])('a column of type %s has the data type that comes next to it, and shows its own', (type, expected) => {
  expect(columnOf(type)).toMatchObject({ ...expected, dataTypeDisplay: type })
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
