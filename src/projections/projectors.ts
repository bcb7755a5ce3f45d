import type { EventStore } from '../events/eventStore.ts'
import { parseStreamName } from '../events/events.ts'
import type { Lost } from './errors.ts'
import { makeRowFold, type FoldOptions, type RowFold } from './fold.ts'
import { makeLabels } from './labels.ts'
import type { Progress } from './progress.ts'
import type { ProjectionLogger, ProjectionStore } from './projection.ts'
import { makeProjector, type Projector } from './projector.ts'
import { shareSubscription } from './sharedSubscription.ts'

export type ReadLog = Pick<EventStore, 'subscribe' | 'readStream' | 'eventAt' | 'head' | 'dense'>

export interface ProjectorsOptions extends FoldOptions {
  readonly log: ReadLog
  readonly store: ProjectionStore
  readonly progress: Progress
  readonly logger: ProjectionLogger
  readonly onLost?: (reason: Lost) => void
  readonly upTo?: bigint | undefined
}

/** Rows that another projection has stored already. */
const storedRows =
  ({ readModels }: FoldOptions): RowFold =>
  async (events) => {
    const ids = [...new Set(events.map(({ stream }) => parseStreamName(stream).id))]
    return ids.length === 0 ? [] : [...(await readModels.getMany(ids)).values()]
  }

/** Batching of a replay: larger batches store an entity once for many events. */
const replayed = { time: 1000, size: 5000 }

/** Makes a projector for each projection of a store, by name, on one shared subscription. */
export const makeProjectors = (options: ProjectorsOptions): Map<string, Projector> => {
  const { store, upTo } = options
  const log = { ...options.log, ...shareSubscription(options.log, store.batchSize) }
  const labelsOf = makeLabels(log)
  const [folded, stored] = [makeRowFold(options), storedRows(options)]
  return new Map(
    store.projections.map((projection) => {
      const batching = projection.batching ?? (upTo === undefined ? undefined : replayed)
      const rowsOf = projection.uses === undefined ? folded : stored
      return [projection.name, makeProjector({ ...options, projection, log, labelsOf, rowsOf, batching })]
    }),
  )
}
