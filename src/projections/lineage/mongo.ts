import type { Source } from '../mongo/reading.ts'
import type { Collection, Filter } from 'mongodb'
import { mongoBatching, keptInMongo, type MongoLayout } from '../mongo/mongoProjection.ts'
import { numberText } from '../mongo/texts.ts'
import { lineageProjection, recordOf, spanChanges, type SpanChange } from './spans.ts'
import type { Lineage, LineageEnd, LineageQuery, LineageSpan } from './port.ts'

/** A span, with what its ends are called. */
interface SpanDocument {
  /** Both lives, the source and `from`. */
  _id: string
  what: 'span'
  /** Lives, as `incarnationKey` names them. */
  down: string
  up: string
  downEnd: Omit<LineageEnd, 'life'>
  upEnd: Omit<LineageEnd, 'life'>
  /** Id of the lineage that has it. */
  record: string
  source: string
  /** `numberText` of the position that began it. */
  from: string
  /** The same of the one that ended it; {@link notEnded}. */
  to: string
  details: string | null
}

/** Not stored: says that spans have ended. */
interface EndDocument {
  _id: string
  what: 'end'
  filter: object
  to: string
}

type LineageDocument = SpanDocument | EndDocument

/** After all positions. */
const notEnded = '~'

const documentsOf = (change: SpanChange): LineageDocument[] => {
  const at = numberText(change.position)
  const ending = (filter: object): EndDocument => ({ _id: '', what: 'end', filter, to: at })
  if (change.what === 'deleted') return [ending({ record: change.record })]
  if (change.what === 'gone') {
    const { id } = change
    // A life is named by its id, or that with an at sign behind it.
    const lives = (side: 'up' | 'down') => [{ [side]: id }, { [side]: { $gt: `${id}@`, $lt: `${id}A` } }]
    return [...lives('up'), ...lives('down')].map((filter) => ending(filter))
  }
  const { down, source, ended, begun } = change
  const { life: _, ...downEnd } = down
  return [
    ...ended.map((up) => ending({ down: down.life, up, source })),
    ...begun.map(({ up: { life, ...upEnd }, details = null }): SpanDocument => {
      const edge = { down: down.life, up: life, source, downEnd, upEnd, record: recordOf(down.life) }
      return { _id: `${down.life} ${life} ${at} ${source}`, what: 'span', ...edge, from: at, to: notEnded, details }
    }),
  ]
}

/** Spans that began before; what comes again finds none that has not ended. */
const ended = ({ filter, to }: EndDocument) => ({
  updateMany: { filter: { ...filter, to: notEnded, from: { $lt: to } }, update: { $set: { to } } },
})

const layout: MongoLayout<LineageDocument> = {
  ...lineageProjection,
  batching: mongoBatching,
  indexes: {
    upstream: { down: 1, to: 1, up: 1, source: 1, from: 1 },
    downstream: { up: 1, to: 1, down: 1, source: 1, from: 1 },
    records: { record: 1, to: 1 },
  },
  documentsOf: async ({ events }) => spanChanges(events).flatMap(documentsOf),
  writesOf: ({ documents }) => ({
    added: documents.filter(({ what }) => what === 'span'),
    // Of two spans in one batch the earlier one ends first.
    updates: documents.filter((document) => document.what === 'end').map(ended),
  }),
}

const toSpan = ({ down, up, downEnd, upEnd, source, from, to, details }: SpanDocument): LineageSpan => ({
  down: { life: down, ...downEnd },
  up: { life: up, ...upEnd },
  source,
  began: BigInt(from),
  ended: to === notEnded ? undefined : BigInt(to),
  details: details ?? undefined,
})

const filterOf = ({ direction, lives, position, sources }: LineageQuery): Filter<SpanDocument> => ({
  [direction === 'up' ? 'down' : 'up']: { $in: [...lives] },
  ...(position === undefined
    ? { to: notEnded }
    : { to: { $gt: numberText(position) }, from: { $lte: numberText(position) } }),
  ...(sources && { source: { $in: [...sources] } }),
})

const lineageReads = (source: Source<LineageDocument>): Lineage => ({
  lineageOf: (query) =>
    source.read(async ({ documents }) => {
      const spans = documents as unknown as Collection<SpanDocument>
      const [side, other] = query.direction === 'up' ? (['down', 'up'] as const) : (['up', 'down'] as const)
      const found = await spans
        .find(filterOf(query))
        .sort({ [side]: 1, to: -1, [other]: 1, source: 1, from: 1 })
        .limit(query.limit)
        .toArray()
      return found.map(toSpan)
    }),
})

export const lineageInMongo = keptInMongo({ makeLayout: () => layout, reads: lineageReads })
