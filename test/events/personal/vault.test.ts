import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openMongoVault } from '../../../src/events/personal/mongoVault.ts'
import { openSqliteVault } from '../../../src/events/personal/sqliteVault.ts'
import type { VaultKey, Vault } from '../../../src/events/personal/vault.ts'
import { StoreUnavailable } from '../../../src/stores/errors.ts'
import { busyTimeout } from '../../../src/stores/sqlite/versionedTables.ts'
import { external } from '../../support/external.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { limitPages } from '../../support/fullDisk.ts'

const all = async (vault: Vault, only?: 'retired'): Promise<VaultKey[]> => {
  const keys: VaultKey[] = []
  for await (const key of vault.all(only)) keys.push(key)
  return keys
}

const engines: (readonly [name: string, open: () => Promise<Vault>])[] = [
  ['SQLite', async () => openSqliteVault({ path: join(await temporaryFolder(), 'personal.db'), readOnly: false })],
]
const { mongodbUrl } = external
if (mongodbUrl !== undefined)
  engines.push(['MongoDB', () => openMongoVault({ url: mongodbUrl, database: `vault-${randomUUID()}` })])
else process.stdout.write('CATALOG_TEST_MONGODB_URL is not set: the vault in MongoDB is NOT tested.\n')

describe.each(engines)('a vault in %s', (_, open) => {
  const opened = async (): Promise<Vault> => {
    const vault = await open()
    onTestFinished(() => vault.close())
    return vault
  }

  it('gives each subject a key of its own, the same until it is retired', async () => {
    const vault = await opened()
    const [ann, again, bob] = [
      await vault.current('user-ann'),
      await vault.current('user-ann'),
      await vault.current('user-bob'),
    ]
    expect(again).toEqual(expect.objectContaining({ id: ann.id, key: ann.key }))
    expect(ann.key).toHaveLength(32)
    expect(bob.id).not.toBe(ann.id)
    expect(bob.key.equals(ann.key)).toBe(false)
    expect(await vault.retire('user-ann')).toEqual([ann.id])
    const next = await vault.current('user-ann')
    expect(next.id).not.toBe(ann.id)
    expect((await vault.retire('user-ann')).toSorted()).toEqual([ann.id, next.id].toSorted())
  })

  it('gives who asks at the same time for one subject one key, and for others others, all of them kept', async () => {
    const vault = await opened()
    const subjects = ['user-ann', 'user-bob', ...Array.from({ length: 20 }, () => 'user-ann')]
    const keys = await Promise.all(subjects.map((subject) => vault.current(subject)))
    const [ann, bob, ...again] = keys.map(({ id }) => id)
    expect(new Set(again)).toEqual(new Set([ann]))
    expect(bob).not.toBe(ann)
    expect((await all(vault)).map(({ id }) => id).toSorted()).toEqual([ann, bob].toSorted())
  })

  it('opens with retired keys, and not with destroyed ones', async () => {
    const vault = await opened()
    const { id, key } = await vault.current('user-ann')
    await vault.retire('user-ann')
    expect((await vault.keys([id, randomUUID()])).get(id)).toEqual(key)
    expect((await all(vault, 'retired')).map(({ id: each, subject }) => [each, subject])).toEqual([[id, 'user-ann']])
    await vault.destroy('user-ann', [id])
    expect((await vault.keys([id])).get(id)).toHaveLength(0)
    const unknown = randomUUID()
    await vault.destroy('user-ann', [unknown])
    expect((await vault.keys([unknown])).get(unknown)).toHaveLength(0)
    expect(await vault.retire('user-ann')).toEqual([])
    expect(await all(vault)).toEqual([])
  })

  it('takes keys over once, and that one was retired later', async () => {
    const [from, to] = [await opened(), await opened()]
    const ann = await from.current('user-ann')
    await to.add(await all(from))
    await from.retire('user-ann')
    await from.current('user-ann')
    await to.add(await all(from))
    await to.add(await all(from))
    expect((await all(to)).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      (await all(from)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
    expect((await to.keys([ann.id])).get(ann.id)).toEqual(ann.key)
  })
})

describe('a vault in SQLite', () => {
  it('is a file that only its owner reads, in which nothing of a destroyed key is left', async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'personal.db')
    const vault = openSqliteVault({ path, readOnly: false })
    const { id, key } = await vault.current('user-ann')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    chmodSync(path, 0o644)
    await openSqliteVault({ path, readOnly: false }).close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path).includes(key)).toBe(true)
    await vault.destroy('user-ann', [id])
    const withKey = readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(key))
    expect(withKey).toEqual([])
    await vault.close()
  })

  it('leaves a destroyed key in no journal, also of a process that died in between', async () => {
    const path = join(await temporaryFolder(), 'personal.db')
    const journal = `${path}-journal`
    const vault = openSqliteVault({ path, readOnly: false })
    const { id, key } = await vault.current('user-ann')
    await vault.retire('user-ann')
    expect([statSync(journal).mode & 0o777, readFileSync(journal).includes(key)]).toEqual([0o600, true])
    await vault.destroy('user-ann', [id])
    expect(readFileSync(journal).includes(key)).toBe(false)
    await vault.close()
    const bytes = readFileSync(journal)
    key.copy(bytes, bytes.length - key.length)
    writeFileSync(journal, bytes)
    const again = openSqliteVault({ path, readOnly: false })
    expect(readFileSync(journal).includes(key)).toBe(false)
    expect((await again.keys([id])).get(id)).toHaveLength(0)
    await again.close()
  })

  it('waits for another process that reads it without holding up this one, and is unavailable if that takes long', async () => {
    const path = join(await temporaryFolder(), 'personal.db')
    const vault = openSqliteVault({ path, readOnly: false, wait: 200 })
    const { id } = await vault.current('user-ann')
    const other = new DatabaseSync(path)
    other.exec('BEGIN; SELECT * FROM keys')
    const begun = performance.now()
    const [destroyed, made] = [vault.destroy('user-ann', [id]), vault.current('user-bob')]
    expect(performance.now() - begun).toBeLessThan(busyTimeout)
    await Promise.all([destroyed, made].map((each) => expect(each).rejects.toThrow(StoreUnavailable)))
    const later = vault.destroy('user-ann', [id])
    other.close()
    await later
    expect((await vault.keys([id])).get(id)).toHaveLength(0)
    await vault.close()
  })

  it.each([false, true])('is named where it is damaged (only read: %s)', async (readOnly) => {
    const path = join(await temporaryFolder(), 'personal.db')
    writeFileSync(path, 'x'.repeat(8000))
    expect(() => openSqliteVault({ path, readOnly })).toThrow(`${path} is damaged: restore it from a backup`)
  })

  it('is unavailable while the disk is full, and goes on when there is room', async () => {
    const path = join(await temporaryFolder(), 'personal.db')
    const vault = openSqliteVault({ path, readOnly: false })
    onTestFinished(() => vault.close())
    await vault.current('user-ann')
    limitPages(path, 1)
    const keys = Array.from({ length: 500 }, (_, at) => ({
      id: `key-${at}`,
      subject: `user-${at}`,
      key: Buffer.alloc(32),
      retired: false,
    }))
    await expect(vault.add(keys)).rejects.toThrow(StoreUnavailable)
    limitPages(path, 100_000)
    await vault.add(keys)
    expect(await all(vault)).toHaveLength(501)
  })

  it('a vault in SQLite that is only read is empty where there is none', async () => {
    const vault = openSqliteVault({ path: join(await temporaryFolder(), 'personal.db'), readOnly: true })
    expect((await vault.keys([randomUUID()])).size).toBe(0)
    expect(await all(vault)).toEqual([])
    await vault.close()
  })
})
