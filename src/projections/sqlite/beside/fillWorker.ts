import { workerData } from 'node:worker_threads'
import { serve } from '../../../shared/threads/serveOperations.ts'
import { replayEvents } from '../../rebuildReadModels.ts'
import { completed } from '../file.ts'
import { history } from '../historyFile.ts'
import { openKeptFile, storeOf } from '../keptFile.ts'
import { openProjectedLog } from './log.ts'
import type { ProjectingWork } from './thread.ts'

const work = workerData as ProjectingWork
const { path, pageBytes } = work

const log = openProjectedLog(work)
const kept = openKeptFile(history, { path, pageBytes, bulk: true })

const operations = {
  fill: (upTo: bigint) => replayEvents(log, storeOf([kept]), upTo),
  finish: async () => {
    completed(kept.current().file).seal()
    await kept.close()
    await log.close()
  },
}

export type Operations = typeof operations

serve(operations)
