import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteReadModels } from '../../src/projections/sqliteReadModels.ts'
import { readModelsContract, type MakeReadModels } from './readModelsContract.ts'
import { searchContract } from './searchContract.ts'

/** @param cacheBytes left out: as in service */
const makeWith = (cacheBytes?: number): MakeReadModels => async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  const path = join(folder, 'readModels.db')
  const options = { path, ...(cacheBytes !== undefined && { cacheBytes }) }
  let readModels = await openSqliteReadModels(options)
  return {
    readModels,
    reopen: async () => {
      await readModels.close()
      readModels = await openSqliteReadModels(options)
      return readModels
    },
    dispose: async () => {
      await readModels.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** Room for a handful of rows, so that most of what is kept is soon dropped. */
const hardlyAny = 16_000

readModelsContract('SQLite', makeWith())
readModelsContract('SQLite that remembers little', makeWith(hardlyAny), { runs: 50 })
readModelsContract('SQLite that remembers nothing', makeWith(0), { runs: 20 })
searchContract('SQLite', makeWith())
