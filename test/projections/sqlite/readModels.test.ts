import { describe } from 'vitest'
import { activityContract } from '../activity/activityContract.ts'
import { inboxContract } from '../inbox/inboxContract.ts'
import { readModelsContract } from '../entities/readModelsContract.ts'
import { settledContract } from '../entities/settledContract.ts'
import { searchContract } from '../search/searchContract.ts'
import { lineageContract } from '../lineage/lineageContract.ts'
import { timelineContract } from '../timeline/timelineContract.ts'
import { thorough } from '../../support/fastCheck.ts'
import { treeContract } from '../tree/treeContract.ts'
import { makeWith } from './workers.ts'

/** Room for a handful of rows, so that most of what is kept is soon dropped. */
const hardlyAny = 16_000

readModelsContract('SQLite', makeWith())
settledContract('SQLite', makeWith())
searchContract('SQLite', makeWith())
treeContract('SQLite', makeWith())
activityContract('SQLite', makeWith())
inboxContract('SQLite', makeWith())
timelineContract('SQLite', makeWith())
lineageContract('SQLite', makeWith())

/** Files that commit once a minute: what is read must not depend on it. */
const later = makeWith({ commitEvery: 60_000 })

treeContract('SQLite that commits later', later)
describe.runIf(thorough)('the same contracts again', () => {
  readModelsContract('SQLite that remembers little', makeWith({ cacheBytes: hardlyAny }), { runs: 50 })
  readModelsContract('SQLite that remembers nothing', makeWith({ cacheBytes: 0 }), { runs: 20 })
  readModelsContract('SQLite that commits later', later, { runs: 50 })
  timelineContract('SQLite that commits later', later, { runs: 20 })
  lineageContract('SQLite that commits later', later, { runs: 20 })
})
