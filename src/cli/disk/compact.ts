import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { holdFolder } from '../../composition/engines.ts'
import { files } from '../../composition/settings/fixedNames.ts'
import { searchPathOf } from '../../projections/search/sqlite/indexFile.ts'
import { historyPathOf } from '../../projections/embedded/historyFile.ts'
import { MissingStore } from '../../stores/sqlite/openReadOnly.ts'
import { withResource, print, type CliCommand } from '../command/command.ts'
import { readSettings } from '../command/settings.ts'
import { mebibytes, sizeOnDisk } from './fileSize.ts'

/** Runs a statement on a database and checkpoints its write-ahead log. @returns a line about the saved space */
const compactFile = (path: string, name: string, sql: string): string => {
  const before = sizeOnDisk([path])
  const database = new DatabaseSync(path)
  try {
    database.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`)
  } finally {
    database.close()
  }
  return `${name.padEnd(24)} ${mebibytes(before)} before, ${mebibytes(sizeOnDisk([path]))} now`
}

export const compact: CliCommand = {
  run: async () => {
    const config = readSettings(process.env, 'stores')
    if (config.eventStoreUrl !== undefined && config.mongodbUrl !== undefined)
      throw new Error('both stores are servers, which manage their files themselves')
    const log = join(config.dataDir, files.log)
    if (config.eventStoreUrl === undefined && !existsSync(log)) throw new MissingStore(log)
    return withResource(holdFolder(config), async () => {
      const readModels = join(config.dataDir, files.readModels)
      // The log has nothing to compact.
      for (const [path, name, sql] of [
        [log, 'log', ''],
        [readModels, 'entities', 'PRAGMA auto_vacuum = INCREMENTAL; VACUUM'],
        [searchPathOf(readModels), 'search', 'PRAGMA auto_vacuum = INCREMENTAL; VACUUM'],
        [historyPathOf(readModels), 'history', 'PRAGMA auto_vacuum = INCREMENTAL; VACUUM'],
      ] as const)
        if (existsSync(path)) print(compactFile(path, name, sql))
      return 0
    })
  },
}
