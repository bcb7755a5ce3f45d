import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../support/commandLine.ts'
import { sharedFolder } from '../support/folders.ts'
import { adminToken } from '../support/service.ts'
import { MINIMAL, V2 } from '../odcs/documents.ts'
import { answered, schemaOfPg, useHttp } from './support.ts'

const http = useHttp({ made: schemaOfPg })
let contract: string
const folder = sharedFolder()
const at = (name: string): string => join(folder, name)

const promised = (columns: string): string => `${MINIMAL}schema:\n  - name: t\n    properties:\n${columns}`
const id = '      - {name: id, logicalType: integer, required: true}\n'
const note = '      - {name: note, logicalType: string}\n'

beforeAll(async () => {
  const columns = [
    { name: 'id', dataType: 'INT' },
    { name: 'note', dataType: 'TEXT' },
  ]
  const table = await http.post('/v1/tables', { name: 't', databaseSchema: 'pg.db.s', columns })
  const query = `?entityId=${table.id}&entityType=table`
  const yaml = { headers: { 'content-type': 'application/yaml' } }
  const path = `/v1/dataContracts/odcs/yaml${query}`
  const made = await answered(201, http.call('POST', path, promised(id + note), yaml))
  contract = `${http.url}/api/v1/dataContracts/${made.body.id}`
})

/** Exit code and output of `catalog contract check`. */
const check = async (text: string, ...more: string[]): Promise<{ code: number; said: string }> => {
  writeFileSync(at('contract.yaml'), text)
  const args = ['contract', 'check', at('contract.yaml'), ...more]
  const { code, stdout, stderr } = await catalog(args, { CATALOG_TOKEN: adminToken })
  return { code, said: stdout + stderr }
}

describe('catalog contract check', () => {
  it('finds nothing in what is promised already', async () => {
    const { code, said } = await check(promised(id + note), '--against', contract)
    expect([code, said]).toEqual([0, `${at('contract.yaml')}: valid, nothing is broken\n`])
  })

  it('tells what breaks and what differs from the asset, not what is only new', async () => {
    const reports = ['--junit', at('report.xml'), '--markdown', at('report.md')]
    const text = promised(`${id}      - {name: added, logicalType: date}\n`)
    const { code, said } = await check(text, '--against', contract, ...reports)
    expect(code).toBe(1)
    expect(said).toContain('1 breaking change(s), 1 difference(s) from the asset\n')
    expect(said).toContain('FAIL  t.note: the property is gone')
    expect(said).toContain('FAIL  asset: has no column or field added')
    expect(said).not.toContain('t.added')
    expect(readFileSync(at('report.xml'), 'utf8')).toContain('tests="3" failures="2"')
    expect(readFileSync(at('report.md'), 'utf8')).toContain('- :x: ` t.note `: ` the property is gone `')
  })

  it('compares the object of a document with several that the contract is about, or the one that is named', async () => {
    const columns = [{ name: 'id', dataType: 'INT' }]
    const { id: table } = await http.post('/v1/tables', { name: 'orders_phys', databaseSchema: 'pg.db.s', columns })
    const object = (name: string, property: string) =>
      `  - name: ${name}\n    properties:\n      - {name: ${property}, logicalType: integer}\n`
    const several = `${MINIMAL}schema:\n${object('customers_v', 'cid')}${object('orders_v', 'id')}`
    const path = `/v1/dataContracts/odcs/yaml?entityId=${table}&entityType=table&objectName=orders_v`
    const yaml = { headers: { 'content-type': 'application/yaml' } }
    const { body } = await answered(201, http.call('POST', path, several, yaml))
    const against = ['--against', `${http.url}/api/v1/dataContracts/${body.id}`]
    expect(await check(several, ...against)).toMatchObject({ code: 0 })
    const other = await check(several, ...against, '--object', 'customers_v')
    expect([other.code, other.said]).toEqual([1, expect.stringContaining('FAIL  asset: has no column or field cid')])
    const gone = await check(several.replace('orders_v', 'sales_v'), ...against)
    expect([gone.code, gone.said]).toEqual([1, expect.stringContaining('FAIL  orders_v: the schema object is gone')])
    expect(gone.said).toContain('FAIL  asset: there is no schema object "orders_v"; available are customers_v, sales_v')
  })

  it('names the line of what is wrong, also without a catalog', async () => {
    const { code, said } = await check(promised('      - {name: id, logicalType: whole}\n'))
    expect(code).toBe(1)
    expect(said).toMatch(/contract\.yaml:9 \/schema\/0\/properties\/0\/logicalType: must be one of string, /)
  })

  it('compares with an earlier file of any version', async () => {
    writeFileSync(at('before.yaml'), V2)
    const { code, said } = await check(promised(id), '--against', at('before.yaml'))
    expect(code).toBe(1)
    expect(said).toContain('FAIL  tbl: the schema object is gone')
  })

  it('says so when it is called wrongly, or nothing answers', async () => {
    expect((await check(MINIMAL, '--nothing')).code).toBe(2)
    const { code, said } = await check(MINIMAL, '--against', 'http://127.0.0.1:9/api/v1/dataContracts/x')
    expect([code, said]).toEqual([1, expect.stringContaining('Nothing answers at http://127.0.0.1:9.')])
  })
})
