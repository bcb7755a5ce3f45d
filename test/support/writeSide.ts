import { onTestFinished } from 'vitest'
import { makeClock } from '../../src/commands/clock.ts'
import type { Commands } from '../../src/commands/handleCommand.ts'
import { makeInTurn } from '../../src/commands/inTurn.ts'
import { makeTools } from '../../src/composition/sealing.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { lookupIn, treeIn } from '../../src/projections/entities/lookup.ts'
import { makeRowFold, once } from '../../src/projections/fold.ts'
import { makeLabels } from '../../src/projections/labels.ts'
import { applyBatch, checkpointOf } from '../../src/projections/projection.ts'
import { openSqliteReadModels } from '../../src/projections/sqlite/readModels.ts'
import { collect } from './events.ts'

export interface WriteSideOptions {
  /** What the machine's clock says; default: the real one. */
  readonly machine?: () => number
  readonly maxAppendSize?: number
  /** Changes the log that commands see. */
  readonly change?: (log: EventStore) => EventStore
}

/** The write side on stores in memory, with the kinds of the catalog. */
export const openWriteSide = async ({ machine, maxAppendSize, change = (log) => log }: WriteSideOptions = {}) => {
  const log = openSqliteEventStore({ path: ':memory:', ...(maxAppendSize !== undefined && { maxAppendSize }) })
  const readModels = await openSqliteReadModels({ path: ':memory:' })
  onTestFinished(async () => {
    await readModels.close()
    await log.close()
  })
  const fold = makeRowFold({ readModels, kindNamed })
  const labelsOf = makeLabels(log)
  let applied = Promise.resolve()
  /** Projects what there is, batch after batch as the runner does. */
  const project = (): Promise<void> =>
    (applied = applied.then(async () => {
      const events = await collect(log.readAll({ after: await checkpointOf(readModels) }))
      const last = events.at(-1)
      if (last === undefined) return
      await applyBatch(readModels, { events, position: last.position, rows: once(() => fold(events)), labelsOf })
    }))
  const commands: Commands = {
    log: change(log),
    lookup: lookupIn(readModels, kindNamed),
    tree: treeIn(readModels, kindNamed),
    kindNamed,
    tools: makeTools('a key of 32 bytes for these tests'),
    clock: makeClock(machine),
    projected: project,
    inTurn: makeInTurn(),
  }
  return {
    commands,
    log,
    readModels,
    project,
    /** Everything in the log, in its order. */
    events: (): Promise<RecordedEvent[]> => collect(log.readAll()),
  }
}

let commands = 0

/** A cause whose command nobody used before. */
export const causeOf = (user = 'ann') => ({
  user,
  correlationId: `correlation ${++commands}`,
  commandId: `command ${commands}`,
})
