import { chmod, copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { backup as copyDatabase } from 'node:sqlite'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { holdFolder } from '../../composition/engines.ts'
import type { Config } from '../../composition/settings/config.ts'
import { files, keyFiles } from '../../composition/settings/fixedNames.ts'
import { openSqliteVault } from '../../events/personal/sqliteVault.ts'
import { openSqliteEventStore } from '../../events/sqlite/store.ts'
import { makeFolder, sync } from '../../stores/sqlite/dataFolder.ts'
import { giveToOwner } from '../../stores/sqlite/ownership.ts'
import { MissingStore, openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { withResource, print, UsageError, type CliCommand } from '../command/command.ts'
import { hasOtherSealingKey, readSettings } from '../command/settings.ts'

/** Settings of a catalog with a store in the data folder. @throws Error if both are on servers */
const settingsWithStore = (): Config => {
  const config = readSettings(process.env, 'stores')
  if (config.eventStoreUrl !== undefined && config.mongodbUrl !== undefined)
    throw new Error(
      'the log is in EventStoreDB and the rest in MongoDB: use their own backups, and copy those of these keys that ' +
        `are in ${config.dataDir}: ${keyFiles.join(', ')} (see dist/docs/distributed.html)`,
    )
  return config
}

/** The file that appears in a backup last, also on the disk: a folder with it has everything. */
const lastFileOf = ({ eventStoreUrl }: Config): string => (eventStoreUrl === undefined ? files.log : files.webhooks)

/**
 * Everything that a restored file would replace, or be read with: a folder belongs to one log, and SQLite takes a log or
 * journal beside a database for its own.
 */
const inTheWay = (folder: string): string[] =>
  [
    ...[files.log, files.webhooks, files.personalKeys].flatMap((name) =>
      ['', '-wal', '-shm', '-journal'].map((suffix) => name + suffix),
    ),
    files.logIdentity,
    ...keyFiles,
  ].filter((name) => existsSync(join(folder, name)))

/** What a service with these settings has elsewhere, and which files of its data folder it therefore does not use. */
const elsewhere = (config: Config) => {
  const { eventStoreUrl, mongodbUrl, secretKey, jwt, auditKeyFile, policiesFile } = config
  return [
    {
      value: eventStoreUrl,
      what: 'CATALOG_EVENTSTORE_URL, which has the log, to be backed up first: then this copy has all keys that it needs',
      unused: [files.log],
    },
    {
      value: mongodbUrl,
      what: 'CATALOG_MONGODB_URL, which has the keys of personal values, webhooks and read marks',
      unused: [files.personalKeys, files.webhooks],
    },
    {
      value: secretKey !== undefined || hasOtherSealingKey(config),
      what: 'CATALOG_SECRET_KEY, which seals secrets in the log',
      unused: secretKey === undefined ? [] : [files.sealingKey],
    },
    { value: jwt.secret, what: 'CATALOG_JWT_SECRET, which signs tokens', unused: [files.jwtSecret] },
    {
      value: auditKeyFile,
      what: `CATALOG_AUDIT_KEY_FILE (${auditKeyFile}), which signs checkpoints`,
      unused: [files.auditKey],
    },
    { value: policiesFile, what: `CATALOG_POLICIES_FILE (${policiesFile}), which has your roles`, unused: [] },
  ].filter(({ value }) => value !== undefined && value !== false)
}

/** Adds new keys to a copy of the keys. */
const addKeys = async (source: string, target: string): Promise<void> => {
  await withResource(openSqliteVault({ path: source, readOnly: true }), (from) =>
    withResource(openSqliteVault({ path: target, readOnly: false }), async (to) =>
      to.add(await Array.fromAsync(from.all())),
    ),
  )
  await rm(`${target}-journal`, { force: true })
}

const copyFiles = async (source: string, target: string, unused: readonly string[]): Promise<void> => {
  const has = (name: string): boolean => !unused.includes(name) && existsSync(join(source, name))
  // First, so that no webhook checkpoint is beyond the log of the backup: deliveries meanwhile are repeated.
  if (has(files.webhooks)) await copyPages(join(source, files.webhooks), join(target, files.webhooks))
  const [path, keys] = [join(source, files.log), join(source, files.personalKeys)]
  const copiedKeys = join(target, files.personalKeys)
  // Before the log, which may lack the event that says why a key was destroyed meanwhile.
  if (has(files.personalKeys)) await copyPages(keys, copiedKeys)
  if (has(files.log))
    await withResource(openSqliteEventStore({ path, readOnly: true }), (log) => log.backupTo(join(target, files.log)))
  // After it, so that the copy has the keys of everything in the log of the backup.
  if (has(files.personalKeys)) await addKeys(keys, copiedKeys)
  for (const name of keyFiles) if (has(name)) await copyFile(join(source, name), join(target, name))
}

/** Folder of the files of a backup that is not complete yet. */
const incomplete = 'incomplete'

/** Copies what a service needs, from one folder to another: the log, the webhooks and the keys. */
const copyCatalog = async (
  source: string,
  target: string,
  { last, unused = [] }: { readonly last: string; readonly unused?: readonly string[] },
): Promise<void> => {
  const staged = join(target, incomplete)
  await rm(staged, { recursive: true, force: true })
  makeFolder(resolve(target), 'The copy goes to')
  await mkdir(staged, { mode: 0o700 })
  giveToOwner(staged)
  try {
    await copyFiles(source, staged, unused)
    const put = (name: string): Promise<void> => rename(join(staged, name), join(target, name))
    const names = await readdir(staged)
    for (const path of names.map((name) => join(staged, name))) {
      await chmod(path, 0o600)
      giveToOwner(path, target)
      sync(path)
    }
    for (const name of names) if (name !== last) await put(name)
    sync(target)
    await put(last)
    sync(target)
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}

/** The time of the backup in a folder with this name, in epoch milliseconds; `NaN` if it is named otherwise. */
const timeIn = (name: string): number => {
  const [, ...parts] = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/.exec(name) ?? []
  return Date.parse(parts.join(':'))
}

/** Names of the backups in a folder, and of those that are complete with a file, the oldest first. */
const backupsIn = async (folder: string, last: string) => {
  const all = existsSync(folder) ? (await readdir(folder)).filter((name) => timeIn(name) > 0).toSorted() : []
  return { all, complete: all.filter((name) => existsSync(join(folder, name, last))) }
}

/** Names the next backup by its time; after a clock was set back, by the time after that of the newest one. */
const nextName = async (folder: string, last: string): Promise<string> => {
  const newest = (await backupsIn(folder, last)).complete.at(-1)
  const time = Math.max(Date.now(), newest === undefined ? 0 : timeIn(newest) + 1)
  return new Date(time).toISOString().replaceAll(':', '-')
}

/** Removes what is older than this many complete backups. @returns number of removed ones */
const removeOldest = async (folder: string, keep: number, last: string): Promise<number> => {
  const { all, complete } = await backupsIn(folder, last)
  const oldest = complete.at(-keep) ?? ''
  const old = all.filter((name) => name < oldest)
  for (const name of old) await rm(join(folder, name), { recursive: true })
  return old.length
}

const readKeep = (text: string): number => {
  const keep = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (keep === 0) throw new UsageError('--keep must be a whole number from 1 on.')
  return keep
}

/** Copies what a service on another folder needs. */
export const backup: CliCommand = {
  usage: 'FOLDER [--keep N]',
  words: 1,
  texts: ['keep'],
  run: async ({ words: [folder], texts: { keep } }) => {
    if (folder === undefined) throw new UsageError('Name the folder for the backup.')
    const most = keep === undefined ? undefined : readKeep(keep)
    const config = settingsWithStore()
    const [{ dataDir }, last] = [config, lastFileOf(config)]
    const missing = elsewhere(config)
    const target = most === undefined ? folder : join(folder, await nextName(folder, last))
    if (existsSync(target) && (await readdir(target)).some((name) => name !== incomplete))
      throw new Error(`${target} is not empty`)
    if (!existsSync(join(dataDir, last))) throw new MissingStore(join(dataDir, last))
    await copyCatalog(dataDir, target, { last, unused: missing.flatMap(({ unused }) => unused) })
    const removed = most === undefined ? 0 : await removeOldest(folder, most, last)
    if (removed > 0) print(`Removed the oldest ${removed === 1 ? 'backup' : `${removed} backups`} of ${folder}.`)
    for (const { what } of missing) print(`Not copied: ${what}. Back it up as well.`)
    return print(`Copied to ${target}. To restore it: catalog restore ${target}`)
  },
}

/** Puts a backup into the data folder, where nothing is {@link inTheWay}; the first start builds the read models from it. */
export const restoreBackup: CliCommand = {
  usage: 'FOLDER',
  words: 1,
  run: async ({ words: [folder] }) => {
    if (folder === undefined) throw new UsageError('Name the backup to restore.')
    const config = settingsWithStore()
    const [{ dataDir }, last] = [config, lastFileOf(config)]
    if (!existsSync(join(folder, last))) throw new Error(`${folder} has no ${last}: it is not a complete backup`)
    return withResource(holdFolder(config), async () => {
      const found = inTheWay(dataDir)
      if (found.length > 0)
        throw new Error(
          `${dataDir} already has ${found.join(', ')}, and restoring replaces no file: ` +
            'move the folder or these files away first, or set CATALOG_DATA_DIR to another folder',
        )
      await copyCatalog(folder, dataDir, { last })
      return print(
        `Restored to ${dataDir}. Start the service as usual: it rebuilds its read models from the log first.`,
      )
    })
  },
}

/** Copies all pages in one step, so that the copy is consistent. */
const copyPages = (source: string, target: string): Promise<number> =>
  withResource(openReadOnly(source, 2000), (database) => copyDatabase(database, target, { rate: 2 ** 31 - 1 }))
