import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStatus, type Status } from '../../src/cli/status.ts'
import { readConfig } from '../../src/composition/config.ts'
import { databaseOf, external, storesFor } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'

const statusOf = (folder: string, env: Record<string, string> = {}): Promise<Status> =>
  readStatus(readConfig({ CATALOG_DATA_DIR: folder, ...env }))

test('the status tells the newest event, and how far each read model has come', async () => {
  const folder = await temporaryFolder()
  const stores = storesFor(folder)
  const service = await startInProcess(stores, folder)
  await service.call('POST', '/v1/glossaries', { name: 'g' })
  await service.close()
  const { eventStore, readModels } = await statusOf(folder, stores)
  expect([eventStore.status, readModels.status, readModels.ofThisLog]).toEqual(['up', 'up', true])
  expect(eventStore.newest).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(readModels.projections?.map(({ name }) => name)).toEqual([
    'entities',
    'search',
    'activity',
    'tree',
    'timeline',
  ])
  for (const projection of readModels.projections ?? []) expect(projection.behind).toBe('0')
  if (external.mongodbUrl !== undefined) expect(readModels.at).toContain(databaseOf(folder))
})

test.skipIf(external.eventStoreUrl !== undefined || external.mongodbUrl !== undefined)(
  'the status tells how large embedded stores are and what they grow by',
  async () => {
    const folder = await temporaryFolder()
    const service = await startInProcess({}, folder)
    for (let at = 0; at < 20; at++) await service.call('POST', '/v1/glossaries', { name: `g${at}` })
    await service.close()
    const { eventStore, readModels } = await statusOf(folder)
    for (const [store, names] of [
      [eventStore, ['log.db']],
      [readModels, ['readmodels.db', 'readmodels.history.db']],
    ] as const) {
      const sizes = names.map((name) => statSync(join(folder, name)).size)
      expect(store.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
      const events = Number(eventStore.head) + 1
      expect(store.bytesOfEvent).toBe(Math.round((store.bytes as number) / events))
    }
  },
)

test('a store that does not answer is told by its address, without its password, and the exit code says it', async () => {
  const node = join(import.meta.dirname, '../../node_modules/.bin/node')
  const cli = join(import.meta.dirname, '../../src/cli/main.ts')
  const env = {
    CATALOG_DATA_DIR: await temporaryFolder(),
    CATALOG_EVENTSTORE_URL: 'esdb://ann:secret@127.0.0.1:1?tls=false',
  }
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((done) => {
    execFile(node, [cli, 'status'], { env }, (error, out) => done({ code: Number(error?.code ?? 0), stdout: out }))
  })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^event store {2}eventstoredb at esdb:\/\/127\.0\.0\.1:1: down \(.+\)$/m)
  expect(stdout).not.toContain('secret')
}, 60_000)
