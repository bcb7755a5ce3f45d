import type { Ports } from '../commands/ports.ts'
import type { RecordedEvent } from '../events/events.ts'
import { principalKind } from '../kinds/registry/kinds.ts'
import { activityProjection } from '../projections/activity/activityProjection.ts'
import type { Activity } from '../projections/activity/port.ts'
import { sleep } from '../shared/backOff.ts'
import { inSlices } from '../shared/yieldToEventLoop.ts'
import { type TaskOptions, runWhileLeader } from './periodicTask.ts'

interface DeparturesOptions extends Pick<TaskOptions, 'logger'> {
  readonly commands: Pick<Ports, 'log' | 'verdicts'>
  readonly readModels: Pick<Activity, 'activity'>
  readonly runner: { position(projection: string): bigint | undefined }
  /** Called with events, in log order, that end the life of a user or erase personal values; again after a restart. */
  readonly left: (events: readonly RecordedEvent[]) => Promise<void>
}

const departure = { types: new Set(['HardDeleted', 'Forgotten'] as const), kinds: new Set([principalKind]) }

/** Milliseconds between two looks. */
const lookEvery = 1000

/** Tells of people who are gone or were forgotten: first of all in the log, then of each as it happens. */
export const startDepartures = (options: DeparturesOptions) => {
  const { commands, readModels, runner, left } = options
  let told: bigint | undefined
  const tellUpTo = async (position: bigint, signal: AbortSignal): Promise<void> => {
    while (told !== position && !signal.aborted) {
      const query = { after: told, before: position + 1n, limit: 1000, oldestFirst: true }
      const page = await readModels.activity({ ...departure, ...query })
      const events: RecordedEvent[] = []
      for await (const row of inSlices(page.rows)) {
        const event = (await commands.log.eventAt(row.position)) as RecordedEvent
        if (!(await commands.verdicts?.isVoid(event))) events.push(event)
      }
      if (events.length > 0) await left(events)
      told = page.next ?? position
    }
  }
  const shown = (): bigint | undefined => runner.position(activityProjection.name)
  const leads = { projects: () => shown() !== undefined }
  return runWhileLeader(
    { ...options, runner: leads },
    {
      work: (signal) => tellUpTo(shown() as bigint, signal),
      failing: 'what is kept of people who are gone or were forgotten cannot be deleted; it is tried again',
      pause: (signal) => sleep(lookEvery, signal, false),
    },
  )
}
