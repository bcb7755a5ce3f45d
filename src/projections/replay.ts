import type { RecordedEvent } from '../events/events.ts'
import type { EventStore } from '../events/eventStore.ts'
import { parseStreamName } from '../events/streamName.ts'
import { evolve, type Entity } from '../commands/evolve.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { toRow } from './entities/entityRow.ts'
import type { EntityRow } from './entities/row.ts'
import type { ReadModels } from './readModels.ts'
import { makeRowFold, once } from './fold.ts'
import { applyBatch } from './projection.ts'

export interface ReplayOptions {
  readonly log: EventStore
  /** Where nothing has been applied yet. */
  readonly readModels: ReadModels
  readonly kindNamed: (name: string) => KindDefinition
  /** Is told how far the log has been gone through, in positions. */
  readonly progress: (step: number) => void
}

/** Events that are applied at once. */
const batchSize = 5000

/**
 * Applies the log up to a position.
 * @returns the number of events
 */
export const replay = async (options: ReplayOptions, upTo: bigint | undefined): Promise<number> => {
  if (upTo === undefined) return 0
  const pages = options.log.readByStream?.(upTo)
  return pages === undefined ? replayInOrder(options, upTo) : replayByStream(options, pages, upTo)
}

const replayInOrder = async (options: ReplayOptions, upTo: bigint): Promise<number> => {
  const { log, readModels, progress } = options
  const fold = makeRowFold(options)
  let count = 0
  let at = 0n
  let batch: RecordedEvent[] = []
  const flush = async (): Promise<void> => {
    const events = batch
    const last = events.at(-1)
    if (last === undefined) return
    await applyBatch(readModels, { events, position: last.position, rows: once(() => fold(events)) })
    count += events.length
    progress(Number(last.position - at))
    at = last.position
    batch = []
  }
  for await (const event of log.readAll()) {
    if (event.position > upTo) break
    batch.push(event)
    if (batch.length === batchSize) await flush()
  }
  await flush()
  return count
}

/** Folds each stream to its end before its row is stored, so that each row is stored once. */
const replayByStream = async (
  { readModels, kindNamed, progress }: ReplayOptions,
  pages: AsyncIterable<readonly RecordedEvent[]>,
  upTo: bigint,
): Promise<number> => {
  let count = 0
  let events: RecordedEvent[] = []
  let rows: EntityRow[] = []
  let stream: string | undefined
  let entity: Entity | undefined
  const endStream = (): void => {
    if (entity !== undefined) rows.push(toRow(entity, kindNamed(entity.kind)))
    entity = undefined
  }
  const flush = async (position: bigint): Promise<void> => {
    const ended = rows
    await applyBatch(readModels, { events, position, rows: async () => ended })
    events = []
    rows = []
  }
  for await (const page of pages) {
    for (const event of page) {
      if (event.stream !== stream) endStream()
      stream = event.stream
      entity = evolve(entity?.id ?? parseStreamName(stream).id, entity, event)
    }
    events.push(...page)
    count += page.length
    progress(page.length)
    if (events.length >= batchSize) await flush(0n)
  }
  endStream()
  await flush(upTo)
  return count
}
