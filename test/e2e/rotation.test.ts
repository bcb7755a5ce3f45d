import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openCheckpoint } from '../../src/transparency/checkpoint.ts'
import { makeSignerKey, readSignerKey, readVerifierKey } from '../../src/transparency/note.ts'
import { signSuccession } from '../../src/transparency/succession.ts'
import { catalogOn } from '../support/commandLine.ts'
import { sharedFolder } from '../support/folders.ts'
import { openService, type InProcess } from '../support/running.ts'
import { adminToken, runCli, temporaryDataDir } from '../support/service.ts'

const root = sharedFolder()
const data = temporaryDataDir()
const file = (name: string): string => join(root, name)
afterAll(() => data.remove())

const verifiers = (
  [
    [process.execPath, 'verify.mjs'],
    ['python3', 'verify.py'],
  ] as const
).filter(([command]) => spawnSync(command, ['--version']).status === 0)

const textOf = async (service: InProcess, path: string): Promise<string> =>
  (await service.call('GET', path)).body as string

const changesIn = async (service: InProcess) =>
  (await service.call('GET', '/v1/events?type=KeyChanged')).body.data as { data: object; actor: string }[]

it('a new key takes over, signed by the old one, as an event of the log', async () => {
  const env = { CATALOG_BASE_URL: 'https://catalog.example.com' }
  const watch = (service: InProcess, key: string, state = file('state')) =>
    catalogOn(root, ['audit', 'watch', service.url, '--key', key, '--state', state, '--token', adminToken])
  const notes = file('notes')

  let service = await openService(env, data.path)
  await service.call('POST', '/v1/glossaries', { name: 'one' })
  writeFileSync(file('key'), await textOf(service, '/v1/audit/key'))
  writeFileSync(notes, await textOf(service, '/v1/audit/checkpoint'))
  expect(await textOf(service, '/v1/audit/successions')).toBe('')
  expect(await watch(service, file('key'))).toMatchObject({ code: 0 })
  await service.close()

  const rotated = await catalogOn(data.path, ['audit', 'rotate'])
  expect(rotated).toMatchObject({ code: 0, stderr: '' })
  expect(statSync(join(data.path, 'audit.key')).mode & 0o777).toBe(0o600)

  for (const time of ['first', 'second']) {
    service = await openService(env, data.path)
    expect((await changesIn(service)).length, `at the ${time} start`).toBe(1)
    if (time === 'first') await service.close()
  }
  try {
    const [former] = [readVerifierKey(readFileSync(file('key'), 'utf8'))]
    const keys = (await textOf(service, '/v1/audit/key')).trim().split('\n').map(readVerifierKey)
    expect(keys).toHaveLength(2)
    expect(keys[1]?.text).toBe(former.text)
    const successions = await textOf(service, '/v1/audit/successions')
    expect(rotated.stdout).toContain(successions)
    const [change] = await changesIn(service)
    expect(change).toMatchObject({
      data: { former: former.text, key: keys[0]?.text, note: successions },
      actor: 'system',
    })
    const activity = await service.call('GET', '/v1/activity?type=KeyChanged')
    expect(activity.body.data[0].summary).toMatch(
      /^Let the key catalog.example.com\+\w+ sign the checkpoints of the log instead of/,
    )

    const checkpoint = await textOf(service, '/v1/audit/checkpoint')
    expect(() => openCheckpoint(checkpoint, [former])).toThrow('None of the keys given')
    expect(openCheckpoint(checkpoint, [keys[0] as typeof former]).origin).toBe('catalog.example.com')
    expect(await watch(service, file('key'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('which begin with the') as string,
    })

    writeFileSync(notes, checkpoint, { flag: 'a' })
    const verify = (key: string) => catalogOn(data.path, ['audit', 'verify', '--checkpoint', notes, '--key', key])
    expect(await verify(file('key'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('None of the keys') as string,
    })
    writeFileSync(file('known'), `${former.text}\n${successions}`)
    expect(await verify(file('known'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('It begins with the events signed by 2 checkpoints.') as string,
    })
    const stranger = readSignerKey(makeSignerKey('catalog.example.com'))
    writeFileSync(file('forged'), `${stranger.text}\n${signSuccession(stranger, stranger)}${successions}`)
    expect((await verify(file('forged'))).code).toBe(1)
    expect(await watch(service, file('forged'), file('begun anew'))).toMatchObject({ code: 1 })
    expect(await watch(service, file('forged'))).toMatchObject({ code: 2 })

    const archive = file('evidence.tar.gz')
    expect(runCli(data.path, ['audit', 'export', '--entity', 'glossary:one', '--output', archive]).code).toBe(0)
    expect(spawnSync('tar', ['-xzf', archive, '-C', root]).status).toBe(0)
    const [present] = keys as [typeof former]
    writeFileSync(file('windows'), `${former.text}\r\n\r\n${successions.replaceAll('\n', '\r\n')}`)
    writeFileSync(file('present'), `${present.text}\n${former.text}\n${successions}`)
    writeFileSync(file('no key'), `${former.text}\nnonsense\n`)
    const succeeded = `It was signed by ${present.text}\nThat is a successor of the key that you gave, ${former.text}: `
    for (const [command, script] of verifiers) {
      const proven = (keyFile: string) => {
        const { status, stdout, stderr } = spawnSync(command, [join(root, 'evidence', script), file(keyFile)], {
          encoding: 'utf8',
        })
        return [status, stdout + stderr]
      }
      for (const known of ['key', 'known', 'windows'])
        expect(proven(known), `${script} ${known}`).toEqual([0, expect.stringContaining(succeeded)])
      expect(proven('present')).toEqual([0, expect.stringContaining('That is the key that you gave.')])
      expect(proven('forged')).toEqual([1, expect.stringContaining('NOT PROVEN: manifest.txt is not signed by')])
      expect(proven('no key')).toEqual([1, expect.stringMatching(/^NOT PROVEN: a key is none of Ed25519\.\s*$/)])
    }
  } finally {
    await service.close()
  }
  const { code, ...said } = await catalogOn(data.path, ['verify'])
  expect(code, JSON.stringify(said)).toBe(0)
})
