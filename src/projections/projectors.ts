import type { EventStore, EventBatch, SubscribeOptions } from '../events/eventStore.ts'
import { parseStreamName, isBehind, type RecordedEvent } from '../events/events.ts'
import { type RowFold, makeProjector, type Projector } from './projector.ts'
import { makeLabels } from './labels.ts'
import type { Progress } from './progress.ts'
import type { ProjectionLogger, ProjectionStore } from './projection.ts'
import { openLogTail, type LogTail } from '../events/logTail.ts'
import { evolve, type Entity } from '../commands/evolve.ts'
import { makeVerdicts, readBetween } from '../events/verdicts.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { makeYielder } from '../shared/yieldToEventLoop.ts'
import { fromRow, toRow } from './entities/entityRow.ts'
import type { EntityRow } from './entities/row.ts'
import type { EntityReads } from './entities/port.ts'

export type ReadLog = Pick<
  EventStore,
  'subscribe' | 'readStream' | 'readAll' | 'eventAt' | 'head' | 'dense' | 'conditional'
>

interface ProjectorsOptions extends FoldOptions {
  readonly log: ReadLog
  readonly store: ProjectionStore
  readonly progress: Progress
  readonly logger: ProjectionLogger
  readonly onLost?: (reason: Error) => void
  readonly upTo?: bigint | undefined
}

const storedRows =
  ({ readModels }: FoldOptions): RowFold =>
  async (events) => {
    const ids = new Set(events.map(({ stream }) => parseStreamName(stream).id))
    return [...(await readModels.getMany([...ids])).values()]
  }

/** Batching of a replay: larger batches store an entity once for many events. */
const replayed = { time: 1000, size: 5000 }

/** Makes a projector for each projection of a store, by name, on one shared subscription. */
export const makeProjectors = (options: ProjectorsOptions): Map<string, Projector> => {
  const { store, upTo } = options
  const shared = store.projections.length > 1 ? shareSubscription(options.log, store.batchSize) : {}
  const log = { ...options.log, ...shared }
  const labelsOf = makeLabels(log)
  const { isVoid } = makeVerdicts(options.log, upTo === undefined ? undefined : readBetween(options.log))
  const [folded, stored] = [makeRowFold(options), storedRows(options)]
  return new Map(
    store.projections.map((projection) => {
      const batching = projection.batching ?? (upTo === undefined ? undefined : replayed)
      const rowsOf = projection.uses === undefined ? folded : stored
      return [projection.name, makeProjector({ ...options, projection, log, labelsOf, isVoid, rowsOf, batching })]
    }),
  )
}

type Log = Pick<EventStore, 'subscribe'>

const tailCovers = (tail: LogTail | undefined, position: bigint | undefined): tail is LogTail =>
  tail !== undefined && tail.covers(position) && !isBehind(tail.end(), position)

/**
 * One subscription for all followers near the same position: each event is read and decoded once. A slow follower
 * delays nobody: it gets a subscription of its own until it has caught up.
 */
export const shareSubscription = (log: Log, batchSize?: number): Log => {
  let tail: LogTail | undefined
  let subscribers = 0

  const close = (): void => {
    tail?.close()
    tail = undefined
  }
  const tailAt = (position: bigint | undefined): LogTail | undefined => {
    if (tail !== undefined && isBehind(tail.end(), position)) close()
    tail ??= openLogTail(log, position, batchSize)
    return tailCovers(tail, position) ? tail : undefined
  }
  const pull = async (current: LogTail, signal: AbortSignal): Promise<boolean> => {
    try {
      return await current.pull(signal)
    } catch (error) {
      if (tail === current) close()
      throw error
    }
  }
  async function* follow({ after, signal }: SubscribeOptions): AsyncGenerator<EventBatch> {
    let position = after
    while (!signal.aborted) {
      const current = tailAt(position)
      if (current === undefined) {
        for await (const page of log.subscribe({ after: position, signal, batchSize })) {
          position = page.position
          yield page
          if (tailCovers(tail, position)) break
        }
        if (!tailCovers(tail, position)) return
        continue
      }
      const page = current.pageAfter(position)
      if (page !== undefined) {
        yield page
        position = page.position
      } else if (!(await pull(current, signal)) && tail === current) return
    }
  }
  return {
    subscribe: async function* (options) {
      subscribers++
      try {
        yield* follow(options)
      } finally {
        if (--subscribers === 0) close()
      }
    },
  }
}

export interface FoldOptions {
  readonly readModels: Pick<EntityReads, 'getMany'>
  readonly kindNamed: (name: string) => KindDefinition
}

/** Makes a fold onto stored rows. @throws EventsMissing if these are too old for the events */
export const makeRowFold =
  ({ readModels, kindNamed }: FoldOptions): RowFold =>
  async (events) => {
    const byStream = Map.groupBy(events, (event) => event.stream)
    const needed = needingState(byStream)
    const stored = needed.length === 0 ? noRows : await readModels.getMany(needed)
    const rows: EntityRow[] = []
    const yieldWhenDue = makeYielder()
    for (const [stream, ofStream] of byStream) {
      const { kind, id } = parseStreamName(stream)
      const definition = kindNamed(kind)
      const row = stored.get(id)
      const before = row && fromRow(row, definition)
      await yieldWhenDue()
      const after = foldNewer(id, before, ofStream)
      await yieldWhenDue()
      rows.push(toRow(after, definition, row && before && { row, entity: before }))
      await yieldWhenDue()
    }
    return rows
  }

const noRows: ReadonlyMap<string, EntityRow> = new Map()

/** A stream whose first event is in the batch needs no stored state, unless part of it was applied before. */
const needingState = (byStream: ReadonlyMap<string, readonly RecordedEvent[]>): string[] =>
  [...byStream]
    .filter(([, events]) => (events[0] as RecordedEvent).revision !== 0n)
    .map(([stream]) => parseStreamName(stream).id)

const foldNewer = (id: string, before: Entity | undefined, events: readonly RecordedEvent[]): Entity => {
  let state = before
  for (const event of events) if (event.revision > (state?.revision ?? -1n)) state = evolve(id, state, event)
  return state as Entity
}
