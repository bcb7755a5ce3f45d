import type { Ports } from '../commands/ports.ts'
import type { RecordedEvent } from '../events/events.ts'
import { principalKind } from '../kinds/registry/kinds.ts'
import { activityProjection } from '../projections/activity/activityProjection.ts'
import type { Activity } from '../projections/activity/port.ts'
import { sleep } from '../shared/backOff.ts'
import { inSlices } from '../shared/yieldToEventLoop.ts'
import { type TaskOptions, runWhileLeader } from './periodicTask.ts'

interface DeparturesOptions extends Pick<TaskOptions, 'logger'> {
  readonly commands: Pick<Ports, 'log'>
  readonly readModels: Pick<Activity, 'activity'>
  readonly runner: { position(projection: string): bigint | undefined }
  /** Called with events, in log order, that end the life of a user or erase personal values; again after a restart. */
  readonly onDeparture: (events: readonly RecordedEvent[]) => Promise<void>
}

const departure = { types: new Set(['HardDeleted', 'Forgotten'] as const), kinds: new Set([principalKind]) }

/** Milliseconds between two checks. */
const interval = 1000

/** Reports people who are gone or were forgotten: first all in the log, then each as it happens. */
export const startDepartures = (options: DeparturesOptions) => {
  const { commands, readModels, runner, onDeparture } = options
  let reported: bigint | undefined
  const reportUpTo = async (position: bigint, signal: AbortSignal): Promise<void> => {
    while (reported !== position && !signal.aborted) {
      const query = { after: reported, before: position + 1n, limit: 1000, oldestFirst: true }
      const page = await readModels.activity({ ...departure, ...query })
      const events: RecordedEvent[] = []
      for await (const row of inSlices(page.rows))
        events.push((await commands.log.eventAt(row.position)) as RecordedEvent)
      if (events.length > 0) await onDeparture(events)
      reported = page.next ?? position
    }
  }
  const projected = (): bigint | undefined => runner.position(activityProjection.name)
  const indexed = { projects: () => projected() !== undefined }
  return runWhileLeader(
    { ...options, runner: indexed },
    {
      work: (signal) => reportUpTo(projected() as bigint, signal),
      failureMessage: 'what is kept of people who are gone or were forgotten cannot be deleted; it is tried again',
      pause: (signal) => sleep(interval, signal, false),
    },
  )
}
