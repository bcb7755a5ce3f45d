import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RecordedEvent } from '../events/events.ts'
import type { EventBatch, EventStore } from '../events/eventStore.ts'
import { parseStreamName } from '../events/streamName.ts'
import { evolve, type Entity } from '../commands/evolve.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { fromRow, toRow } from './entities/entityRow.ts'
import type { EntityRow, ReadModels } from './entities/readModels.ts'

/** Keeps the read models in step with the log. */
export interface Runner {
  /**
   * Resolves when everything up to the position has been applied.
   * @throws ProjectionBehind when that takes longer than `timeout` milliseconds
   */
  waitFor(position: bigint, timeout?: number): Promise<void>
  /** Position up to which the read models have come; `undefined`: the beginning. */
  position(): bigint | undefined
  /** The error that projecting last failed with, until everything that was to be applied by then has been. */
  failure(): Error | undefined
  stop(): Promise<void>
}

/** The read models did not reach a position in time. What was written is durable and will be seen. */
export class ProjectionBehind extends Error {
  override readonly name = 'ProjectionBehind'
}

export interface RunnerOptions {
  readonly log: EventStore
  readonly readModels: ReadModels
  readonly kindNamed: (name: string) => KindDefinition
  readonly logger: Pick<Logger, 'warn' | 'info'>
  /** Every so many milliseconds it is checked that the read models still show what was applied (default 2,000). */
  readonly checkEvery?: number
}

/** Applies one batch: folds its events onto the stored entities and stores the new rows with the checkpoint. */
export const applyBatch = async (
  { readModels, kindNamed }: Pick<RunnerOptions, 'readModels' | 'kindNamed'>,
  batch: EventBatch,
): Promise<void> => {
  const byId = Map.groupBy(batch.events, (event) => parseStreamName(event.stream).id)
  const needed = needingState(byId)
  const stored = needed.length === 0 ? noRows : await readModels.getMany(needed)
  const rows = []
  for (const [id, events] of byId) {
    const definition = kindNamed((events[0] as RecordedEvent).metadata.kind)
    const row = stored.get(id)
    const before = row && fromRow(row, definition)
    const after = foldNewer(id, before, events)
    if (after !== undefined && after !== before)
      rows.push(toRow(after, definition, row && before && { row, entity: before }))
  }
  await readModels.apply(rows, batch.position)
}

const noRows: ReadonlyMap<string, EntityRow> = new Map()

/** A stream whose first event is in the batch needs no stored state, unless a part of it was applied before. */
const needingState = (byId: ReadonlyMap<string, readonly RecordedEvent[]>): string[] =>
  [...byId].filter(([, events]) => (events[0] as RecordedEvent).revision !== 0n).map(([id]) => id)

/** Events that the state shows already do nothing. */
const foldNewer = (id: string, before: Entity | undefined, events: readonly RecordedEvent[]): Entity | undefined => {
  let entity = before
  for (const event of events) {
    if (entity === undefined || event.revision > entity.revision) entity = evolve(id, entity, event)
  }
  return entity
}

const isBehind = (position: bigint | undefined, other: bigint | undefined): boolean =>
  other !== undefined && (position === undefined || position < other)

interface Waiter {
  readonly position: bigint
  readonly wake: () => void
}

/** Starts the one catch-up subscription that feeds the read models. Errors are logged and it begins again from the checkpoint. */
export const startRunner = (options: RunnerOptions): Runner => {
  const { log, readModels, logger, checkEvery = 2000 } = options
  const stopping = new AbortController()
  let position: bigint | undefined
  /** As far as anything was ever to be applied. */
  let goal: bigint | undefined
  let failure: Error | undefined
  let waiters: Waiter[] = []

  const wake = (): void => {
    const reached = position
    if (reached === undefined || waiters.length === 0) return
    const ready = waiters.filter((waiter) => waiter.position <= reached)
    if (ready.length === 0) return
    waiters = waiters.filter((waiter) => waiter.position > reached)
    for (const waiter of ready) waiter.wake()
  }

  const moveTo = (reached: bigint | undefined): void => {
    position = reached
    if (isBehind(goal, reached)) goal = reached
    if (!isBehind(reached, goal)) failure = undefined
    wake()
  }

  /** Aborts when the read models have gone back: somebody emptied them, or put others in their place. */
  const watch = (): { signal: AbortSignal; end(): void } => {
    const gone = new AbortController()
    let looking = false
    const look = async (): Promise<void> => {
      const before = position
      if (looking) return
      looking = true
      const checkpoint = await readModels.checkpoint().catch(() => before)
      looking = false
      if (isBehind(checkpoint, before)) gone.abort()
    }
    const timer = setInterval(() => void look(), checkEvery)
    return { signal: gone.signal, end: () => clearInterval(timer) }
  }

  const follow = async (): Promise<void> => {
    moveTo(await readModels.checkpoint())
    const watching = watch()
    const signal = AbortSignal.any([stopping.signal, watching.signal])
    try {
      for await (const batch of log.subscribe({ after: position, signal })) {
        if (isBehind(goal, batch.position)) goal = batch.position
        await applyBatch(options, batch)
        moveTo(batch.position)
      }
    } finally {
      watching.end()
    }
    if (watching.signal.aborted) throw new Error('The read models were emptied or replaced.')
    if (!stopping.signal.aborted) throw new Error('The subscription ended.')
  }

  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      const from = position
      try {
        await follow()
      } catch (error) {
        if (stopping.signal.aborted) return
        failure = error as Error
        if (position !== from) failures = 0
        const pause = Math.random() * Math.min(5000, 50 * 2 ** failures)
        logger.warn(
          { err: error, position: String(position), pause },
          'projecting failed; it begins again from the checkpoint',
        )
        await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
  const running = run()

  return {
    position: () => position,
    failure: () => failure,
    waitFor: (wanted, timeout = 10_000) => {
      if (position !== undefined && position >= wanted) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter)
          reject(new ProjectionBehind(`The read models have not reached position ${wanted} yet.`))
        }, timeout)
        const waiter = {
          position: wanted,
          wake: () => {
            clearTimeout(timer)
            resolve()
          },
        }
        waiters.push(waiter)
      })
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
