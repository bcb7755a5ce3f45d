import { entityOf, incarnationKey, parseStreamName, type RecordedEvent } from '../../events/events.ts'
import { verbs } from '../../events/verbs.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import { incidentMember, isValidatingKind, principalKind } from '../../kinds/registry/kinds.ts'
import type { ActivityQuery } from '../activity/port.ts'
import { documentProjection, type Documents } from '../documents/port.ts'
import { incarnationsIn } from '../labels.ts'
import type { Batch } from '../projection.ts'

interface InboxQuery extends Pick<ActivityQuery, 'limit' | 'before' | 'after' | 'oldestFirst'> {
  /** Incarnations of the user and the user's teams. */
  readonly incarnations: readonly string[]
}

/** Reads of inboxes. */
export interface Inbox {
  inbox(query: InboxQuery): Promise<bigint[]>
}

/** An event with readers, or one that determines the readers of later events. */
interface InboxDocument {
  readonly position: bigint
  /** Incarnations of users and teams whose inbox has the event. */
  readonly readers: readonly string[]
  /** Id of the entity, if the event sets one of the following members. */
  readonly subject: readonly string[]
  /** Its new owners, and its new followers if the event sets the whole list. */
  readonly owners?: readonly string[]
  readonly followers?: readonly string[]
  /** A user who started or stopped following it. */
  readonly follower?: string
  readonly follows?: number
  /** Id of the asset of a test case or contract; empty for a new incarnation without followers. */
  readonly asset?: string
}

interface Readers {
  readonly owners: readonly string[]
  /** Changed in place: there may be very many. */
  readonly followers: Set<string>
  readonly asset: string
}

const noReaders = (): Readers => ({ owners: [], followers: new Set(), asset: '' })

/** The readers after a document. It may change those before. */
const readersAfter = (before: Readers, { owners, followers, follower, follows, asset }: InboxDocument): Readers => {
  if (follower !== undefined) {
    before.followers.delete(follower)
    if (follows === 1) before.followers.add(follower)
    return before
  }
  if (asset !== undefined) return { ...noReaders(), owners: owners ?? [], asset }
  return { ...before, ...(owners && { owners }), ...(followers && { followers: new Set(followers) }) }
}

const maxCached = 20_000

/** Cached readers by entity id, as of a position in the log. */
interface ReaderCache {
  readonly known: Map<string, Readers>
  position: bigint
}

const readerChanges = (event: RecordedEvent): Omit<InboxDocument, 'position' | 'readers' | 'subject'> | undefined => {
  switch (event.type) {
    case 'Created': {
      const owners = incarnationsIn(event.data.members['owners'])
      const asset = isValidatingKind(event.metadata.kind) ? (event.data.parent?.id ?? '') : ''
      const isNew = event.revision === 0n && owners.length === 0 && asset === ''
      return isNew ? undefined : { owners, asset }
    }
    case 'Updated': {
      const { set, unset } = event.data
      const changed = (['owners', 'followers'] as const).filter((name) => name in set || unset.includes(name))
      return changed.length === 0
        ? undefined
        : Object.fromEntries(changed.map((name) => [name, incarnationsIn(set[name])]))
    }
    case 'FollowerAdded':
    case 'FollowerRemoved':
      return { follower: incarnationKey(event.data.user), follows: event.type === 'FollowerAdded' ? 1 : 0 }
    default:
      return undefined
  }
}

/** A failure of a contract or test, or what becomes of an incident. */
const isFailure = ({ type, data }: RecordedEvent): boolean => {
  if (type === 'Updated') return incidentMember in data.set || data.unset.includes(incidentMember)
  if (type !== 'Validated') return false
  const { result, run, incident, late } = data
  return incident !== undefined || (run !== 'late' && !late && ['Failed', 'Aborted'].includes(String(result['status'])))
}

/** Whether readers of the entity receive the event. What is inherited is covered by the parent's event. */
const isDelivered = (event: RecordedEvent): boolean =>
  !('inherited' in event.data) && (verbs[event.type].makesVersion || isFailure(event) || event.type === 'FellDue')

const loadReaders = async (
  ids: readonly string[],
  documents: Documents<InboxDocument>,
  known: ReaderCache['known'],
  position: bigint,
): Promise<void> => {
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  for (const id of unknown) known.set(id, noReaders())
  const where = { subject: { $in: unknown }, position: { $lt: position } }
  for (const document of await documents.find({ where, sort: { position: 1 }, index: 'subject' })) {
    const [id = ''] = document.subject
    known.set(id, readersAfter(known.get(id) ?? noReaders(), document))
  }
}

const idOf = ({ stream }: RecordedEvent): string => parseStreamName(stream).id

const documentsFor = async (
  { events }: Pick<Batch, 'events'>,
  documents: Documents<InboxDocument>,
  cache: ReaderCache,
): Promise<InboxDocument[]> => {
  const { known } = cache
  const first = events[0]?.position ?? 0n
  // A repeated event has the readers as of its position, which are older than the cached ones.
  if (first <= cache.position || known.size > maxCached) known.clear()
  cache.position = events.at(-1)?.position ?? cache.position
  const older = events.filter(({ type, revision }) => type !== 'Created' || revision > 0n)
  await loadReaders(older.map(idOf), documents, known, first)
  const found: InboxDocument[] = []
  for (const event of events) {
    const id = idOf(event)
    const changes = readerChanges(event)
    const before = (event.type === 'Created' ? undefined : known.get(id)) ?? noReaders()
    const document = { position: event.position, readers: [], subject: changes === undefined ? [] : [id], ...changes }
    const now = changes === undefined ? before : readersAfter(before, document)
    known.set(id, now)
    if (isFailure(event) && now.asset !== '') await loadReaders([now.asset], documents, known, first)
    const asset = (isFailure(event) ? known.get(now.asset) : undefined) ?? noReaders()
    const self = entityId(principalKind, buildFqn([event.metadata.user]))
    const followersOf = ({ followers }: Readers) => (event.type === 'FellDue' ? [] : [...followers])
    const concerned = isDelivered(event) ? [before, now, asset] : []
    const incarnations = new Set(concerned.flatMap((one) => [...one.owners, ...followersOf(one)]))
    const readers = [...incarnations].filter((incarnation) => entityOf(incarnation) !== self)
    if (readers.length > 0 || changes !== undefined) found.push({ ...document, readers })
  }
  return found
}

/** Merges the indexes of the incarnations; each is read no further than the page needs. */
const readPage = async (
  documents: Documents<InboxDocument>,
  { incarnations: own, limit, before, after: from, oldestFirst = false }: InboxQuery,
): Promise<bigint[]> => {
  const position = { ...(before !== undefined && { $lt: before }), ...(from !== undefined && { $gt: from }) }
  const sort = { position: oldestFirst ? 1 : -1 } as const
  const options = { sort, limit, index: 'readers', members: ['position'] } as const
  const found = await Promise.all(own.map((readers) => documents.find({ where: { readers, position }, ...options })))
  const sorted = [...new Set(found.flat().map((each) => each.position))].toSorted((a, b) =>
    a < b === oldestFirst ? -1 : 1,
  )
  return sorted.slice(0, limit)
}

/**
 * The readers of each event: owners and followers of the entity directly before and after it, of the same incarnation;
 * for a failure also those of the tested asset. Never its author.
 */
export const inboxDocuments = documentProjection({
  layout: {
    name: 'inbox',
    version: 6,
    key: ['position'],
    members: {
      position: 'position',
      readers: 'list',
      subject: 'list',
      owners: 'list',
      followers: 'list',
      follower: 'text',
      follows: 'number',
      asset: 'text',
    },
    indexes: { readers: ['position'], subject: ['position'] },
  },
  cache: (): ReaderCache => ({ known: new Map(), position: -1n }),
  writes: async (batch, documents: Documents<InboxDocument>, cache) =>
    (await documentsFor(batch, documents, cache)).map((add) => ({ add })),
  reads: (documents: Documents<InboxDocument>): Inbox => ({ inbox: (query) => readPage(documents, query) }),
})
