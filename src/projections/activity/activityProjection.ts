import { type RecordedEvent, parseStreamName } from '../../events/events.ts'
import { summarizeEvent } from '../../events/verbs.ts'
import { lastName } from '../../kinds/names.ts'
import type { Labels } from '../labels.ts'
import { documentProjection, type DocumentLayout, type Documents } from '../documents/port.ts'
import type { Batch } from '../projection.ts'
import { activityReads } from './activityReads.ts'
import type { ActivityRow } from './port.ts'

/** One row for each event: who did what, and when. */
export const activityProjection: DocumentLayout<ActivityRow> = {
  name: 'activity',
  version: 13,
  key: ['position'],
  members: {
    position: 'position',
    time: 'number',
    lateness: 'number',
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
    lateness: [],
  },
}

const toActivity = (event: RecordedEvent, { domains, owners }: Labels): ActivityRow => {
  const { user, time, fullyQualifiedName, version, correlationId, clientCorrelationId } = event.metadata
  const { kind, id } = parseStreamName(event.stream)
  const { follower, ...summarized } = summarizeEvent(event)
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
    ...summarized,
    ...(proposal && { summary: `${summarized.summary} Proposed by ${proposal.proposer}.` }),
    ...(follower !== undefined && { follower: lastName(follower) }),
  }
}

interface Cache {
  latestTime?: number
}

const readLatestTime = async (documents: Documents<ActivityRow>, before: bigint): Promise<number> => {
  const where = { time: { $gte: 0 }, position: { $lt: before } }
  const [row] = await documents.find({ where, sort: { time: -1 }, limit: 1, index: 'time', members: ['time'] })
  return row?.time ?? 0
}

const activityIn = async (
  { events, labelsOf }: Batch,
  documents: Documents<ActivityRow>,
  cache: Cache,
): Promise<ActivityRow[]> => {
  const rows: ActivityRow[] = []
  const [first] = events
  if (first === undefined) return rows
  let latest = cache.latestTime ?? (await readLatestTime(documents, first.position))
  for (const event of events) {
    const labels = labelsOf(event)
    const row = toActivity(event, labels instanceof Promise ? await labels : labels)
    latest = Math.max(latest, row.time)
    rows.push(row.time < latest ? { ...row, lateness: latest - row.time } : row)
  }
  cache.latestTime = latest
  return rows
}

export const activityDocuments = documentProjection({
  layout: activityProjection,
  cache: (): Cache => ({}),
  writes: async (batch, documents, cache) => (await activityIn(batch, documents, cache)).map((add) => ({ add })),
  reads: activityReads,
})
