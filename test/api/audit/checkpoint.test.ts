import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyRoot } from '../../../src/transparency/merkle.ts'
import { makeSignerKey, readSignerKey } from '../../../src/transparency/note.ts'
import { signCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { catalogOn } from '../../support/commandLine.ts'
import { external, skippedUnless, storesFor } from '../../support/external.ts'
import { startInProcess } from '../../support/running.ts'
import { adminToken } from '../../support/service.ts'
import { temporaryFolder } from '../../support/folders.ts'

test('a checkpoint that a key signed which the service does not know is 503, an alarm of a watch, and a problem of the status', async () => {
  const { folder, url, call } = await startInProcess()
  const signed = String((await call('GET', '/v1/audit/checkpoint')).body)
  const [key, state] = ['key.txt', 'state.txt'].map((name) => join(folder, name)) as [string, string]
  writeFileSync(key, String((await call('GET', '/v1/audit/key')).body))
  writeFileSync(state, signed)
  const other = readSignerKey(makeSignerKey('other'))
  writeFileSync(join(folder, 'audit.signed'), signCheckpoint({ size: 0, root: emptyRoot }, other))
  const { status, body } = await call('GET', '/v1/audit/checkpoint')
  const reason = expect.stringContaining('If the key was rotated, restart the service.') as string
  expect([status, body.code, body.detail]).toEqual([503, 'LOG_NOT_SIGNED', reason])
  const args = ['--key', key, '--state', state, '--token', adminToken, '--every', '10m']
  const watched = await catalogOn(folder, ['audit', 'watch', url, ...args])
  expect(watched).toMatchObject({ code: 1, stdout: '', stderr: reason })
  expect(watched.stderr).toMatch(/ALARM: the log of [^]*The stored checkpoint:/)
  expect(watched.stderr).toContain(signed)
  const said = await catalogOn(folder, ['status'], storesFor(folder))
  expect([said.code, said.stdout]).toEqual([
    1,
    expect.stringMatching(
      /PROBLEM: The checkpoint that was signed last, \S+audit\.signed, cannot be verified: nothing is signed/,
    ),
  ])
})

test('a key file that took the place of another signs nothing until the former key is known', async () => {
  const first = await startInProcess()
  const { folder } = first
  const former = String((await first.call('GET', '/v1/audit/key')).body)
  expect((await first.call('GET', '/v1/audit/checkpoint')).status).toBe(200)
  await first.close()
  const statusOf = async (): Promise<number> => {
    const { call, close } = await startInProcess(storesFor(folder), folder)
    const { status } = await call('GET', '/v1/audit/checkpoint')
    await close()
    return status
  }
  // Lost, so that the start makes another one.
  rmSync(join(folder, 'audit.key'))
  expect(await statusOf()).toBe(503)
  expect((await catalogOn(folder, ['status'], storesFor(folder))).code).toBe(1)
  appendFileSync(join(folder, 'audit.key'), `\n${former}`)
  expect(await statusOf()).toBe(200)
  expect((await catalogOn(folder, ['status'], storesFor(folder))).code).toBe(0)
})

const isEmbedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined

test.skipIf(skippedUnless(isEmbedded, 'a rotation beside a service', 'the log and the read models are elsewhere'))(
  'a service whose key was rotated, and which was not started since, goes on for its witnesses',
  async () => {
    const { folder, url, call } = await startInProcess()
    const [key, state] = ['key', 'state'].map((name) => join(folder, name)) as [string, string]
    expect((await call('GET', '/v1/audit/checkpoint')).status).toBe(200)
    expect(await catalogOn(folder, ['audit', 'rotate'])).toMatchObject({ code: 0 })
    await call('POST', '/v1/glossaries', { name: 'one' })
    writeFileSync(key, String((await call('GET', '/v1/audit/key')).body))
    const args = ['--key', key, '--state', state, '--token', adminToken]
    expect(await catalogOn(folder, ['audit', 'watch', url, ...args])).toMatchObject({ code: 0, stderr: '' })
  },
)

test('what is wrong with the files of a witness is said of the files: it is neither a first start nor an alarm', async () => {
  const { url, call } = await startInProcess()
  const own = await temporaryFolder()
  const checkpoint = (await call('GET', '/v1/audit/checkpoint')).body as unknown as string
  const key = String((await call('GET', '/v1/audit/key')).body)
  const watch = async (files: { key?: string; state?: string }) => {
    const [keyFile, stateFile] = [join(own, 'key.txt'), join(own, 'state.txt')]
    writeFileSync(keyFile, files.key ?? key)
    if (files.state === undefined) rmSync(stateFile, { force: true })
    else writeFileSync(stateFile, files.state)
    const args = ['--key', keyFile, '--state', stateFile, '--token', adminToken]
    const said = await catalogOn(own, ['audit', 'watch', url, ...args])
    return { ...said, state: existsSync(stateFile) ? readFileSync(stateFile, 'utf8') : undefined }
  }
  const unsigned = checkpoint.slice(0, checkpoint.indexOf('—'))
  for (const state of ['', checkpoint.slice(0, -40), unsigned, key]) {
    const said = await watch({ state })
    expect(said).toMatchObject({ code: 2, stdout: '', state })
    expect(said.stderr).toContain('state.txt: It has no checkpoint: name another file, or remove it to start again.')
  }
  const foreign = signCheckpoint({ size: 0, root: emptyRoot }, readSignerKey(makeSignerKey('other')))
  expect(await watch({ state: foreign })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/state\.txt: None of the keys given/) as string,
    state: foreign,
  })
  for (const [wrong, says] of [
    ['\n', 'key.txt: It has no public key'],
    ['no key', 'key.txt: This is not a public key'],
  ] as const) {
    const said = await watch({ key: wrong })
    expect(said).toMatchObject({ code: 2, stdout: '', state: undefined })
    expect(said.stderr).toContain(says)
    expect(said.stderr).not.toContain('ALARM')
  }
  expect(await watch({})).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the first that are known') as string,
  })
})
