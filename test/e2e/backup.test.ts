import fs, { readlinkSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { listening } from '../support/listening.ts'
import { startInProcess } from '../support/running.ts'
import { runCliAlongside } from '../support/service.ts'

const areEmbedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined

const valueIn = (path: string, sql: string): string => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return String(Object.values(database.prepare(sql).get() ?? {})[0])
  } finally {
    database.close()
  }
}

it.skipIf(skippedUnless(areEmbedded, 'restore', 'the stores are external'))(
  'a backup is restored into a folder without a log alone, and the newest backups are kept',
  async () => {
    const service = await startInProcess()
    expect((await service.call('POST', '/v1/glossaries', { name: 'kept' })).status).toBe(201)
    const backups = await temporaryFolder()
    // What is beside the backups is not theirs, also where its name can be read as a time.
    const others = ['1', '2024', '2025-12', '2025-12-01']
    for (const name of others) await mkdir(join(backups, name))
    const folders: string[][] = []
    for (let round = 0; round < 3; round++) {
      expect(await catalogOn(service.folder, ['backup', backups, '--keep', '2'])).toMatchObject({ code: 0 })
      const names = (await readdir(backups)).toSorted()
      expect(names).toEqual(expect.arrayContaining(others))
      folders.push(names.filter((name) => !others.includes(name)))
    }
    expect(folders.map(({ length }) => length)).toEqual([1, 2, 2])
    expect(folders[2]?.[0]).toBe(folders[1]?.[1])
    const newest = join(backups, folders[2]?.[1] as string)
    expect(await catalogOn(service.folder, ['restore', newest])).toMatchObject({ code: 1 })
    await service.close()
    const { code, stderr } = await catalogOn(service.folder, ['restore', newest])
    expect([code, stderr]).toEqual([1, expect.stringContaining('already has log.db, ')])
    expect(await catalogOn(service.folder, ['backup', backups, '--keep', '0'])).toMatchObject({ code: 2 })
    const elsewhere = { CATALOG_AUDIT_KEY_FILE: join(service.folder, 'audit.key') }
    const other = join(backups, 'other')
    await mkdir(join(other, 'incomplete'), { recursive: true })
    const { stdout } = await catalogOn(service.folder, ['backup', other], elsewhere)
    expect(stdout).toContain(`Not copied: CATALOG_AUDIT_KEY_FILE (${elsewhere.CATALOG_AUDIT_KEY_FILE})`)
    expect(stdout).toContain('Not copied: CATALOG_JWT_SECRET')
    expect(await readdir(other)).not.toContain('audit.key')
    const fresh = await temporaryFolder()
    expect(await catalogOn(fresh, ['restore', newest])).toMatchObject({ code: 0 })
    const again = await startInProcess({}, fresh)
    expect((await again.call('GET', '/v1/glossaries/name/kept')).status).toBe(200)
  },
)

it.skipIf(skippedUnless(areEmbedded, 'backup', 'the stores are external'))(
  'a backup during which somebody is forgotten and somebody comes has the keys of its log, no more and no less',
  async () => {
    const service = await startInProcess()
    const put = (name: string) => service.call('PUT', '/v1/users', { name, email: `${name}@example.org` })
    const { id } = (await put('leaver')).body
    const { rename } = fs.promises
    fs.promises.rename = async (from, to) => {
      if (String(from).endsWith('log.db.unfinished')) {
        expect((await service.call('POST', `/v1/users/${id}/forget`)).status).toBe(200)
        expect((await put('comer')).status).toBe(201)
      }
      await rename(from, to)
    }
    syncBuiltinESMExports()
    const backup = join(await temporaryFolder(), 'backup')
    try {
      expect(await catalogOn(service.folder, ['backup', backup])).toMatchObject({ code: 0 })
    } finally {
      Object.assign(fs.promises, { rename })
      syncBuiltinESMExports()
    }
    expect(valueIn(join(backup, 'personal.db'), 'SELECT count(*) FROM keys WHERE length(key) > 0')).toBe('2')
    const fresh = await temporaryFolder()
    expect(await catalogOn(fresh, ['restore', backup])).toMatchObject({ code: 0 })
    const restored = await startInProcess({}, fresh)
    expect((await restored.call('GET', `/v1/users/${id}`)).body.email).toBe('leaver@example.org')
  },
)

it.skipIf(skippedUnless(areEmbedded, 'backup', 'the stores are external'))(
  'the backup that was just made is the newest of those that are kept, although the clock was set back',
  async () => {
    const service = await startInProcess()
    await service.close()
    const backups = await temporaryFolder()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const made: (string | undefined)[] = []
    for (const hours of [0, 1, -3, -2]) {
      vi.setSystemTime(Date.UTC(2030, 0, 2, hours))
      const { stdout } = await catalogOn(service.folder, ['backup', backups, '--keep', '2'])
      made.push(/^Copied to .*\/(\S+)\. To restore/m.exec(stdout)?.[1])
      expect((await readdir(backups)).toSorted()).toEqual(made.slice(-2))
    }
    expect(made).toEqual(
      ['00-00-00.000Z', '01-00-00.000Z', '01-00-00.001Z', '01-00-00.002Z'].map((at) => `2030-01-02T${at}`),
    )
  },
)

it.skipIf(skippedUnless(areEmbedded, 'restore', 'the stores are external'))(
  'a backup is not restored beside what is left of another catalog: its keys, or what a killed service had not moved into its log',
  async () => {
    const service = await startInProcess()
    const backup = join(await temporaryFolder(), 'backup')
    expect(await catalogOn(service.folder, ['backup', backup])).toMatchObject({ code: 0 })
    expect((await service.call('POST', '/v1/glossaries', { name: 'later' })).status).toBe(201)
    const left = await temporaryFolder()
    for (const suffix of ['-wal', '-shm'])
      await copyFile(join(service.folder, `log.db${suffix}`), join(left, `log.db${suffix}`))
    await writeFile(join(left, 'sealing.key'), 'of another catalog')
    await writeFile(join(left, 'log.id'), '317aaf86-0000-4000-8000-000000000000')
    const { code, stderr } = await catalogOn(left, ['restore', backup])
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('already has log.db-wal, log.db-shm, log.id, sealing.key'),
    ])
    expect(await readFile(join(left, 'sealing.key'), 'utf8')).toBe('of another catalog')
    for (const name of ['log.db-wal', 'log.db-shm', 'log.id', 'sealing.key']) await rm(join(left, name))
    expect(await catalogOn(left, ['restore', backup])).toMatchObject({ code: 0 })
    expect(await catalogOn(left, ['audit', 'verify'])).toMatchObject({ code: 0 })
  },
)

it.skipIf(skippedUnless(areEmbedded, 'backup', 'the stores are external'))(
  'a backup names what it does not copy, and has no key that the service does not use',
  async () => {
    const service = await startInProcess({ CATALOG_JWT_SECRET: '' })
    await service.close()
    const kept = {
      CATALOG_JWT_SECRET: 'j'.repeat(32),
      CATALOG_SECRET_KEY: 's'.repeat(32),
      CATALOG_POLICIES_FILE: '/policies.yaml',
      CATALOG_MONGODB_URL: 'mongodb://u:secret@127.0.0.1:1/catalog',
    }
    const copies = await temporaryFolder()
    const { code, stdout } = await catalogOn(service.folder, ['backup', join(copies, 'with')], kept)
    expect([code, stdout.split('\n').flatMap((line) => /^Not copied: (\w+)/.exec(line)?.[1] ?? [])]).toEqual([
      0,
      ['CATALOG_MONGODB_URL', 'CATALOG_SECRET_KEY', 'CATALOG_JWT_SECRET', 'CATALOG_POLICIES_FILE'],
    ])
    expect(stdout).not.toMatch(/jjj|sss|u:secret/)
    expect((await readdir(join(copies, 'with'))).toSorted()).toEqual(['audit.key', 'log.db'])
    const without = { CATALOG_JWT_SECRET: '' }
    expect((await catalogOn(service.folder, ['backup', join(copies, 'all')], without)).stdout).not.toContain(
      'Not copied',
    )
    expect(await readdir(join(copies, 'all'))).toEqual(
      expect.arrayContaining(['sealing.key', 'jwt.secret', 'webhooks.db']),
    )
  },
)

it.skipIf(skippedUnless(areEmbedded, 'backup', 'the stores are external'))(
  'beside a log in EventStoreDB a backup has the keys of personal values and the webhooks, and is restored there',
  async () => {
    const service = await startInProcess()
    expect((await service.call('PUT', '/v1/users', { name: 'ann', displayName: 'Ann' })).status).toBe(201)
    await service.close()
    const env = { CATALOG_EVENTSTORE_URL: 'esdb://u:secret@127.0.0.1:1?tls=false' }
    const backups = await temporaryFolder()
    const { code, stdout } = await catalogOn(service.folder, ['backup', backups, '--keep', '1'], env)
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('Not copied: CATALOG_EVENTSTORE_URL, which has the log'),
    ])
    expect(stdout).not.toContain('u:secret')
    expect(await catalogOn(service.folder, ['backup', backups, '--keep', '1'], env)).toMatchObject({ code: 0 })
    const [newest, ...older] = await readdir(backups)
    expect(older).toEqual([])
    const copy = join(backups, newest as string)
    const names = ['audit.key', 'personal.db', 'sealing.key', 'webhooks.db']
    expect((await readdir(copy)).toSorted()).toEqual(names)
    const fresh = await temporaryFolder()
    const embedded = await catalogOn(fresh, ['restore', copy])
    expect([embedded.code, embedded.stderr]).toEqual([1, expect.stringContaining('no log.db')])
    expect(await catalogOn(fresh, ['restore', copy], env)).toMatchObject({ code: 0 })
    expect((await readdir(fresh)).filter((name) => names.includes(name)).toSorted()).toEqual(names)
    expect(await catalogOn(fresh, ['restore', copy], env)).toMatchObject({ code: 1 })
    await rm(join(copy, 'webhooks.db'))
    const { stderr } = await catalogOn(await temporaryFolder(), ['restore', copy], env)
    expect(stderr).toContain('has no webhooks.db: it is not a complete backup')
  },
)

it('with both stores on servers, a backup names what to copy instead', async () => {
  const urls = {
    CATALOG_EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
    CATALOG_MONGODB_URL: 'mongodb://127.0.0.1:1/c',
  }
  const folder = await temporaryFolder()
  const { code, stderr } = await catalogOn(folder, ['backup', join(folder, 'copy')], urls)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/sealing\.key, audit\.key.* dist\/docs\/distributed\.html/)])
})

it.skipIf(skippedUnless(areEmbedded, 'backup', 'the stores are external'))(
  'a backup that fails or is interrupted takes the place of no other, and cannot be restored',
  async () => {
    const service = await startInProcess()
    await service.call('PUT', '/v1/users', { name: 'ann', displayName: 'Ann' })
    await service.close()
    const backups = await temporaryFolder()
    const backUp = () => catalogOn(service.folder, ['backup', backups, '--keep', '1'])
    expect(await backUp()).toMatchObject({ code: 0 })
    const [good] = await readdir(backups)
    for (const folder of [service.folder, join(backups, good as string)])
      for (const name of await readdir(folder))
        expect([name, (await stat(join(folder, name))).mode & 0o077]).toEqual([name, 0])

    const keys = join(service.folder, 'personal.db')
    await rm(keys)
    await mkdir(keys)
    expect(await backUp()).toMatchObject({ code: 1 })
    const [, failed] = (await readdir(backups)).toSorted()
    expect([await readdir(join(backups, failed as string)), await readdir(backups)]).toEqual([[], [good, failed]])
    await rm(keys, { recursive: true })

    const killed = join(backups, '2020-01-01T00-00-00.000Z')
    await mkdir(join(killed, 'incomplete'), { recursive: true })
    await writeFile(join(killed, 'incomplete', 'log.db'), 'half')
    const fresh = join(await temporaryFolder(), 'data')
    const { code, stderr } = await catalogOn(fresh, ['restore', killed])
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not a complete backup')])
    await expect(readdir(fresh)).rejects.toThrow('ENOENT')
    const later = join(backups, '2999-01-01T00-00-00.000Z')
    await mkdir(later)
    expect(await backUp()).toMatchObject({ code: 0 })
    const [newest, ...others] = (await readdir(backups)).toSorted()
    expect([newest === good, others]).toEqual([false, ['2999-01-01T00-00-00.000Z']])
    expect(await readdir(join(backups, newest as string))).toContain('log.db')
  },
)

it.skipIf(skippedUnless(areEmbedded && process.platform === 'linux', 'backup', 'the stores are external'))(
  'a backup is on the disk with all its files and folders before it counts as one',
  async () => {
    const service = await startInProcess({ CATALOG_JWT_SECRET: '' })
    const above = await temporaryFolder()
    const target = join(above, 'new', 'backup')
    const { fsyncSync } = fs
    const synced: string[] = []
    fs.fsyncSync = (handle) => {
      const path = relative(above, readlinkSync(`/proc/self/fd/${handle}`))
      synced.push(fs.existsSync(join(target, 'log.db')) ? `${path}, complete` : path)
      fsyncSync(handle)
    }
    syncBuiltinESMExports()
    try {
      expect(await catalogOn(service.folder, ['backup', target], { CATALOG_JWT_SECRET: '' })).toMatchObject({ code: 0 })
    } finally {
      Object.assign(fs, { fsyncSync })
      syncBuiltinESMExports()
    }
    const copied = (await readdir(target)).map((name) => `new/backup/incomplete/${name}`)
    expect(copied).toContain('new/backup/incomplete/sealing.key')
    expect([synced.slice(0, 2), synced.slice(2, -2).toSorted(), synced.slice(-2)]).toEqual([
      ['', 'new'],
      copied.toSorted(),
      ['new/backup', 'new/backup, complete'],
    ])
  },
)

it.skipIf(skippedUnless(areEmbedded, 'backup', 'the stores are external'))(
  'a backup that is made while events are written and delivered has no checkpoint beyond its log',
  async () => {
    const endpoint = await listening((request, response) => request.resume().on('end', () => response.end()))
    const service = await startInProcess({ CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' })
    expect((await service.call('POST', '/v1/webhooks', { name: 'w', endpoint })).status).toBe(201)
    let stopped = false
    const writing = (async () => {
      for (let index = 0; !stopped; index++) await service.call('POST', '/v1/glossaries', { name: `g${index}` })
    })()
    const copies = await temporaryFolder()
    for (let round = 0; round < 3; round++) {
      const copy = join(copies, String(round))
      expect(await runCliAlongside(service.folder, ['backup', copy])).toMatchObject({ code: 0 })
      const delivered = valueIn(join(copy, 'webhooks.db'), "SELECT progress ->> 'position' FROM webhooks")
      expect(Number(delivered)).toBeLessThanOrEqual(
        Number(valueIn(join(copy, 'log.db'), 'SELECT max(position) FROM events')),
      )
    }
    stopped = true
    await writing
  },
)
