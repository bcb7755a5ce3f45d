import {
  type EventType,
  type RecordedEvent,
  type Reference,
  parseStreamName,
  incarnationKey,
} from '../../events/events.ts'
import { lineageKind } from '../../kinds/registry/kinds.ts'
import { entityId } from '../../kinds/names.ts'
import {
  into,
  keptDocuments,
  notEnded,
  numberOf,
  type DocumentLayout,
  type DocumentMatch,
  type Documents,
  type DocumentWrite,
  type TableLayout,
  type TableWrite,
} from '../documents/keptDocuments.ts'
import type { Direction, Lineage, LineageEnd, LineageQuery, LineageSpan } from './port.ts'

/** An end of edges, which spans name by the number of its life. Its name never changes. */
interface EndDocument extends LineageEnd {
  readonly end: bigint
  /** The number of the lineage that has its upstreams. */
  readonly record: bigint
}

/** The time that an edge was there as it was stated. */
interface SpanDocument {
  readonly down: bigint
  readonly up: bigint
  readonly source: string
  readonly from: bigint
  /** Exclusive; {@link notEnded}. */
  readonly to: bigint
  readonly details?: string | undefined
}

const ends: TableLayout<EndDocument> = {
  name: 'lineage_ends',
  key: ['end'],
  members: { end: 'position', record: 'position', life: 'text', type: 'text', fullyQualifiedName: 'text' },
  indexes: { record: [] },
}

/** Both indexes have the spans that have not ended together, so that the present is not dearer where much has ended. */
const spans: DocumentLayout<SpanDocument> = {
  name: 'lineageSpans',
  version: 4,
  handles: new Set<EventType>(['LineageStated', 'SoftDeleted', 'HardDeleted']),
  key: ['from', 'up'],
  members: {
    from: 'position',
    up: 'position',
    down: 'position',
    source: 'text',
    to: 'position',
    details: 'text',
  },
  indexes: { down: ['to', 'up'], up: ['to', 'down'] },
  further: [ends],
}

type Write = DocumentWrite<SpanDocument> | TableWrite

/** The number of the lineage of an entity. */
const recordOf = (id: string): bigint => numberOf(entityId(lineageKind, id))

/** Ends that were written lately, by their lives. */
type Memory = Map<string, EndDocument>

/** Ends that are remembered at most. */
const maxRemembered = 20_000

/** The end that a reference names, which is written if it is not remembered. */
const endOf = (reference: Reference, memory: Memory, writes: Write[]): bigint => {
  const life = incarnationKey(reference)
  const known = memory.get(life)
  if (known !== undefined) return known.end
  const { id, type, fullyQualifiedName } = reference
  const end = { end: numberOf(life), record: recordOf(id), life, type, fullyQualifiedName }
  memory.set(life, end)
  writes.push(into(ends, { add: end }))
  return end.end
}

/** Ends spans that began before; what comes again finds none that has not ended. */
const ending = (where: DocumentMatch<SpanDocument>, position: bigint): Write => ({
  set: { to: position },
  where: { ...where, to: notEnded, from: { $lt: position } },
})

type Stated = RecordedEvent & { readonly type: 'LineageStated' }

/** Revision of the first statement of a lineage, which follows its creation: nothing has begun before it. */
const firstStatement = 1n

const stated = ({ data, position, revision }: Stated, memory: Memory): Write[] => {
  const { entity, source, edges } = data
  const writes: Write[] = []
  const down = endOf(entity, memory, writes)
  const begun = edges.map(({ from, ...details }) => ({
    up: endOf(from, memory, writes),
    ...(Object.keys(details).length > 0 && { details: JSON.stringify(details) }),
  }))
  // What is stated anew ends as it was.
  const over = [...data.ended.map((each) => numberOf(incarnationKey(each))), ...begun.map(({ up }) => up)]
  return [
    ...writes,
    ...(revision === firstStatement ? [] : [ending({ down, source, up: { $in: over } }, position)]),
    ...begun.map((edge) => ({ add: { from: position, down, source, to: notEnded, ...edge } })),
  ]
}

/** What events change, in their order. */
const writesFor = async (
  events: readonly RecordedEvent[],
  documents: Documents<SpanDocument>,
  memory: Memory,
): Promise<Write[]> => {
  if (memory.size > maxRemembered) memory.clear()
  /** The records of what is over: lineages, and entities with all of their edges. */
  const overIn = (event: RecordedEvent): { readonly record: bigint; readonly sides: readonly Direction[] }[] => {
    const { kind, id } = parseStreamName(event.stream)
    if (kind !== lineageKind)
      return event.type === 'HardDeleted' ? [{ record: recordOf(id), sides: ['up', 'down'] }] : []
    // What goes with its asset is part of that, and comes back with it.
    const isOver = event.type === 'HardDeleted' || (event.type === 'SoftDeleted' && event.data.inherited !== true)
    return isOver ? [{ record: numberOf(id), sides: ['down'] }] : []
  }
  const over = new Map(events.map((event) => [event, overIn(event)] as const))
  const records = [...over.values()].flat().map(({ record }) => record)
  const known = records.length === 0 ? [] : await documents.in(ends).find({ where: { record: { $in: records } } })
  const begun = events.map((event) => (event.type === 'LineageStated' ? stated(event as Stated, memory) : []))
  const own = Map.groupBy(records.length === 0 ? [] : [...known, ...memory.values()], ({ record }) => record)
  return events.flatMap((event, at) => [
    ...(begun[at] ?? []),
    ...(over.get(event) ?? []).flatMap(({ record, sides }) => {
      const $in = own.get(record)?.map(({ end }) => end) ?? []
      return sides.map((side) => ending({ [side]: { $in } }, event.position))
    }),
  ])
}

const readSpans = async (documents: Documents<SpanDocument>, query: LineageQuery): Promise<LineageSpan[]> => {
  const { direction, lives, position, sources, limit } = query
  const [side, other] = direction === 'up' ? (['down', 'up'] as const) : (['up', 'down'] as const)
  const found = await documents.find({
    where: {
      [side]: { $in: lives.map(numberOf) },
      ...(position === undefined ? { to: notEnded } : { to: { $gt: position }, from: { $lte: position } }),
      ...(sources && { source: { $in: sources } }),
    },
    sort: { [side]: 1, to: -1, [other]: 1, source: 1, from: 1 },
    limit,
    along: side,
  })
  const wanted = [...new Set(found.flatMap(({ up, down }) => [up, down]))]
  const named = wanted.length === 0 ? [] : await documents.in(ends).find({ where: { end: { $in: wanted } } })
  const byNumber = new Map(
    named.map(({ end, life, type, fullyQualifiedName }) => [end, { life, type, fullyQualifiedName }]),
  )
  return found.map(({ up, down, source, from, to, details }) => ({
    up: byNumber.get(up) as LineageEnd,
    down: byNumber.get(down) as LineageEnd,
    source,
    began: from,
    ended: to === notEnded ? undefined : to,
    details,
  }))
}

/** Where data came from, at any time. */
export const keptLineage = keptDocuments({
  layout: spans,
  memory: (): Memory => new Map(),
  writes: ({ events }, documents, memory) => writesFor(events, documents, memory),
  reads: (documents: Documents<SpanDocument>): Lineage => ({
    lineageOf: (query) => documents.together((together) => readSpans(together, query)),
  }),
})
