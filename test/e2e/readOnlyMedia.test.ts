import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readStatus } from '../../src/cli/status.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startBuilt, temporaryDataDir } from '../support/service.ts'
import { runAll } from '../support/runAll.ts'
import { openService } from '../support/running.ts'
import { waitFor } from '../support/waitFor.ts'

/** Calls that give a process a view of its own in which it may mount: for root, and for others where they may. */
const namespaces = [['-m'], ['-rm']]
const enter = namespaces.find(
  (flags) => spawnSync('unshare', [...flags, 'mount', '--bind', '/tmp', '/tmp']).status === 0,
)

const embedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined

/** What commands say in a folder that they may only read. */
type Reading = (folder: string, ...calls: (readonly string[])[]) => string

/** The folder is on read-only media; everybody else may go on writing there. */
const onReadOnly: Reading = (folder, ...calls) => {
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
  const through = ['unshare', ...(enter ?? []), 'sh', '-c', script, folder]
  return runAll({ ...process.env, CATALOG_DATA_DIR: folder }, calls, {}, through)
}

/** Root may write everything: the commands run as nobody. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
const canBeUser = spawnSync(process.execPath, ['--eval', ''], user).status === 0

const mayRead = (path: string): void => {
  chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444)
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) mayRead(join(path, name))
}

/** The user has only the right to read the folder. */
const asReader: Reading = (folder, ...calls) => runAll({ ...process.env, CATALOG_DATA_DIR: folder }, calls, user)

/** Every file of a folder with its content. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]))

/** Keys are in the folder, as where nothing is set. */
const settings = { CATALOG_JWT_SECRET: '' }

const foldersIn = (parent: string) => ({
  running: join(parent, 'running'),
  killed: join(parent, 'killed'),
  without: join(parent, 'without'),
  stopped: join(parent, 'stopped'),
})

/** Services that were killed, killed and copied without shared memory, and stopped. */
const prepare = async ({ killed, without, stopped }: ReturnType<typeof foldersIn>): Promise<void> => {
  const service = await startBuilt(killed, settings)
  const token = (await catalogOn(killed, ['token', '--user', 'me', '--role', 'Admin'], settings)).stdout.trim()
  expect((await service.call('POST', '/v1/glossaries', { name: 'g' }, { token })).status).toBe(201)
  await shown(killed)
  await service.stop('SIGKILL')
  for (const copy of [without, stopped]) cpSync(killed, copy, { recursive: true })
  for (const name of readdirSync(without)) if (name.endsWith('-shm')) rmSync(join(without, name))
  await (await openService(settings, stopped)).close()
}

/** All commands that only read, as docs/reference/commands.md names them, with a backup whose copy is whole. */
const readsAll = async (folder: string, read: Reading = onReadOnly): Promise<void> => {
  const out = await temporaryFolder()
  chmodSync(out, 0o777)
  const copy = join(out, 'copy')
  const text = read(
    folder,
    ['audit verify'],
    ['verify'],
    ['replay', '--kind', 'glossary'],
    ['status'],
    ['audit export', '--since', '2020-01-01', '--output', join(out, 'evidence.tar.gz')],
    ['backup', copy],
  )
  expect(text).toContain(': Nothing was changed.')
  expect(text).toContain('The read models agree with the log.')
  expect(text).toContain('"fullyQualifiedName":"g"')
  expect(text).toMatch(/event store +sqlite .*: up[^]*read models +sqlite .*: up/)
  expect(text).toMatch(/\d events with their proofs in/)
  expect(text).toContain('[0,0,0,0,0,0]')
  expect(readdirSync(copy).toSorted()).toEqual(['audit.key', 'jwt.secret', 'log.db', 'sealing.key', 'webhooks.db'])
  for (const name of ['log.db', 'webhooks.db']) expect(statSync(join(copy, name)).mode & 0o200, name).toBe(0o200)
  expect((await catalogOn(copy, ['replay', '--kind', 'glossary'])).stdout).toContain('"fullyQualifiedName":"g"')
}

/** Waits until the read models on disk have come as far as the log: a kill undoes what was not committed yet. */
const shown = (folder: string) =>
  waitFor(async () => {
    const { readModels } = await readStatus(readConfig({ CATALOG_DATA_DIR: folder }))
    return readModels.projections?.every(({ behind }) => behind === '0') === true
  })

describe.skipIf(skippedUnless(embedded, 'folders that may only be read', 'the stores are external'))(
  'what only reads',
  () => {
    const parent = temporaryDataDir()
    const folders = foldersIn(parent.path)
    const { running, killed, without, stopped } = folders

    beforeAll(() => prepare(folders))
    afterAll(() => parent.remove())

    describe.skipIf(skippedUnless(enter !== undefined, 'read-only media', 'nothing can be mounted here'))(
      'works on read-only media',
      () => {
        it('beside a service that writes there', async () => {
          cpSync(killed, running, { recursive: true })
          const service = await startBuilt(running, settings)
          onTestFinished(async () => void (await service.stop()))
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

        it('and a command that must write says so', () => {
          const text = onReadOnly(stopped, ['serve'], ['rebuild'])
          expect(
            text.match(
              /The data folder \S+stopped, which CATALOG_DATA_DIR names, cannot be written\. What only reads works there: /g,
            ),
          ).toHaveLength(2)
        })
      },
    )

    it.skipIf(skippedUnless(canBeUser, 'a folder of another user', 'Node.js cannot be run as nobody'))(
      'works where the user may only read what a killed service left, without its shared memory, and leaves every file as it is',
      async () => {
        const outer = await temporaryFolder()
        const folder = join(outer, 'data')
        cpSync(without, folder, { recursive: true })
        mayRead(outer)
        onTestFinished(() => [outer, folder].forEach((path) => chmodSync(path, 0o755)))
        const before = contentOf(folder)
        await readsAll(folder, asReader)
        expect(contentOf(folder)).toEqual(before)
      },
    )
  },
)
