import { eventTypes, type RecordedEvent, parseStreamName } from '../../events/events.ts'
import { summarizeEvent } from '../../events/verbs.ts'
import { lastName } from '../../kinds/names.ts'
import type { Labels } from '../labels.ts'
import { documentProjection, type DocumentLayout } from '../documents/port.ts'
import type { Batch } from '../projection.ts'
import { activityReads } from './activityReads.ts'
import type { ActivityRow } from './port.ts'

/** One row for each event: who did what, and when. */
export const activityProjection: DocumentLayout<ActivityRow> = {
  name: 'activity',
  version: 10,
  handles: new Set(eventTypes),
  key: ['position'],
  members: {
    position: 'position',
    time: 'number',
    user: 'text',
    kind: 'text',
    entityId: 'text',
    type: 'text',
    correlationId: 'text',
    clientCorrelationId: 'text',
    fullyQualifiedName: 'text',
    version: 'number',
    domains: 'list',
    owners: 'list',
    changed: 'list',
    summary: 'text',
    follower: 'text',
    vote: 'text',
  },
  indexes: {
    entityId: ['position'],
    user: ['position'],
    type: ['position'],
    correlationId: ['position'],
    clientCorrelationId: ['position'],
    domains: ['position'],
    changed: ['position'],
    time: ['position'],
  },
}

const toActivity = (event: RecordedEvent, { domains, owners }: Labels): ActivityRow => {
  const { user, time, fullyQualifiedName, version, correlationId, clientCorrelationId } = event.metadata
  const { kind, id } = parseStreamName(event.stream)
  const { follower, ...told } = summarizeEvent(event)
  const { proposal } = event.metadata
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
    ...(proposal && { summary: `${told.summary} Proposed by ${proposal.proposer}.` }),
    ...(follower !== undefined && { follower: lastName(follower) }),
  }
}

const activityIn = async ({ events, labelsOf }: Batch): Promise<ActivityRow[]> => {
  const rows: ActivityRow[] = []
  for (const event of events) {
    const labels = labelsOf(event)
    rows.push(toActivity(event, labels instanceof Promise ? await labels : labels))
  }
  return rows
}

export const activityDocuments = documentProjection({
  layout: activityProjection,
  memory: () => undefined,
  writes: async (batch) => (await activityIn(batch)).map((add) => ({ add })),
  reads: activityReads,
})
