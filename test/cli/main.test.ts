import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storeSettings } from '../../src/cli/command/settings.ts'
import type { ServiceStatus } from '../../src/cli/status.ts'
import { version } from '../../src/shared/version.ts'
import { external, skippedUnless, storesFor } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { configOf, startInProcess, startProcess } from '../support/running.ts'
import { environment, testSecret } from '../support/service.ts'
import { catalog, type Said } from '../support/commandLine.ts'
import { catalogProcess } from './support.ts'

const isEmbedded = external.mongodbUrl === undefined

describe('the command line', () => {
  const all = (calls: readonly (readonly string[])[]): Promise<Said[]> =>
    Promise.all(calls.map((args) => catalog(args)))

  it('tells its commands, and the options of one, on request', async () => {
    for (const { code, stdout } of await all([['help'], ['-h']]))
      expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: catalog COMMAND')])
    const one = await all([
      ['help', 'token'],
      ['token', '-h'],
    ])
    for (const { code, stdout } of one)
      expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: catalog token --user NAME')])
  })

  it('ends with 2 when it does not understand the call', async () => {
    const calls = [
      [],
      ['nothing'],
      ['token'],
      ['token', '--usr', 'me'],
      ['token', '--user', 'me', '--days', 'many'],
      ['token', '--name', 'x'],
      ['token', '--user', 'me', '--days', '0.5'],
      ['token', '--user', 'me', '--url', 'http://127.0.0.1:9'],
      ['token', '--list', '--days', '3'],
      ['token', 'me', '--user', 'me'],
      ['help', 'nothing'],
      ['audit'],
      ['audit', 'foo'],
      ['contract'],
    ]
    for (const { code, stdout, stderr } of await all(calls)) {
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(
        /no command (nothing|audit foo)|Usage: catalog (token|COMMAND|audit COMMAND|contract COMMAND)/,
      )
    }
  })

  it.each([
    [['load'], 'Name what to load: dbt, postgres, csv, openlineage, odcs.'],
    [['load', 'csv'], 'Name the place to load from.'],
    [['load', 'undo'], 'Name the request to undo, as the load printed it.'],
    [
      ['replay', '--until', '5x'],
      '--until must be a position, such as 1200, or an instant, such as 2026-01-31T12:00:00Z',
    ],
    [['replay', '--after', '5x'], '--after must be a position, such as 1200'],
    [['replay', '--request='], '--request must not be empty: give a value or leave it out'],
  ])('says what is missing in the call %j', async (args, message) => {
    const { code, stderr } = await catalog(args)
    expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringMatching(`^catalog \\w+( undo)?: ${message}$`)])
  })
})

it.each([
  ['audit verify --quorum 2', '--quorum needs --witness.'],
  ['audit verify --witness x', '--witness needs --checkpoint.'],
  ['audit verify --key x', '--key needs --checkpoint.'],
  ['audit verify --checkpoint x', '--checkpoint needs --key FILE'],
  ['audit verify --complete', '--complete needs --file.'],
  ['contract check x --object y', '--object needs --against.'],
  ['load csv x --confirm', '--confirm needs --sweep.'],
  ['load csv x --skip-conflicts', "Unknown option '--skip-conflicts'"],
  ['load undo x --sweep', "Unknown option '--sweep'"],
  ['audit watch x --quorum 2', "Unknown option '--quorum'"],
  ['audit rotate x', 'Unexpected argument: x.'],
])('says of an option of `catalog %s` that it means nothing there', async (call, message) => {
  const { code, stderr } = await catalog(call.split(' '))
  expect([code, stderr]).toEqual([2, expect.stringContaining(`: ${message}`)])
})

it('says in one line that its output cannot be written', async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const launcher = join(import.meta.dirname, '../../bin/catalog.js')
  const child = spawn(process.execPath, [launcher, 'help'], { env: {}, stdio: ['ignore', full, 'pipe'] })
  const [stderr, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')])
  expect([code, stderr]).toEqual([
    1,
    'catalog: the output cannot be written (ENOSPC: no space left on device, write).\n',
  ])
})

describe('catalog token', () => {
  it('makes neither a folder nor a key for a service that is not there', async () => {
    const folder = join(await temporaryFolder(), 'none')
    const { code, stderr } = await catalog(['token', '--user', 'me'], { CATALOG_DATA_DIR: folder })
    expect(code).toBe(1)
    expect(stderr).toMatch(/no key for tokens in .*none\. Start the service first/)
    expect(existsSync(folder)).toBe(false)
  })

  it('names the roles that there are when one is unknown', async () => {
    const secret = { CATALOG_JWT_SECRET: 'x'.repeat(40) }
    const { code, stderr } = await catalog(['token', '--user', 'me', '--role', 'Amin'], secret)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/Amin: no such role\. There are .*Admin/)])
    expect(await catalog(['token', '--user', 'me', '--role', 'Admin'], secret)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ey/),
    })
  })
  it('has a running service make, list and revoke those with names', async () => {
    const service = await startInProcess()
    const tokens = (...args: string[]) =>
      catalog(['token', ...args, '--url', service.url], {
        CATALOG_JWT_SECRET: testSecret,
        CATALOG_BASE_URL: service.url,
      })
    const { stdout } = await tokens('--name', 'nightly', '--role', 'Ingestion')
    const me = () => fetch(`${service.url}/api/v1/me`, { headers: { authorization: `Bearer ${stdout.trim()}` } })
    expect(await (await me()).json()).toMatchObject({ name: 'nightly', roles: ['Ingestion'] })
    expect((await tokens('--list')).stdout).toMatch(/^NAME +ROLES.*\nnightly +Ingestion +\d{4}-/)
    expect(await tokens('--name', 'daily', '--role', 'Amin')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Amin: no such role\. There are .*Admin/),
    })
    expect(await tokens('--revoke', 'nightly')).toMatchObject({
      code: 0,
      stdout: 'The token of nightly is revoked.\n',
    })
    expect((await me()).status).toBe(401)
    expect(await tokens('--revoke', 'nightly')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no token of the name nightly.'),
    })
    const nowhere = await catalog(['token', '--list', '--url', 'http://127.0.0.1:9'], {
      CATALOG_JWT_SECRET: testSecret,
      CATALOG_PORT: '9',
    })
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing answers at http://127.0.0.1:9'),
    })
  })
})

it('catalog serve ends when it cannot store its settings for commands', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'running.json'))
  const { code, stderr } = await catalogProcess(['serve'], { CATALOG_DATA_DIR: folder, CATALOG_PORT: '0' })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/running\.json/)])
})

it('a command ends at once, whatever is left open', async () => {
  const leftOpen = '--import=data:text/javascript,setTimeout(()=>process.stderr.write("late"),4000)'
  const { code, stdout, stderr } = await catalogProcess(['nothing'], { NODE_OPTIONS: leftOpen })
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    expect.stringMatching(/^catalog has no command nothing\.(?![^]*late)/),
  ])
})

it('tells its version, and whoever reads slowly gets all that a command prints', async () => {
  const printed = "--import=data:text/javascript,process.stdout.write('x'.repeat(1e6))"
  const { stdout } = spawn(process.execPath, [join(import.meta.dirname, '../../bin/catalog.js'), '--version'], {
    env: { NODE_OPTIONS: printed },
  })
  // Long after the command has nothing left to do.
  await delay(2000)
  expect((await text(stdout)) === `${'x'.repeat(1e6)}${version}\n`).toBe(true)
})

it.skipIf(skippedUnless(isEmbedded, 'a service that cannot go on', 'the read models are external'))(
  'catalog serve says why it cannot go on, closes, and ends',
  async () => {
    const { folder, process: serving, output } = await startProcess()
    const path = join(folder, 'readmodels.db')
    // A rebuild cannot write where there is a folder.
    await mkdir(`${path}.rebuild`)
    const readModels = new DatabaseSync(path, { timeout: 5000 })
    readModels.exec('UPDATE projections SET checkpoint = 1000000')
    readModels.close()
    const [code] = await once(serving, 'exit')
    expect([code, output()]).toEqual([1, expect.stringMatching(/^catalog serve: .*readmodels\.db\.rebuild/m)])
  },
)

describe('beside a running service', () => {
  it('a load goes on when nobody reads its output any more', async () => {
    const { folder, ...service } = await startInProcess()
    const file = join(folder, 'tables.csv')
    await writeFile(file, `database,schema,table\n${Array.from({ length: 50 }, (_, at) => `d,s,t${at}\n`).join('')}`)
    const args = [join(import.meta.dirname, '../../bin/catalog.js'), 'load', 'csv', file, '--service', 'unread']
    const env = { CATALOG_DATA_DIR: folder, CATALOG_JWT_SECRET: testSecret, CATALOG_BASE_URL: service.url }
    const load = spawn(process.execPath, [...args, '--url', service.url], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    load.stdout.destroy()
    const [said, [code]] = await Promise.all([text(load.stderr), once(load, 'close')])
    expect([code, said]).toEqual([0, ''])
    expect((await service.call('GET', '/v1/tables?service=unread&limit=0')).body.paging.total).toBe(50)
  })

  it('commands have its settings from its folder, its witnesses too, and nothing that is secret', async () => {
    const witness = join(await temporaryFolder(), 'kept.txt')
    const { folder, ...service } = await startProcess({
      CATALOG_JWT_SECRET: '',
      CATALOG_JWT_ISSUER: 'https://id.example.org',
      CATALOG_AUDIT_WITNESS: `${witness}, http://ann:hidden@127.0.0.1:9/log?key=hidden`,
    })
    expect(await readFile(join(folder, 'running.json'), 'utf8')).not.toContain('hidden')
    const env = { CATALOG_DATA_DIR: folder }
    expect((await catalog(['token', '--list'], env)).stdout).toMatch(/No program has a token/)
    const { stdout } = await catalog(['token', '--user', 'me', '--role', 'Admin'], env)
    const answer = await fetch(`${service.url}/api/v1/me`, { headers: { authorization: `Bearer ${stdout.trim()}` } })
    expect(await answer.json()).toMatchObject({ name: 'me' })

    const status = async () => {
      const said = await catalog(['status', '--json'], { ...storesFor(folder), ...env })
      return { code: said.code, witnesses: (JSON.parse(said.stdout) as ServiceStatus).readModels.witnesses }
    }
    await expect.poll(async () => (await status()).witnesses?.[0]?.size).toBeGreaterThan(0)
    const [own, other] = (await status()).witnesses ?? []
    expect([own?.witness, other]).toEqual([witness, { witness: 'http://127.0.0.1:9/log' }])
    await appendFile(witness, (await readFile(witness, 'utf8')).replace(/^\d+$/m, '1'))
    expect(await status()).toMatchObject({ code: 1, witnesses: [{ problem: expect.any(String) }, {}] })

    await service.stop('SIGTERM')
    const { code, stderr } = await catalog(['token', '--list'], { ...env, CATALOG_PORT: '9' })
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing answers at http://127.0.0.1:9')])
  })

  it('a service that was killed leaves nothing that counts, whatever process has its number now', async () => {
    const folder = await temporaryFolder()
    const url = 'http://127.0.0.1:9'
    const forget = storeSettings(environment(folder, {}), configOf(folder), url)
    const note = await readFile(join(folder, 'running.json'))
    const ask = () => catalog(['token', '--user', 'me'], { CATALOG_DATA_DIR: folder })
    expect((await ask()).stderr).toContain('does not share it')
    forget()
    await writeFile(join(folder, 'running.json'), note)
    expect((await ask()).stderr).toContain('Start the service first')
  })

  it('a secret that they need is asked for by its name', async () => {
    const { folder, url } = await startInProcess()
    onTestFinished(storeSettings(environment(folder, {}), configOf(folder), url))
    const env = { CATALOG_DATA_DIR: folder }
    const { code, stderr } = await catalog(['token', '--user', 'me'], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('uses CATALOG_JWT_SECRET and does not share it')])
    expect(await readFile(join(folder, 'running.json'), 'utf8')).not.toContain(testSecret)
    expect((await catalog(['token', '--list'], { ...env, CATALOG_JWT_SECRET: testSecret })).code).toBe(0)
  })
})
