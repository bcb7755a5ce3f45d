import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStatus, type ServiceStatus } from '../../src/cli/status.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { existingAuditKeys } from '../../src/composition/keys/auditKeys.ts'
import { signCheckpoint } from '../../src/transparency/checkpoint.ts'
import { makeSignerKey, readSignerKey } from '../../src/transparency/note.ts'
import { catalog } from '../support/commandLine.ts'
import { databaseOf, external, storesFor } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { openLogOf, startInProcess } from '../support/running.ts'

const statusOf = (folder: string, env: Record<string, string> = {}): Promise<ServiceStatus> =>
  readStatus(readConfig({ CATALOG_DATA_DIR: folder, ...env }))

test('the status tells the newest event, and how far each read model has come', async () => {
  const folder = await temporaryFolder()
  const stores = storesFor(folder)
  const service = await startInProcess(stores, folder)
  await service.call('POST', '/v1/glossaries', { name: 'g' })
  await service.close()
  const { eventStore, readModels } = await statusOf(folder, stores)
  expect([eventStore.status, readModels.status, readModels.problems]).toEqual(['up', 'up', []])
  expect(eventStore.newest).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(readModels.projections?.map(({ name }) => name)).toEqual([
    'entities',
    'search',
    'activity',
    'tree',
    'inbox',
    'timeline',
    'lineageSpans',
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
    // Of a rebuild that was interrupted.
    await writeFile(join(folder, 'readmodels.db.rebuild'), Buffer.alloc(1000))
    const { eventStore, readModels } = await statusOf(folder)
    const log = await openLogOf(folder)
    const events = (await Array.fromAsync(log.readAll())).length
    await log.close()
    for (const [store, names] of [
      [eventStore, ['log.db']],
      [readModels, ['readmodels.db', 'readmodels.search.db', 'readmodels.history.db', 'readmodels.db.rebuild']],
    ] as const) {
      const sizes = names.map((name) => statSync(join(folder, name)).size)
      expect(store.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
      expect(store.bytesOfEvent).toBe(Math.round((store.bytes as number) / events))
    }
  },
)

test('a store that does not answer is told by its address, without its password, and the exit code says it', async () => {
  const { code, stdout } = await catalog(['status'], {
    CATALOG_DATA_DIR: await temporaryFolder(),
    CATALOG_EVENTSTORE_URL: 'esdb://ann:secret@127.0.0.1:1?tls=false',
  })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^event store {2}eventstoredb at esdb:\/\/127\.0\.0\.1:1: down \(.+\)$/m)
  expect(stdout).not.toContain('secret')
})

test.skipIf(external.eventStoreUrl !== undefined || external.mongodbUrl !== undefined)(
  'read models are neither said to be down nor to belong to another log because the log does not answer',
  async () => {
    const folder = await temporaryFolder()
    const service = await startInProcess({}, folder)
    await service.call('PUT', '/v1/users', { name: 'ann', displayName: 'Ann' })
    await service.close()
    const { eventStore, readModels } = await statusOf(folder, {
      CATALOG_EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
    })
    expect([eventStore.status, readModels.status, readModels.problems]).toEqual(['down', 'up', []])
    expect(readModels.projections?.map(({ position }) => position)).not.toContain(undefined)
  },
)

test('the status tells what the files of witnesses have, and that a log does not begin with it', async () => {
  const folder = await temporaryFolder()
  const kept = join(folder, 'witnessed.txt')
  const env = {
    ...storesFor(folder),
    CATALOG_AUDIT_WITNESS: `${kept}, ${join(folder, 'later.txt')}, https://ann:secret@witness.example.org/log`,
  }
  const witnesses = async () => (await statusOf(folder, env)).readModels.witnesses ?? []
  const service = await startInProcess(storesFor(folder), folder)
  for (const name of ['a', 'b', 'c']) await service.call('POST', '/v1/glossaries', { name })
  const { body: note } = await service.call('GET', '/v1/audit/checkpoint')
  await writeFile(kept, `${String(note)}${String(note)}`)
  await service.call('POST', '/v1/glossaries', { name: 'd' })
  await service.call('GET', '/v1/audit/checkpoint')
  await service.close()
  const size = Number(String(note).split('\n')[1])
  const [file, ...others] = await witnesses()
  expect(file).toEqual({ witness: kept, size, behind: 1, time: expect.stringMatching(/^\d{4}-/) })
  expect(others).toEqual([
    { witness: join(folder, 'later.txt'), size: 0 },
    { witness: 'https://witness.example.org/log' },
  ])
  const { signer } = existingAuditKeys({ dataDir: folder, auditKeyFile: undefined })
  await writeFile(kept, signCheckpoint({ size, root: randomBytes(32) }, signer))
  expect((await witnesses())[0]?.problem).toContain('the log does not begin with the events that its checkpoint signs')
  await writeFile(kept, '')
  expect((await witnesses())[0]).toEqual({ witness: kept, problem: 'it is there, and has no checkpoint' })
  await writeFile(kept, signCheckpoint({ size, root: randomBytes(32) }, readSignerKey(makeSignerKey('another'))))
  expect((await witnesses())[0]?.problem).toContain('None of the keys given')
})
