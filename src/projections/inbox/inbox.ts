import {
  entityOf,
  eventTypes,
  incarnationKey,
  parseStreamName,
  type RecordedEvent,
  type Reference,
} from '../../events/events.ts'
import { verbs } from '../../events/verbs.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import { isJudging, principalKind } from '../../kinds/registry/kinds.ts'
import { keptDocuments, type Documents } from '../documents/keptDocuments.ts'
import type { Batch } from '../projection.ts'

interface InboxQuery {
  /** Lives of the person and of the teams that he is in. */
  readonly lives: readonly string[]
  /** 1 … 1,000 */
  readonly limit: number
  /** Exclusive. */
  readonly before?: bigint | undefined
  readonly after?: bigint | undefined
  /** In the order of the log; otherwise the newest comes first. */
  readonly oldestFirst?: boolean
}

/** What is asked of it. */
export interface Inbox {
  /** Positions of events that concern one of these lives. */
  inbox(query: InboxQuery): Promise<bigint[]>
}

/** An event that concerns somebody, or that says whom later ones concern. */
interface InboxDocument {
  readonly position: bigint
  /** Lives whose inbox has the event. */
  readonly readers: readonly string[]
  /** Id of the entity, where the event says one of the following. */
  readonly subject: readonly string[]
  /** Its owners from then on. */
  readonly owners?: readonly string[]
  /** Who follows it from then on, or no more. */
  readonly follower?: string
  readonly follows?: number
  /** Id of what it tests or promises something of; empty: nobody follows what begins here. */
  readonly asset?: string
}

/** Whom events of an entity concern. */
interface Concerned {
  readonly owners: readonly string[]
  readonly followers: ReadonlySet<string>
  readonly asset: string
}

const nobody: Concerned = { owners: [], followers: new Set(), asset: '' }

const after = (before: Concerned, { owners, follower, follows, asset }: InboxDocument): Concerned => {
  if (follower !== undefined) {
    const others = [...before.followers].filter((one) => one !== follower)
    return { ...before, followers: new Set(follows === 1 ? [...others, follower] : others) }
  }
  if (asset !== undefined) return { ...nobody, owners: owners ?? [], asset }
  return owners === undefined ? before : { ...before, owners }
}

/** Entities that are remembered at most. */
const maxRemembered = 20_000

/** Whom events concern, of entities by id, as it is after an event of the log. */
interface Memory {
  readonly known: Map<string, Concerned>
  position: bigint
}

const lives = (value: unknown): string[] =>
  value === undefined ? [] : ((Array.isArray(value) ? value : [value]) as Reference[]).map(incarnationKey)

/** What the event says about whom later ones concern. */
const said = (event: RecordedEvent): Omit<InboxDocument, 'position' | 'readers' | 'subject'> | undefined => {
  switch (event.type) {
    case 'Created': {
      const owners = lives(event.data.members['owners'])
      const asset = isJudging(event.metadata.kind) ? (event.data.parent?.id ?? '') : ''
      const isNew = event.revision === 0n && owners.length === 0 && asset === ''
      return isNew ? undefined : { owners, asset }
    }
    case 'Updated': {
      const { set, unset } = event.data
      return 'owners' in set || unset.includes('owners') ? { owners: lives(set['owners']) } : undefined
    }
    case 'FollowerAdded':
    case 'FollowerRemoved':
      return { follower: incarnationKey(event.data.user), follows: event.type === 'FollowerAdded' ? 1 : 0 }
    default:
      return undefined
  }
}

/** A failure, or what became of an incident. */
const isBad = (event: RecordedEvent): boolean =>
  event.type === 'Validated' &&
  event.data.run !== 'late' &&
  (event.data.incident !== undefined || ['Failed', 'Aborted'].includes(String(event.data.result['status'])))

/** Is it told to those whom the entity concerns? What goes with its parent is told by the event of that. */
const isTold = (event: RecordedEvent): boolean =>
  event.type === 'SoftDeleted'
    ? event.data.inherited !== true
    : verbs[event.type].makesVersion || isBad(event) || event.type === 'FellDue'

/** Brings to mind those of these entities that are not remembered, as they were before a position. */
const remember = async (
  ids: readonly string[],
  documents: Documents<InboxDocument>,
  known: Memory['known'],
  position: bigint,
): Promise<void> => {
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  for (const id of unknown) known.set(id, nobody)
  const where = { subject: { $in: unknown }, position: { $lt: position } }
  for (const document of await documents.find({ where, sort: { position: 1 }, along: 'subject' })) {
    const [id = ''] = document.subject
    known.set(id, after(known.get(id) ?? nobody, document))
  }
}

const idOf = ({ stream }: RecordedEvent): string => parseStreamName(stream).id

const documentsFor = async (
  { events }: Pick<Batch, 'events'>,
  documents: Documents<InboxDocument>,
  memory: Memory,
): Promise<InboxDocument[]> => {
  const { known } = memory
  const first = events[0]?.position ?? 0n
  // Events that come again are told to those whom they concerned then.
  if (first <= memory.position || known.size > maxRemembered) known.clear()
  memory.position = events.at(-1)?.position ?? memory.position
  const older = events.filter(({ type, revision }) => type !== 'Created' || revision > 0n)
  await remember(older.map(idOf), documents, known, first)
  const found: InboxDocument[] = []
  for (const event of events) {
    const id = idOf(event)
    const news = said(event)
    const before = known.get(id) ?? nobody
    const document = { position: event.position, readers: [], subject: news === undefined ? [] : [id], ...news }
    const now = news === undefined ? before : after(before, document)
    known.set(id, now)
    if (isBad(event) && now.asset !== '') await remember([now.asset], documents, known, first)
    const asset = (isBad(event) ? known.get(now.asset) : undefined) ?? nobody
    const self = entityId(principalKind, buildFqn([event.metadata.user]))
    const followersOf = ({ followers }: Concerned) => (event.type === 'FellDue' ? [] : [...followers])
    const concerned = [before, now, asset].flatMap((one) => [...one.owners, ...followersOf(one)])
    const readers = isTold(event) ? [...new Set(concerned)].filter((life) => entityOf(life) !== self) : []
    if (readers.length > 0 || news !== undefined) found.push({ ...document, readers })
  }
  return found
}

/** Positions along the index of one life after the other, each read no further than the page. */
const readPage = async (
  documents: Documents<InboxDocument>,
  { lives: own, limit, before, after: from, oldestFirst = false }: InboxQuery,
): Promise<bigint[]> => {
  const position = {
    ...(before !== undefined && { $lt: before }),
    ...(from !== undefined && { $gt: from }),
  }
  const sort = { position: oldestFirst ? 1 : -1 } as const
  const found = await Promise.all(
    own.map((life) => documents.keys({ where: { readers: life, position }, sort, limit, along: 'readers' })),
  )
  const sorted = [...new Set(found.flat())].toSorted((a, b) => (a < b === oldestFirst ? -1 : 1))
  return sorted.slice(0, limit)
}

/**
 * Whom each event concerns: owners and followers of the entity, just before and just after, and of a failure those of
 * what is tested; not who did it.
 */
export const keptInbox = keptDocuments({
  layout: {
    name: 'inbox',
    version: 1,
    handles: new Set(eventTypes),
    key: ['position'],
    members: {
      position: 'position',
      readers: 'list',
      subject: 'list',
      owners: 'list',
      follower: 'text',
      follows: 'number',
      asset: 'text',
    },
    indexes: { readers: ['position'], subject: ['position'] },
  },
  memory: (): Memory => ({ known: new Map(), position: -1n }),
  writes: async (batch, documents: Documents<InboxDocument>, memory) =>
    (await documentsFor(batch, documents, memory)).map((add) => ({ add })),
  reads: (documents: Documents<InboxDocument>): Inbox => ({ inbox: (query) => readPage(documents, query) }),
})
