import { deflateRawSync, inflateRawSync } from 'node:zlib'
import {
  allMembers,
  headMembers,
  listedMembers,
  longTexts,
  referenceMembers,
  rowMembers,
  shownLength,
  statuses,
  statusNumber,
  type Edge,
  type EntityHead,
  type EntityRow,
  type HeadRow,
  type ListedRow,
  type ReferenceRow,
  type RowMember,
  type Status,
} from '../row.ts'
import { numberText } from '../../mongo/texts.ts'
import { fqnIn, placeOf } from '../place.ts'

/** A text, compressed if long, since a MongoDB document holds at most 16 MiB. */
type StoredText = string | Uint8Array

/** Members by their sort, as MongoDB keeps them. */
interface Sorts {
  text: string
  /** {@link numberText} */
  integer: string
  /** The same; absent: 0. */
  life: string | undefined
  number: number
  flag: true | undefined
  /** {@link statusNumber} */
  status: number
  long: StoredText
  /** {@link edgeText}; the first {@link maxIndexed} of them. */
  edges: string[]
}

type Member = Exclude<RowMember, 'id' | 'fullyQualifiedName'>
type Optional = { [M in Member]: undefined extends EntityRow[M] ? M : never }[Member]

/** An entity as MongoDB keeps it. Nothing that a user writes becomes the name of a field. */
export type EntityDocument = { [M in Exclude<Member, Optional>]: Sorts[(typeof rowMembers)[M]] } & {
  [M in Optional]?: Sorts[(typeof rowMembers)[M]] | undefined
} & {
  _id: string
  /** {@link placeOf} */
  place: string
  /** JSON text of the edges beyond the indexed ones. */
  furtherEdges?: StoredText | undefined
  /** Whether the texts are longer than `longTexts`. Absent if not, and in old documents. */
  isLarge?: true | undefined
}

/** Statuses in lists, in the order of look-ups by name. */
export const shownStatuses: readonly number[] = [statusNumber.live, statusNumber.deleted]

/**
 * Filter for these statuses, as a range. For a set of values MongoDB would merge two walks and yield to writes between
 * them, so that an entity that changes its status would be in neither.
 */
export const shownStatus = { $lte: statusNumber.deleted } as const

/** Member names contain no space. */
export const edgeText = ({ rel, target }: Edge): string => `${rel} ${target}`

const edgeOf = (text: string): Edge => {
  const space = text.indexOf(' ')
  return { rel: text.slice(0, space), target: text.slice(space + 1) }
}

const longText = 65_536

const stored = (text: string): StoredText => (text.length < longText ? text : deflateRawSync(text, { level: 1 }))

const restored = (text: StoredText): string => (typeof text === 'string' ? text : inflateRawSync(text).toString())

/** MongoDB refuses more than 100,000 index keys per document: further edges are stored but not indexed. */
export const maxIndexed = 90_000

const furtherEdges = (edges: readonly Edge[]): StoredText | undefined =>
  edges.length <= maxIndexed ? undefined : stored(JSON.stringify(edges.slice(maxIndexed)))

const edgesIn = ({ edges, furtherEdges: further }: EntityDocument): Edge[] => {
  const indexed = edges.map(edgeOf)
  return further === undefined ? indexed : [...indexed, ...(JSON.parse(restored(further)) as Edge[])]
}

/** How members of a sort are written and read; the others are kept as they are. */
const codecs: Partial<Record<keyof Sorts, { write: (value: never) => unknown; read: (value: never) => unknown }>> = {
  integer: { write: numberText, read: BigInt },
  life: { write: (life: bigint) => (life === 0n ? undefined : numberText(life)), read: (text = '0') => BigInt(text) },
  flag: { write: (flag: boolean) => flag || undefined, read: (flag: true | undefined) => flag === true },
  status: { write: (status: Status) => statusNumber[status], read: (number: number) => statuses[number] },
  long: {
    write: (text: string | undefined) => text && stored(text),
    read: (text: StoredText | undefined) => text && restored(text),
  },
  edges: { write: (edges: readonly Edge[]) => edges.slice(0, maxIndexed).map(edgeText), read: () => undefined },
}

const isOwn = (member: RowMember): member is Member => member !== 'id' && member !== 'fullyQualifiedName'

export const toDocument = (row: EntityRow): EntityDocument => {
  const document: Record<string, unknown> = { _id: row.id, place: placeOf(row.fullyQualifiedName, row.id) }
  for (const member of allMembers.filter(isOwn)) {
    const codec = codecs[rowMembers[member]]
    document[member] = codec === undefined ? row[member] : codec.write(row[member] as never)
  }
  document['furtherEdges'] = furtherEdges(row.edges)
  document['isLarge'] = shownLength(row) > longTexts || undefined
  return document as EntityDocument
}

const readMember = (document: EntityDocument, member: RowMember): unknown => {
  if (member === 'id') return document._id
  if (member === 'fullyQualifiedName') return fqnIn(document.place, document._id)
  if (member === 'edges') return edgesIn(document)
  const codec = codecs[rowMembers[member]]
  return codec === undefined ? document[member] : codec.read(document[member] as never)
}

/** Some members of rows: the fields that they are read from, and how. */
export interface RowCodec<R> {
  readonly fields: Readonly<Record<string, 1>>
  readonly toRow: (document: EntityDocument) => R
}

const shownBy = <R>(members: readonly RowMember[]): RowCodec<R> => ({
  fields: Object.fromEntries(members.map((member) => [isOwn(member) ? member : 'place', 1])),
  toRow: (document) => {
    const row: Record<string, unknown> = {}
    for (const member of members) row[member] = readMember(document, member)
    return row as R
  },
})

export const wholeRows: RowCodec<EntityRow> = { ...shownBy(allMembers), fields: {} }
export const fromDocument = wholeRows.toRow

const heads = shownBy<EntityHead>(headMembers)
export const headRows: RowCodec<HeadRow> = {
  fields: { ...heads.fields, isLarge: 1 },
  toRow: (document) => ({ ...heads.toRow(document), isLarge: document.isLarge === true }),
}

export const referenceRows = shownBy<ReferenceRow>(referenceMembers)

const listed = shownBy<ListedRow>(listedMembers)
const listedShortly = shownBy<ListedRow>(listedMembers.slice(0, -1))
export const listedRows = (withRequested: boolean): RowCodec<ListedRow> =>
  withRequested
    ? listed
    : { ...listedShortly, toRow: (document) => ({ ...listedShortly.toRow(document), shownOnRequest: '{}' }) }
