import { describe, test } from 'vitest'
import { freshDatabase, mongoUrl } from './support.ts'
import { readModelsContract, type MakeReadModels } from '../readModelsContract.ts'
import { activityContract } from '../../activity/activityContract.ts'
import { searchContract } from '../../search/searchContract.ts'
import { settledContract } from '../settledContract.ts'
import { timelineContract } from '../../timeline/timelineContract.ts'
import { treeContract } from '../../tree/treeContract.ts'

const makeWith =
  (cacheBytes: number): MakeReadModels =>
  async () => {
    const { open, dispose } = await freshDatabase()
    const readModels = await open({ cacheBytes, checkpointPatience: 1 })
    return {
      readModels,
      reopen: async () => {
        await readModels.close()
        return open({ cacheBytes, checkpointPatience: 1 })
      },
      dispose,
    }
  }

const make = makeWith(0)

if (mongoUrl === undefined) {
  describe.skip('MongoDB: the contracts', () => test('need a server'))
} else {
  readModelsContract('MongoDB', make, { runs: 25 })
  readModelsContract('MongoDB, with a memory', makeWith(2 ** 20), { runs: 10 })
  settledContract('MongoDB', make, { runs: 4 })
  searchContract('MongoDB', make)
  treeContract('MongoDB', make, { runs: 8 })
  activityContract('MongoDB', make, { runs: 10 })
  timelineContract('MongoDB', make, { runs: 6 })
}
