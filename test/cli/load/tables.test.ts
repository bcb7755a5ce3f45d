import { expect, test } from 'vitest'
import { tableSteps } from '../../../src/cli/load/tables.ts'

const columnOf = (type: string) => {
  const columns = [{ name: 'a', type }]
  const table = { database: 'd', schema: 's', name: 't', columns, members: {} }
  const body = tableSteps({ name: 'w', type: 'Postgres' }, [table]).at(-1)?.entities[0]?.body
  return (body?.['columns'] as object[])[0]
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
