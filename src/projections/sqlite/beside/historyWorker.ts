import { workerData } from 'node:worker_threads'
import { history } from '../historyFile.ts'
import { openKeptFile } from '../keptFile.ts'
import { projectHere } from './projecting.ts'
import type { ProjectingWork } from './thread.ts'

const work = workerData as ProjectingWork

projectHere(
  { gathering: 500, givesWay: true, open: ({ onReplaced }) => openKeptFile(history, { ...work, onReplaced }) },
  work,
)
