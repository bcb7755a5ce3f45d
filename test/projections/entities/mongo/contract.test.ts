import { afterAll, describe, test } from 'vitest'
import { keepingOrder, startMongoProxy } from '../../../support/mongoProxy.ts'
import { freshDatabase, mongoUrl, singleServer } from './support.ts'
import { readModelsContract, type MakeReadModels } from '../readModelsContract.ts'
import { activityContract } from '../../activity/activityContract.ts'
import { inboxContract } from '../../inbox/inboxContract.ts'
import { searchContract } from '../../search/searchContract.ts'
import { settledContract } from '../settledContract.ts'
import { lineageContract } from '../../lineage/lineageContract.ts'
import { timelineContract } from '../../timeline/timelineContract.ts'
import { treeContract } from '../../tree/treeContract.ts'

const makeWith =
  (url = async () => mongoUrl as string): MakeReadModels =>
  async () => {
    const { open, dispose } = await freshDatabase()
    const options = { url: await url() }
    const readModels = await open(options)
    return {
      readModels,
      reopen: async () => {
        await readModels.close()
        return open(options)
      },
      dispose,
    }
  }

/** The server as one that keeps the order of writes, as MongoDB does, whether it does or not. */
const ordered = (): Promise<string> =>
  (proxy ??= startMongoProxy(mongoUrl as string, keepingOrder)).then(({ url }) => url)
let proxy: ReturnType<typeof startMongoProxy> | undefined
afterAll(async () => (await proxy)?.close())

const make = makeWith()

if (mongoUrl === undefined) {
  describe.skip('MongoDB: the contracts', () => test('need a server'))
} else {
  readModelsContract('MongoDB', make, { runs: 25 })
  settledContract('MongoDB', make, { runs: 4 })
  searchContract('MongoDB', make)
  treeContract('MongoDB', make, { runs: 8 })
  activityContract('MongoDB', make, { runs: 10 })
  inboxContract('MongoDB', make)
  timelineContract('MongoDB', make, { runs: 6 })
  lineageContract('MongoDB', make, { runs: 6 })
  if (singleServer) {
    const together = makeWith(ordered)
    readModelsContract('MongoDB, a batch in one command', together, { runs: 5 })
    searchContract('MongoDB, a batch in one command', together)
    treeContract('MongoDB, a batch in one command', together, { runs: 4 })
    activityContract('MongoDB, a batch in one command', together, { runs: 4 })
    timelineContract('MongoDB, a batch in one command', together, { runs: 4 })
  }
}
