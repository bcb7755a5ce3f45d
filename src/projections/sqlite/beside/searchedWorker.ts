import { workerData } from 'node:worker_threads'
import { codec } from '../../../events/codec.ts'
import { readTextEvent } from '../../../events/textEvent.ts'
import { fillApart, shownIn } from '../../search/sqlite/apart.ts'
import { openKeptFile } from '../keptFile.ts'
import { projectHere } from './projecting.ts'
import type { ProjectingWork } from './thread.ts'
import { searchedHere } from '../searched.ts'

export interface SearchedWork extends ProjectingWork {
  readonly entities: string
}

const work = workerData as SearchedWork

projectHere(
  {
    // Each batch is a piece of the index, which are merged again and again.
    gathering: 1000,
    // Of an event it is only wanted whose it is.
    codec: { ...codec, decode: (raw) => readTextEvent(raw, codec) },
    open: (thread) => openKeptFile(searchedHere, { ...work, ...thread }),
    prepare: ({ current, guard }, stopping) => guard(() => fillApart(current().file, stopping))(),
    reachable: ({ current }) => shownIn(current().file),
  },
  work,
)
