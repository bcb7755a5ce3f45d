import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFile, temporaryFolder } from '../support/folders.ts'
import { catalog } from '../support/commandLine.ts'
import { startInProcess } from '../support/running.ts'

const secret = { CATALOG_JWT_SECRET: 'x'.repeat(40) }

const taken = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return String((server.address() as AddressInfo).port)
}

/** What ends the start of a service with these settings, in a folder of its own. */
const refused = (settings: Record<string, string>): Promise<string> =>
  startInProcess(settings).then(
    () => 'It has started.',
    (error: unknown) => String(error),
  )

it('says which setting has an address that cannot be read', async () => {
  const [log, models, preferring] = await Promise.all([
    refused({ CATALOG_EVENTSTORE_URL: 'esdb://ann:hidden@h:abc' }),
    refused({ CATALOG_MONGODB_URL: 'mongodb://ann:hidden@h:99999/x' }),
    refused({ CATALOG_EVENTSTORE_URL: 'esdb+discover://ann:hidden@h?nodePreference=Follower' }),
  ])
  expect(log).toContain('(CATALOG_EVENTSTORE_URL) is not a connection string that its client can read')
  expect(models).toContain('(CATALOG_MONGODB_URL) is not a connection string that its client can read')
  expect(preferring).toContain('(CATALOG_EVENTSTORE_URL) has another nodePreference than leader')
  expect(log + models + preferring).not.toContain('hidden')
})

it('says which setting names a file that cannot be used, and why', async () => {
  const folder = await temporaryFolder()
  const text = join(folder, 'text')
  await writeFile(text, 'roles: {A: [{effect: maybe}]}')
  const no = join(folder, 'none')
  const said = await Promise.all(
    [
      { CATALOG_POLICIES_FILE: no },
      { CATALOG_POLICIES_FILE: folder },
      { CATALOG_POLICIES_FILE: text },
      { CATALOG_JWT_PUBLIC_KEY_FILE: no },
      { CATALOG_JWT_PUBLIC_KEY_FILE: text },
      { CATALOG_AUDIT_KEY_FILE: no },
      { CATALOG_AUDIT_KEY_FILE: text },
      { CATALOG_TLS_CERT_FILE: no, CATALOG_TLS_KEY_FILE: text },
      { CATALOG_TLS_CERT_FILE: text, CATALOG_TLS_KEY_FILE: text },
    ].map(refused),
  )
  expect(said).toEqual([
    expect.stringContaining(`CATALOG_POLICIES_FILE names ${no}, which cannot be used: there is no such file.`),
    expect.stringContaining(`CATALOG_POLICIES_FILE names ${folder}, which cannot be used: it is a folder.`),
    expect.stringMatching(/CATALOG_POLICIES_FILE names .*text: line 1, roles\.A\[0\]\.effect/),
    expect.stringContaining(`CATALOG_JWT_PUBLIC_KEY_FILE names ${no}, which cannot be used: there is no such file.`),
    expect.stringContaining(
      `CATALOG_JWT_PUBLIC_KEY_FILE names ${text}, which cannot be used: it does not contain a public key`,
    ),
    expect.stringContaining(`CATALOG_AUDIT_KEY_FILE names ${no}, which cannot be used: there is no such file.`),
    expect.stringContaining(`CATALOG_AUDIT_KEY_FILE names ${text}, which cannot be used: A private key`),
    expect.stringContaining(`CATALOG_TLS_CERT_FILE names ${no}, which cannot be used: there is no such file.`),
    expect.stringMatching(/CATALOG_TLS_CERT_FILE .* CATALOG_TLS_KEY_FILE .* must be a certificate and its key/),
  ])
})

it('says what to do about a place where nothing can listen, and about a folder that is none', async () => {
  const port = await taken()
  const file = await temporaryFile('')
  const said = await Promise.all(
    [{ CATALOG_PORT: port }, { CATALOG_HOST: '192.0.2.1' }, { CATALOG_DATA_DIR: file }].map(refused),
  )
  expect(said).toEqual([
    expect.stringContaining(
      `CATALOG_PORT is ${port}, and something else listens there. Stop that, or set CATALOG_PORT`,
    ),
    expect.stringContaining('CATALOG_HOST is 192.0.2.1, which is not an address of this machine.'),
    expect.stringContaining(`CATALOG_DATA_DIR names ${file}, which cannot be made a folder: it is a file.`),
  ])
})

it.skipIf(process.platform !== 'linux')('says so, and does not go on trying, where no folder can be made', async () => {
  expect(await refused({ CATALOG_DATA_DIR: '/proc/catalog/data' })).toContain(
    'CATALOG_DATA_DIR names /proc/catalog/data, which cannot be made a folder: none can be made there.',
  )
  expect(await refused({ CATALOG_DATA_DIR: '/dev/null/data' })).toContain(
    'CATALOG_DATA_DIR names /dev/null/data, which cannot be made a folder: a part of its path is a file.',
  )
})

it.skipIf(process.platform !== 'linux')('says so where no backup can be made', async () => {
  const { folder } = await startInProcess()
  expect(await catalog(['backup', '/proc/catalog/copy'], { CATALOG_DATA_DIR: folder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      '/proc/catalog/copy, which cannot be made a folder: none can be made there.',
    ) as string,
  })
})

it('says what to do where there is no key to be replaced', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'file')
  await writeFile(file, '')
  const rotate = async (CATALOG_DATA_DIR: string, env = {}) =>
    (await catalog(['audit', 'rotate'], { CATALOG_DATA_DIR, ...env })).stderr
  for (const none of [folder, file])
    expect(await rotate(none)).toBe(
      `catalog audit rotate: There is no audit.key in ${none}. CATALOG_DATA_DIR names the folder of a service that has been ` +
        'started.\n',
    )
  const missing = join(folder, 'missing')
  expect(await rotate(folder, { CATALOG_AUDIT_KEY_FILE: missing })).toContain(
    `CATALOG_AUDIT_KEY_FILE names ${missing}, which cannot be used: there is no such file. Put the key file of the log there`,
  )
})

it('makes nothing where there is no service, and says how to name the folder of one', async () => {
  const folder = await temporaryFolder()
  const env = { CATALOG_DATA_DIR: join(folder, 'none') }
  const copy = join(folder, 'copy')
  const calls = [['status'], ['verify'], ['replay'], ['rebuild'], ['audit', 'verify'], ['backup', copy]]
  for (const { code, stderr } of await Promise.all(calls.map((args) => catalog(args, env))))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/There is no .* in .*none\. CATALOG_DATA_DIR names/)])
  expect([env.CATALOG_DATA_DIR, copy].filter((path) => existsSync(path))).toEqual([])
})

it('does not sign tokens where others do', async () => {
  const jwks = { CATALOG_JWKS_URL: 'https://id.example.org/jwks.json' }
  const { code, stderr } = await catalog(['token', '--user', 'me'], jwks)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/tokens from another issuer \(CATALOG_JWKS_URL\)/)])
  expect((await catalog(['token', '--user', 'me'], { ...jwks, ...secret })).code).toBe(0)
})

it('knows no command or source by a name that every object has, and calls nothing that is no address', async () => {
  const calls = [
    ['constructor'],
    ['load', 'constructor', 'x'],
    ['seed', '--url', 'localhost:8585'],
    ['seed', '--url', 'x'],
  ]
  const said = await Promise.all(calls.map((args) => catalog(args, secret)))
  expect(said.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
    [2, 'catalog has no command constructor.'],
    [2, 'catalog load: Name what to load: dbt, postgres, csv, openlineage, odcs.'],
    [2, 'catalog seed: --url localhost:8585 must be an address such as http://127.0.0.1:8585'],
    [2, 'catalog seed: --url x must be an address such as http://127.0.0.1:8585'],
  ])
})
