import { deflateRawSync, inflateRawSync } from 'node:zlib'
import {
  longTexts,
  shownLength,
  statuses,
  statusNumber,
  type Edge,
  type EntityHead,
  type EntityRow,
  type HeadRow,
  type ListedRow,
  type ReferenceRow,
  type Status,
} from '../row.ts'
import { numberText } from '../../mongo/texts.ts'
import { fqnIn, placeOf } from '../place.ts'

/** A text, compressed if long, since a MongoDB document holds at most 16 MiB. */
type StoredText = string | Uint8Array

/** An entity as MongoDB keeps it. Nothing that a user writes becomes the name of a field. */
export interface EntityDocument {
  _id: string
  kind: string
  /** {@link statusNumber} */
  status: number
  /** {@link placeOf} */
  place: string
  /** {@link numberText} */
  revision: string
  /** {@link numberText} */
  position: string
  updatedAt: number
  parent?: string | undefined
  /** {@link numberText}; absent: 0. */
  parentBorn?: string | undefined
  /** {@link numberText}; absent: 0. */
  born?: string | undefined
  /** {@link numberText} */
  since: string
  entityStatus: string
  deletion?: string | undefined
  inherited?: true | undefined
  restored?: string | undefined
  /** {@link edgeText}; the first {@link maxIndexed} of them. */
  edges: string[]
  /** JSON text of the edges beyond those. */
  furtherEdges?: StoredText | undefined
  hash: string
  reference: StoredText
  label?: StoredText | undefined
  shownBelow?: StoredText | undefined
  shownAlways: StoredText
  shownOnRequest: StoredText
  references: StoredText
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

const optional = <T, R>(value: T | undefined, change: (value: T) => R): R | undefined =>
  value === undefined ? undefined : change(value)

/** MongoDB refuses more than 100,000 index keys per document: further edges are stored but not indexed. */
export const maxIndexed = 90_000

const furtherEdges = (edges: readonly Edge[]): StoredText | undefined =>
  edges.length <= maxIndexed ? undefined : stored(JSON.stringify(edges.slice(maxIndexed)))

const edgesIn = ({ edges, furtherEdges: further }: EntityDocument): Edge[] => {
  const indexed = edges.map(edgeOf)
  return further === undefined ? indexed : [...indexed, ...(JSON.parse(restored(further)) as Edge[])]
}

export const toDocument = (row: EntityRow): EntityDocument => ({
  _id: row.id,
  kind: row.kind,
  status: statusNumber[row.status],
  place: placeOf(row.fullyQualifiedName, row.id),
  revision: numberText(row.revision),
  position: numberText(row.position),
  updatedAt: row.updatedAt,
  parent: row.parent,
  parentBorn: row.parentBorn === 0n ? undefined : numberText(row.parentBorn),
  born: row.born === 0n ? undefined : numberText(row.born),
  since: numberText(row.since),
  entityStatus: row.entityStatus,
  deletion: row.deletion,
  inherited: row.inherited || undefined,
  restored: row.restored,
  edges: row.edges.slice(0, maxIndexed).map(edgeText),
  furtherEdges: furtherEdges(row.edges),
  hash: row.hash,
  reference: stored(row.reference),
  label: optional(row.label, stored),
  shownBelow: optional(row.shownBelow, stored),
  shownAlways: stored(row.shownAlways),
  shownOnRequest: stored(row.shownOnRequest),
  references: stored(row.references),
  isLarge: shownLength(row) > longTexts || undefined,
})

export const headFields = {
  kind: 1,
  status: 1,
  place: 1,
  revision: 1,
  position: 1,
  updatedAt: 1,
  parent: 1,
  parentBorn: 1,
  born: 1,
  since: 1,
  deletion: 1,
  inherited: 1,
  restored: 1,
  hash: 1,
  isLarge: 1,
} as const

export type HeadDocument = Pick<EntityDocument, '_id' | keyof typeof headFields>

const headIn = (document: HeadDocument): EntityHead => ({
  id: document._id,
  kind: document.kind,
  fullyQualifiedName: fqnIn(document.place, document._id),
  status: statuses[document.status] as Status,
  revision: BigInt(document.revision),
  position: BigInt(document.position),
  updatedAt: document.updatedAt,
  parent: document.parent,
  parentBorn: BigInt(document.parentBorn ?? 0),
  born: BigInt(document.born ?? 0),
  since: BigInt(document.since),
  deletion: document.deletion,
  inherited: document.inherited === true,
  restored: document.restored,
  hash: document.hash,
})

export const headRowOf = (document: HeadDocument): HeadRow => ({
  ...headIn(document),
  isLarge: document.isLarge === true,
})

export const fromDocument = (document: EntityDocument): EntityRow => ({
  ...headIn(document),
  entityStatus: document.entityStatus,
  edges: edgesIn(document),
  reference: restored(document.reference),
  label: optional(document.label, restored),
  shownBelow: optional(document.shownBelow, restored),
  shownAlways: restored(document.shownAlways),
  shownOnRequest: restored(document.shownOnRequest),
  references: restored(document.references),
})

const listedFields = { kind: 1, place: 1, born: 1, shownAlways: 1, references: 1 } as const

export const fieldsListed = (withRequested: boolean) =>
  withRequested ? { ...listedFields, shownOnRequest: 1 } : listedFields

export type ListedDocument = Pick<EntityDocument, '_id' | keyof typeof listedFields> &
  Partial<Pick<EntityDocument, 'shownOnRequest'>>

export const listedRowOf = (document: ListedDocument): ListedRow => ({
  id: document._id,
  kind: document.kind,
  fullyQualifiedName: fqnIn(document.place, document._id),
  born: BigInt(document.born ?? 0),
  shownAlways: restored(document.shownAlways),
  shownOnRequest: document.shownOnRequest === undefined ? '{}' : restored(document.shownOnRequest),
  references: restored(document.references),
})

export const referenceFields = { kind: 1, status: 1, born: 1, reference: 1, label: 1, shownBelow: 1 } as const

export type ReferenceDocument = Pick<EntityDocument, '_id' | keyof typeof referenceFields>

export const referenceRowOf = (document: ReferenceDocument): ReferenceRow => ({
  id: document._id,
  kind: document.kind,
  status: statuses[document.status] as Status,
  born: BigInt(document.born ?? 0),
  reference: restored(document.reference),
  label: optional(document.label, restored),
  shownBelow: optional(document.shownBelow, restored),
})
