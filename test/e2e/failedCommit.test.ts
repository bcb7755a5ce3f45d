import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { files } from '../../src/composition/settings/fixedNames.ts'
import { external } from '../support/external.ts'
import { failCommit } from '../support/fullDisk.ts'
import { startInProcess } from '../support/running.ts'

const isEmbedded = external.mongodbUrl === undefined

test.runIf(isEmbedded)(
  'an acknowledged child is shown, and its parent not empty, while commits of the read models fail',
  async () => {
    let said = ''
    const output = new Writable({
      write: (line: Buffer, _, done) => {
        said += line.toString()
        done()
      },
    })
    const { call, folder } = await startInProcess({}, undefined, pino({ level: 'warn' }, output))
    await call('POST', '/v1/services/databaseServices', { name: 'shop', serviceType: 'Postgres' })
    await call('POST', '/v1/databases', { name: 'orders', service: 'shop' })
    const schema = await call('POST', '/v1/databaseSchemas', { name: 'public', database: 'shop.orders' })
    const child = await call('PUT', '/v1/tables', { name: 'lines', databaseSchema: 'shop.orders.public', columns: [] })
    expect(child.status).toBe(201)
    const failures = () => said.split('FOREIGN KEY constraint failed').length - 1
    while (failures() < 4) {
      failCommit(join(folder, files.readModels))
      const deleted = await call('DELETE', `/v1/databaseSchemas/${schema.body.id}?hardDelete=true`)
      expect([deleted.status, deleted.body.message]).toEqual([400, expect.stringContaining('not empty')])
      expect((await call('GET', `/v1/tables/${child.body.id}`)).status).toBe(200)
      await delay(20)
    }
    const end = await call('PUT', '/v1/tables', { name: 'more', databaseSchema: 'shop.orders.public', columns: [] })
    expect(end.status).toBe(201)
  },
)
