import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createDataFolder,
  DataFolderInUse,
  lockDataFolder,
  readOrCreate,
  readOrCreateSecret,
  replaceSecret,
} from '../../../src/stores/sqlite/dataFolder.ts'
import { skippedUnless } from '../../support/external.ts'
import { temporaryFolder } from '../../support/folders.ts'

const mode = (path: string): number => statSync(path).mode & 0o777

const hold = (path: string) => {
  const folder = lockDataFolder(path)
  onTestFinished(() => folder.close())
  return folder
}

describe('the data folder', () => {
  test('is created with its parents for its owner alone', async () => {
    const path = join(await temporaryFolder(), 'a', 'b')
    expect(createDataFolder(path)).toBe(path)
    expect(mode(path)).toBe(0o700)
    expect(createDataFolder(path)).toBe(path)
  })

  test('is held by one at a time, and the other is told by whom', async () => {
    const path = await temporaryFolder()
    const first = hold(path)
    expect(() => lockDataFolder(path)).toThrow(DataFolderInUse)
    expect(() => lockDataFolder(path)).toThrow(`Another process (pid ${process.pid}) uses the data folder ${path}.`)
    first.close()
    first.close()
    hold(path)
  })

  test('is not held by who could not say so there', async () => {
    const path = await temporaryFolder()
    mkdirSync(join(path, 'lock.pid'))
    expect(() => lockDataFolder(path)).toThrow('EISDIR')
    rmSync(join(path, 'lock.pid'), { recursive: true })
    hold(path)
  })

  test('is not opened on a disk that is full, and the reason says what to do', async () => {
    const path = await temporaryFolder()
    expect(() => lockDataFolder(path, () => 2 ** 20 - 1)).toThrow(
      `The disk of the data folder ${path} is full: 1023 KiB are free, and the stores need 1 MiB to be opened. Make room`,
    )
    expect(readdirSync(path)).toEqual([])
    lockDataFolder(path, () => 2 ** 20).close()
  })
})

describe('a secret of the data folder', () => {
  test('is replaced where its link leads to, and nothing of the former one is left', async () => {
    const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
    const [link, file] = [join(folder, 'audit.key'), join(elsewhere, 'the.key')]
    writeFileSync(file, 'former\n')
    symlinkSync(file, link)
    replaceSecret(link, 'present')
    expect(readlinkSync(link)).toBe(file)
    expect([readFileSync(file, 'utf8'), mode(file)]).toEqual(['present\n', 0o600])
    expect([readdirSync(folder), readdirSync(elsewhere)]).toEqual([['audit.key'], ['the.key']])
  })

  test.skipIf(skippedUnless(process.getuid?.() === 0, 'files of other users', 'only root can give files to others'))(
    'belongs to the owner of the one that it replaces, and a new one to the owner of its folder',
    async () => {
      const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
      const file = join(elsewhere, 'the.key')
      writeFileSync(file, 'former\n')
      for (const path of [folder, file]) chownSync(path, 65534, 65533)
      replaceSecret(file, 'present')
      readOrCreateSecret(folder, 'jwt.secret')
      lockDataFolder(folder).close()
      for (const path of [file, join(folder, 'jwt.secret'), join(folder, 'lock.db')])
        expect(statSync(path), path).toMatchObject({ uid: 65534, gid: 65533 })
    },
  )

  test('that cannot be put in its place is left nowhere else', async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'audit.key')
    mkdirSync(path)
    expect(() => replaceSecret(path, 'present')).toThrow()
    expect(readdirSync(folder)).toEqual(['audit.key'])
  })

  test('is made once, for its owner alone, and stays', async () => {
    const path = await temporaryFolder()
    const secret = readOrCreateSecret(path, 'jwt.secret')
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    expect(readOrCreateSecret(path, 'jwt.secret')).toBe(secret)
    expect(readOrCreateSecret(path, 'sealing.key')).not.toBe(secret)
    expect(mode(join(path, 'jwt.secret'))).toBe(0o600)
    expect(readdirSync(path).toSorted()).toEqual(['jwt.secret', 'sealing.key'])
  })

  test('is that of another process, where that makes one at the same time', async () => {
    const path = await temporaryFolder()
    const make = (): string => {
      writeFileSync(join(path, 'jwt.secret'), 'theirs\n')
      return 'ours'
    }
    expect(readOrCreate(path, 'jwt.secret', make)).toBe('theirs')
  })

  test('a secret that is damaged is not replaced by a new one', async () => {
    const path = await temporaryFolder()
    writeFileSync(join(path, 'sealing.key'), '')
    expect(() => readOrCreateSecret(path, 'sealing.key')).toThrow('too short')
  })
})
