import { eventTypes, type RecordedEvent } from '../../events/events.ts'
import { parseStreamName } from '../../events/streamName.ts'
import { tell } from '../../events/verbs.ts'
import { lastName } from '../../kinds/names.ts'
import type { Labels } from '../labels.ts'
import type { Batch, Projection } from '../projection.ts'
import type { ActivityRow } from './port.ts'

/** One row for each event: who did what, and when. */
export const activityProjection: Pick<Projection, 'name' | 'version' | 'handles'> = {
  name: 'activity',
  version: 6,
  handles: new Set(eventTypes),
}

const toActivity = (event: RecordedEvent, { domains, owners }: Labels): ActivityRow => {
  const { user, time, fullyQualifiedName, version, correlationId, clientCorrelationId } = event.metadata
  const { kind, id } = parseStreamName(event.stream)
  const { follower, ...told } = tell(event)
  return {
    position: event.position,
    time: Date.parse(time),
    user,
    kind,
    entityId: id,
    fullyQualifiedName,
    type: event.type,
    version,
    correlationId,
    ...(clientCorrelationId !== undefined && { clientCorrelationId }),
    domains: [...new Set(domains)],
    owners: [...new Set(owners)],
    ...told,
    ...(follower !== undefined && { follower: lastName(follower) }),
  }
}

export const activityIn = async ({ events, labelsOf }: Batch): Promise<ActivityRow[]> => {
  const rows: ActivityRow[] = []
  for (const event of events) {
    const labels = labelsOf(event)
    rows.push(toActivity(event, labels instanceof Promise ? await labels : labels))
  }
  return rows
}
