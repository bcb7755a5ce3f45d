import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyRoot } from '../../../src/transparency/merkle.ts'
import { makeSignerKey, readSignerKey } from '../../../src/transparency/note.ts'
import { signCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { catalogOn } from '../../support/commandLine.ts'
import { external, skippedUnless, storesFor } from '../../support/external.ts'
import { startInProcess } from '../../support/running.ts'
import { temporaryFolder } from '../../support/folders.ts'

test('a checkpoint that a key signed which the service does not know is 503, and a problem of the status', async () => {
  const { folder, call } = await startInProcess()
  expect((await call('GET', '/v1/audit/checkpoint')).status).toBe(200)
  const other = readSignerKey(makeSignerKey('other'))
  writeFileSync(join(folder, 'audit.signed'), signCheckpoint({ size: 0, root: emptyRoot }, other))
  const { status, body } = await call('GET', '/v1/audit/checkpoint')
  expect([status, body.detail]).toEqual([503, expect.stringContaining('If the key was rotated, restart the service.')])
  const said = await catalogOn(folder, ['status'], storesFor(folder))
  expect([said.code, said.stdout]).toEqual([
    1,
    expect.stringMatching(
      /PROBLEM: The checkpoint that was signed last, \S+audit\.signed, cannot be verified: nothing is signed/,
    ),
  ])
})

const isEmbedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined
const skipped = skippedUnless(isEmbedded, 'a witness of a folder', 'the log and the read models are elsewhere')

test.skipIf(skipped)(
  'a witness beside a service whose key was rotated writes nothing there, and the service goes on',
  async () => {
    const { folder, call } = await startInProcess()
    const state = join(await temporaryFolder(), 'state')
    const checkpoint = await call('GET', '/v1/audit/checkpoint')
    expect(await catalogOn(folder, ['audit', 'rotate'])).toMatchObject({ code: 0 })
    await call('POST', '/v1/glossaries', { name: 'one' })
    const [key, signed] = ['audit.pub', 'audit.signed'].map((name) => join(folder, name)) as [string, string]
    const before = [readdirSync(folder).toSorted(), readFileSync(signed, 'utf8')]
    const watched = await catalogOn(folder, ['audit', 'watch', folder, '--key', key, '--state', state])
    expect(watched).toMatchObject({ code: 0, stderr: '' })
    expect([readdirSync(folder).toSorted(), readFileSync(signed, 'utf8')]).toEqual(before)
    const after = await call('GET', '/v1/audit/checkpoint')
    expect([checkpoint.status, after.status]).toEqual([200, 200])
  },
)
