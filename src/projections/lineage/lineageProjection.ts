import { type RecordedEvent, entityOf, incarnationKey, parseStreamName } from '../../events/events.ts'
import { lineageKind } from '../../kinds/registry/kinds.ts'
import { entityId } from '../../kinds/names.ts'
import {
  documentProjection,
  openEnd,
  type DocumentLayout,
  type DocumentMatch,
  type Documents,
  type DocumentWrite,
} from '../documents/port.ts'

/** An edge between two assets according to a source, for as long as its details stayed the same. */
export interface LineageSpan {
  /** An incarnation, as `incarnationKey` names it. */
  readonly up: string
  readonly down: string
  readonly source: string
  readonly began: bigint
  /** JSON text of the edge's other members; `undefined` if it has none. */
  readonly details: string | undefined
}

export type Direction = 'up' | 'down'

interface LineageQuery {
  readonly direction: Direction
  readonly incarnations: readonly string[]
  /** Point in time; `undefined`: now. */
  readonly position: bigint | undefined
  readonly sources?: readonly string[] | undefined
  readonly limit: number
}

/** Lineage at any point in time. Readers first wait until the projection has reached it. */
export interface Lineage {
  /** The edges on one side of some assets, grouped by asset, in a stable order. */
  lineageOf(query: LineageQuery): Promise<readonly LineageSpan[]>
}

/** The period in which an edge had the same details. */
interface SpanDocument {
  /** Numeric key of the downstream asset's lineage entity; all incarnations share it. */
  readonly down: bigint
  /** Numeric key of the upstream asset; all incarnations share it. */
  readonly up: bigint
  readonly downLife: string
  readonly upLife: string
  readonly source: string
  readonly from: bigint
  /** Exclusive; {@link openEnd}. */
  readonly to: bigint
  readonly details?: string | undefined
}

/** In both indexes current spans are adjacent, so reads of the present do not depend on how many spans have ended. */
const spans: DocumentLayout<SpanDocument> = {
  name: 'lineageSpans',
  version: 6,
  key: ['from', 'up'],
  members: {
    from: 'position',
    up: 'position',
    down: 'position',
    source: 'text',
    to: 'position',
    details: 'text',
    upLife: 'text',
    downLife: 'text',
  },
  indexes: { down: ['to', 'up'], up: ['to', 'down'] },
}

/** The numeric key of an entity: the last 60 bits of its id. */
const numberOf = (id: string): bigint => BigInt(`0x${id.slice(20, 23)}${id.slice(24)}`)

const numbersOf = {
  up: numberOf,
  down: (asset: string): bigint => numberOf(entityId(lineageKind, asset)),
}

type Write = DocumentWrite<SpanDocument>

/** Ends current spans that began earlier; a repeated event finds none. */
const ending = (where: DocumentMatch<SpanDocument>, position: bigint): Write => ({
  set: { to: position },
  where: { ...where, to: openEnd, from: { $lt: position } },
})

type Stated = RecordedEvent & { readonly type: 'LineageStated' }

/** Revision of the first statement of a lineage, right after its creation: there are no earlier spans. */
const firstStatement = 1n

const stated = (down: bigint, { data, position, revision }: Stated): Write[] => {
  const { entity, source, edges, ended } = data
  const downLife = incarnationKey(entity)
  // A restated edge replaces its span.
  const over = [...ended, ...edges.map(({ from }) => from)].map(({ id }) => numberOf(id))
  return [
    ...(revision === firstStatement ? [] : [ending({ down, source, up: { $in: over } }, position)]),
    ...edges.map(({ from, ...details }) => ({
      add: {
        from: position,
        down,
        up: numberOf(from.id),
        downLife,
        upLife: incarnationKey(from),
        source,
        to: openEnd,
        ...(Object.keys(details).length > 0 && { details: JSON.stringify(details) }),
      },
    })),
  ]
}

const writesOf = (event: RecordedEvent): Write[] => {
  const { kind, id } = parseStreamName(event.stream)
  if (event.type === 'LineageStated') return stated(numberOf(id), event as Stated)
  // A deletion inherited from the asset ends no spans, since a restore of the asset brings them back.
  const isOver = event.type === 'HardDeleted' || (event.type === 'SoftDeleted' && event.data.inherited !== true)
  if (kind === lineageKind) return isOver ? [ending({ down: numberOf(id) }, event.position)] : []
  if (event.type !== 'HardDeleted') return []
  return [ending({ up: numbersOf.up(id) }, event.position), ending({ down: numbersOf.down(id) }, event.position)]
}

const readSpans = async (documents: Documents<SpanDocument>, query: LineageQuery): Promise<LineageSpan[]> => {
  const { direction, incarnations, position, sources, limit } = query
  const [side, other] = direction === 'up' ? (['down', 'up'] as const) : (['up', 'down'] as const)
  const found = await documents.find({
    where: {
      [side]: { $in: incarnations.map((incarnation) => numbersOf[side](entityOf(incarnation))) },
      ...(position === undefined ? { to: openEnd } : { to: { $gt: position }, from: { $lte: position } }),
      ...(sources && { source: { $in: sources } }),
    },
    // Not by what may change later: the past keeps its order, and what a limit cuts off.
    sort: { [side]: 1, [other]: 1, from: 1 },
    limit,
    index: side,
  })
  return found.map(({ upLife, downLife, source, from, details }) => ({
    up: upLife,
    down: downLife,
    source,
    began: from,
    details,
  }))
}

/** The lineage read model. */
export const lineageDocuments = documentProjection({
  layout: spans,
  cache: () => undefined,
  writes: async ({ events }) => events.flatMap(writesOf),
  reads: (documents: Documents<SpanDocument>): Lineage => ({ lineageOf: (query) => readSpans(documents, query) }),
})
