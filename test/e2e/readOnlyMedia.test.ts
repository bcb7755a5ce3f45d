import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runCli, startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'
import { longEnough } from '../support/patience.ts'

const root = resolve(import.meta.dirname, '../..')

/** Calls that give a process a view of its own in which it may mount: for root, and for others where they may. */
const namespaces = [['-m'], ['-rm']]
const enter = namespaces.find(
  (flags) => spawnSync('unshare', [...flags, 'mount', '--bind', '/tmp', '/tmp']).status === 0,
)

const embedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined

/** Runs commands one after the other, in one process, and writes the exit codes last. */
const runAll = `
  const { commands } = await import(process.argv[1] + '/commands.js')
  const { parseCall } = await import(process.argv[1] + '/command/command.js')
  const codes = []
  for (const [name, ...args] of JSON.parse(process.argv[2])) {
    const command = await commands[name].load()
    codes.push(await command.run(parseCall(command, args)).catch(({ message }) => message))
  }
  process.stdout.write(JSON.stringify(codes) + '\\n')`

/** What commands say to which the folder is on read-only media; everybody else may go on writing there. */
const onReadOnly = (folder: string, ...calls: (readonly string[])[]): string => {
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
  const node = [process.execPath, '--input-type=module', '-e', runAll, join(root, 'dist/cli')]
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...(enter ?? []), 'sh', '-c', script, folder, ...node, JSON.stringify(calls)],
    { env: { ...process.env, CATALOG_DATA_DIR: folder }, encoding: 'utf8', timeout: longEnough },
  )
  return stdout + stderr
}

/** Every file of a folder with its content. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]))

/** All commands that only read, and a backup whose copy is whole. */
const readsAll = async (folder: string): Promise<void> => {
  const copy = join(await temporaryFolder(), 'copy')
  const said = onReadOnly(
    folder,
    ['audit', 'verify'],
    ['verify'],
    ['replay', '--kind', 'glossary'],
    ['status'],
    ['backup', copy],
  )
  expect(said).toContain(': Nothing was changed.')
  expect(said).toContain('The read models agree with the log.')
  expect(said).toContain('"fullyQualifiedName":"g"')
  expect(said).toMatch(/event store +sqlite .*: up[^]*read models +sqlite .*: up/)
  expect(said).toContain('[0,0,0,0,0]')
  expect(readdirSync(copy).toSorted()).toEqual([
    'audit.key',
    'audit.pub',
    'jwt.secret',
    'log.db',
    'sealing.key',
    'webhooks.db',
  ])
  expect(onReadOnly(copy, ['replay', '--kind', 'glossary'])).toContain('"fullyQualifiedName":"g"')
}

const names = ['running', 'killed', 'without', 'stopped'] as const

describe.skipIf(
  skippedUnless(embedded, 'read-only media', 'the stores are external') ||
    skippedUnless(enter !== undefined, 'read-only media', 'nothing can be mounted here'),
)('on read-only media everything that only reads works', () => {
  const parent = temporaryDataDir()
  const [running, killed, without, stopped] = names.map((name) => join(parent.path, name)) as [
    string,
    string,
    string,
    string,
  ]
  let service: RunningService

  beforeAll(async () => {
    // Keys are in the folder, as where nothing is set.
    const settings = { CATALOG_JWT_SECRET: '' }
    service = await startBuilt(killed, settings)
    const token = onReadOnly(killed, ['token', '--user', 'me', '--role', 'Admin']).split('\n')[0] as string
    expect((await service.call('POST', '/v1/glossaries', { name: 'g' }, { token })).status).toBe(201)
    await service.stop('SIGKILL')
    for (const copy of [running, without, stopped]) cpSync(killed, copy, { recursive: true })
    for (const name of readdirSync(without)) if (name.endsWith('-shm')) rmSync(join(without, name))
    await (await startBuilt(stopped, settings)).stop()
    service = await startBuilt(running, settings)
  })
  afterAll(async () => {
    await service.stop()
    await parent.remove()
  })

  it('beside a service that writes there', async () => {
    expect(readdirSync(running)).toContain('log.db-shm')
    await readsAll(running)
  })

  it.each([
    ['stopped', stopped, []],
    ['was killed', killed, ['log.db-shm', 'log.db-wal']],
    ['was killed, in a copy without its shared memory', without, ['log.db-wal']],
  ])('behind a service that %s, and every file stays as it is', async (_, folder, beside) => {
    const before = contentOf(folder)
    expect(Object.keys(before).filter((name) => name.startsWith('log.db-'))).toEqual(beside)
    await readsAll(folder)
    expect(contentOf(folder)).toEqual(before)
  })

  it('a command that must write says so', () => {
    const said = onReadOnly(stopped, ['serve'], ['rebuild'])
    expect(
      said.match(
        /The data folder \S+stopped, which CATALOG_DATA_DIR names, cannot be written\. What only reads works there: /g,
      ),
    ).toHaveLength(2)
  })
})

it.skipIf(skippedUnless(embedded, 'a folder that is missing', 'the stores are external'))(
  'what only reads makes no folder where there is none',
  async () => {
    const folder = join(await temporaryFolder(), 'none')
    const { code, stderr } = runCli(folder, ['audit', 'verify'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no log.db in ${folder}.`)])
    expect(existsSync(folder)).toBe(false)
  },
)
