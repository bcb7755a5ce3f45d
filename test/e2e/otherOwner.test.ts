import { spawnSync } from 'node:child_process'
import { chownSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { external, skippedUnless } from '../support/external.ts'
import { longEnough } from '../support/patience.ts'
import { runAll } from '../support/runAll.ts'
import { environment, startBuilt, temporaryDataDir } from '../support/service.ts'

const program = resolve(import.meta.dirname, '../../bin/catalog.js')
const nobody = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0
const embedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined

/** Keys are in the folder, as where nothing is set. */
const settings = { CATALOG_JWT_SECRET: '' }

const folderOfNobody = () => {
  const folder = temporaryDataDir()
  chownSync(folder.path, nobody.uid, nobody.gid)
  return folder
}

const run = (folder: string, args: readonly string[], user = {}): { code: number | null; text: string } => {
  const env = environment(folder, settings)
  const options = { env, encoding: 'utf8', timeout: longEnough, cwd: '/', ...user } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options)
  return { code: status, text: stdout + stderr }
}

/** Runs commands one after the other. @returns their exit codes */
const all = (folder: string, calls: readonly (readonly string[])[], user = {}): string =>
  /\[.*\]$/.exec(runAll(environment(folder, settings), calls, user).trimEnd())?.[0] ?? ''

/** Files that belong to somebody else than the folder does. */
const ofOthers = (folder: string): string[] =>
  readdirSync(folder).filter((name) => {
    const { uid, gid } = statSync(join(folder, name))
    return uid !== nobody.uid || gid !== nobody.gid
  })

describe.skipIf(
  skippedUnless(embedded, 'a folder of another user', 'the stores are external') ||
    skippedUnless(isRoot, 'a folder of another user', 'only root can give files to others'),
)('what root makes in the data folder of another user belongs to that user', () => {
  const [folder, empty, backups] = [folderOfNobody(), folderOfNobody(), temporaryDataDir()]

  beforeAll(async () => {
    await (await startBuilt(folder.path, settings)).stop('SIGKILL')
  })
  afterAll(() => Promise.all([folder, empty, backups].map(({ remove }) => remove())))

  it('after a service that was killed, maintenance and a restore, and the user goes on with it', () => {
    expect(ofOthers(folder.path)).toEqual([])
    const maintenance = [['rebuild'], ['audit rotate'], ['compact'], ['verify'], ['token', '--user', 'me']]
    const backup = join(backups.path, 'backup')
    expect(all(folder.path, [...maintenance, ['backup', backup]])).toBe('[0,0,0,0,0,0]')
    expect(ofOthers(folder.path)).toEqual([])
    expect(all(folder.path, [['rebuild']], nobody)).toBe('[0]')
    expect(all(empty.path, [['restore', backup]])).toBe('[0]')
    expect(ofOthers(empty.path)).toEqual([])
    expect(all(empty.path, [['rebuild']], nobody)).toBe('[0]')
  })

  it.each([
    ['readmodels.db', 'write'],
    ['log.db-wal', 'write'],
    ['jwt.secret', 'read'],
  ])('a start with %s of another user ends at once, and says what may not be used and whose it is', (name, verb) => {
    const path = join(folder.path, name)
    if (name.endsWith('-wal')) writeFileSync(path, '')
    chownSync(path, 0, 0)
    const { code, text } = run(folder.path, ['serve'], nobody)
    expect(code).toBe(1)
    expect(text).toContain(`${path} belongs to root (mode `)
    expect(text).toContain(`), and user 65534 may not ${verb} it. `)
    expect(text).toContain(`run as root: chown -R 65534:65534 ${folder.path}\n`)
    chownSync(path, nobody.uid, nobody.gid)
  })
})
