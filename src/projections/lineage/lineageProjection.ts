import {
  keptDocuments,
  type DocumentLayout,
  type Documents,
  type DocumentMatch,
  type DocumentWrite,
} from '../documents/keptDocuments.ts'
import type { Lineage, LineageEnd, LineageQuery, LineageSpan } from './port.ts'
import { lineageProjection, recordOf, spanChanges, type SpanChange } from './spans.ts'

/** A span holds from the position `began` on, up to the one before `ended`. */
interface SpanDocument {
  /** Lives, as `incarnationKey` names them. */
  readonly down: string
  readonly up: string
  readonly source: string
  readonly began: bigint
  readonly ended: bigint
  /** JSON texts: type and FQN. */
  readonly downEnd: string
  readonly upEnd: string
  /** Id of the lineage that has it. */
  readonly record: string
  readonly details?: string | undefined
}

/** `ended` of a span that has not ended: both indexes have these together, so that the present is not dearer where much has. */
const notEnded = 2n ** 63n - 1n

const layout: DocumentLayout<SpanDocument> = {
  ...lineageProjection,
  key: ['down', 'up', 'source', 'began'],
  members: {
    down: 'name',
    up: 'name',
    source: 'name',
    began: 'position',
    ended: 'position',
    downEnd: 'name',
    upEnd: 'name',
    record: 'name',
    details: 'text',
  },
  indexes: {
    down: ['ended', 'up', 'source', 'began'],
    up: ['ended', 'down', 'source', 'began'],
    record: ['ended'],
  },
}

const textOf = ({ type, fullyQualifiedName }: LineageEnd): string => JSON.stringify([type, fullyQualifiedName])

const endOf = (life: string, text: string): LineageEnd => {
  const [type, fullyQualifiedName] = JSON.parse(text) as [string, string]
  return { life, type, fullyQualifiedName }
}

const writesOf = (change: SpanChange): DocumentWrite<SpanDocument>[] => {
  const { position } = change
  // What comes again finds none that has not ended.
  const ending = (which: DocumentMatch<SpanDocument>): DocumentWrite<SpanDocument> => ({
    set: { ended: position },
    of: { ...which, ended: notEnded, began: { $lt: position } },
  })
  if (change.what === 'deleted') return [ending({ record: change.record })]
  if (change.what === 'gone') {
    const { id } = change
    // A life is named by its id, or that with an at sign behind it.
    return [id, { $gt: `${id}@`, $lt: `${id}A` }].flatMap((life) => [ending({ up: life }), ending({ down: life })])
  }
  const { down, source } = change
  const span = { down: down.life, downEnd: textOf(down), source, record: recordOf(down.life) }
  return [
    ...change.ended.map((up) => ending({ down: down.life, up, source })),
    ...change.begun.map(({ up, details }) => ({
      add: { ...span, up: up.life, upEnd: textOf(up), began: position, ended: notEnded, details },
    })),
  ]
}

const toSpan = ({ down, up, downEnd, upEnd, source, began, ended, details }: SpanDocument): LineageSpan => ({
  down: endOf(down, downEnd),
  up: endOf(up, upEnd),
  source,
  began,
  ended: ended === notEnded ? undefined : ended,
  details,
})

const lineageReads = (documents: Documents<SpanDocument>): Lineage => ({
  lineageOf: async ({ direction, lives, position, sources, limit }: LineageQuery) => {
    const [side, other] = direction === 'up' ? (['down', 'up'] as const) : (['up', 'down'] as const)
    const moment =
      position === undefined ? { ended: notEnded } : { ended: { $gt: position }, began: { $lte: position } }
    const where = { [side]: { $in: lives }, ...moment, ...(sources && { source: { $in: sources } }) }
    const found = await documents.find({
      where,
      sort: { [side]: 1, ended: -1, [other]: 1, source: 1, began: 1 },
      limit,
      along: side,
    })
    return found.map(toSpan)
  },
})

export const keptLineage = keptDocuments({
  layout,
  memory: () => undefined,
  writes: async ({ events }) => spanChanges(events).flatMap(writesOf),
  reads: lineageReads,
})
