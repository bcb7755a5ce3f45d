import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteReadModels } from '../../src/projections/sqliteReadModels.ts'
import { readModelsContract, type MakeReadModels } from './readModelsContract.ts'
import { searchContract } from './searchContract.ts'

const make: MakeReadModels = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  const path = join(folder, 'readModels.db')
  let readModels = await openSqliteReadModels({ path })
  return {
    readModels,
    reopen: async () => {
      await readModels.close()
      readModels = await openSqliteReadModels({ path })
      return readModels
    },
    dispose: async () => {
      await readModels.close()
      await rm(folder, { recursive: true })
    },
  }
}

readModelsContract('SQLite', make)
searchContract('SQLite', make)
