import { getEventListeners } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startService } from '../../src/composition/service.ts'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { configOf, startInProcess } from '../support/running.ts'
import { clientOf } from '../support/service.ts'

const areEmbedded = external.mongodbUrl === undefined
const describeEmbedded = describe.skipIf(skippedUnless(areEmbedded, 'read models in a file', 'they are external'))

describeEmbedded('read models in a file', () => {
  it('a write that the read models’ file cannot take is not acknowledged, and shown as soon as it can', async () => {
    const { call, folder } = await startInProcess()
    await call('POST', '/v1/glossaries', { name: 'before' })
    const database = new DatabaseSync(join(folder, 'readmodels.db'), { timeout: 0 })
    const change = (sql: string) => expect.poll(() => database.exec(sql)).toBeUndefined()
    await change("CREATE TRIGGER no_room BEFORE INSERT ON entities BEGIN SELECT RAISE(ABORT, 'no room'); END")
    const answer = await call('POST', '/v1/glossaries', { name: 'unshown' })
    expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    await change('DROP TRIGGER no_room')
    database.close()
    await expect.poll(async () => (await call('GET', '/v1/glossaries/name/unshown')).status).toBe(200)
  })

  it('read models in a file that turn out to be damaged are built again while the service runs', async () => {
    const folder = join(await temporaryFolder(), 'data')
    const first = await startInProcess({}, folder)
    for (let index = 0; index < 50; index++)
      await first.call('POST', '/v1/glossaries', { name: `g${index}`, description: 'word '.repeat(200) })
    await first.close()
    const path = join(folder, 'readmodels.db')
    expect(existsSync(`${path}-wal`)).toBe(false)
    const bytes = readFileSync(path)
    bytes.fill(0xaa, bytes.length / 2, bytes.length)
    writeFileSync(path, bytes)
    const { call } = await startInProcess({}, folder)
    const total = async () => {
      const list = await call('GET', '/v1/glossaries?limit=100&fields=*')
      return list.status === 200 ? list.body.data.length : list.status
    }
    await expect.poll(total).toBe(50)
    expect((await call('POST', '/v1/glossaries', { name: 'after' })).status).toBe(201)
  })
  it('read models in a file that show another log are replaced while the service runs, and nothing of the former stays', async () => {
    const folder = join(await temporaryFolder(), 'data')
    let said = ''
    const stop = new AbortController()
    const logger = pino({ level: 'warn' }, { write: (line: string) => (said += line) })
    const service = await startService(configOf(folder), logger, stop)
    onTestFinished(async () => void (await service.close()))
    const waiting = () => getEventListeners(stop.signal, 'abort').length
    const before = waiting()
    const database = new DatabaseSync(join(folder, 'readmodels.db'), { timeout: 0 })
    const otherwise = `UPDATE projections SET newest = '1-${'0'.repeat(16)}'`
    await expect.poll(() => database.exec(otherwise)).toBeUndefined()
    database.close()
    await expect.poll(() => said).toContain('the read models are built')
    await expect
      .poll(async () => (await clientOf(service.url)('POST', '/v1/glossaries', { name: 'after' })).status)
      .toBe(201)
    expect(waiting()).toBe(before)
  })
})
