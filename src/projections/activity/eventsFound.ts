import type { EventStore } from '../../events/eventStore.ts'
import type { RecordedEvent } from '../../events/events.ts'
import { isSameLog, type ProjectionStore } from '../projection.ts'
import { activityProjection } from './activityProjection.ts'
import { indexesFor, type Activity, type ActivityFilter } from './port.ts'

/** The read models that locate events. */
export type ActivityIndex = Pick<Activity, 'activity'> & Pick<ProjectionStore, 'checkpoints'>

/** Events that may match, in log order: those found by the index, and all that are newer than it. */
export async function* matchingEvents(
  log: EventStore,
  filter: ActivityFilter,
  after: bigint | undefined,
  index: ActivityIndex | undefined,
): AsyncGenerator<RecordedEvent> {
  let from = after
  const isIndexed = indexesFor(filter).length > 0 || filter.since !== undefined || filter.until !== undefined
  const shown = isIndexed ? await indexPosition(log, index) : undefined
  while (index !== undefined && shown !== undefined && (from ?? -1n) < shown) {
    const page = await index.activity({ ...filter, after: from, before: shown + 1n, limit: 1000, oldestFirst: true })
    for (const { position } of page.rows) {
      const event = await log.eventAt(position)
      if (event !== undefined) yield event
    }
    from = page.next ?? shown
  }
  yield* log.readAll({ after: from })
}

/** Position of the index; `undefined` if there is none, or it belongs to another log. */
const indexPosition = async (log: EventStore, index: ActivityIndex | undefined): Promise<bigint | undefined> => {
  const checkpoints = await index?.checkpoints()
  if (checkpoints === undefined || !(await isSameLog(checkpoints, log))) return undefined
  return checkpoints.get(activityProjection.name)?.position
}
