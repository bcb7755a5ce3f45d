import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { backup as copyDatabase } from 'node:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { files } from '../../composition/settings/fixedNames.ts'
import { openSqliteEventStore } from '../../events/sqlite/store.ts'
import { NoSuchStore, openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { closing, say, UsageError, type CliCommand } from '../command/command.ts'
import { readSettings } from '../command/settings.ts'

/** Copies what a service on another folder needs: the log, the webhooks and the keys. */
export const backup: CliCommand = {
  usage: 'FOLDER',
  words: 1,
  run: async ({ words: [folder] }) => {
    if (folder === undefined) throw new UsageError('Name the folder to copy to.')
    const config = readSettings(process.env, 'stores')
    if (config.eventStoreUrl !== undefined) throw new Error('the log is in EventStoreDB: use its own backup')
    const path = join(config.dataDir, files.log)
    if (!existsSync(path)) throw new NoSuchStore(path)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`)
    // First, so that no checkpoint lies beyond the log of the same backup: what is delivered meanwhile comes again.
    await copyIfThere(join(config.dataDir, files.webhooks), join(folder, files.webhooks))
    await closing(openSqliteEventStore({ path, readOnly: true }), (log) => log.backupTo(join(folder, files.log)))
    // Last, so that it has the keys of all that the log of the same backup has.
    await copyIfThere(join(config.dataDir, files.personalKeys), join(folder, files.personalKeys))
    for (const name of [files.jwtSecret, files.sealingKey, files.auditKey, files.auditPublicKey]) {
      const source = join(config.dataDir, name)
      if (existsSync(source)) await copyFile(source, join(folder, name))
    }
    return say(`Copied to ${folder}. Start a service on it with CATALOG_DATA_DIR=${folder}`)
  },
}

/** All pages in one step, so that the copy is of one moment. */
const copyIfThere = async (source: string, target: string): Promise<void> => {
  if (!existsSync(source)) return
  const database = openReadOnly(source, 2000)
  try {
    await copyDatabase(database, target, { rate: 2 ** 31 - 1 })
  } finally {
    database.close()
  }
}
