import type { Edge } from '../../kinds/edges.ts'

/** Where an entity stands in its life. `gone`: hard-deleted; the row is a tombstone that only guards its revision. */
export type Status = 'live' | 'deleted' | 'gone'

/** Statuses by their number in stores. */
export const statuses = ['live', 'deleted', 'gone'] as const satisfies readonly Status[]

export const statusNumber: Readonly<Record<Status, number>> = { live: 0, deleted: 1, gone: 2 }

export type { Edge }

/** Where an entity stands, and in which state, without any of its texts: the same few bytes however large it is. */
export interface EntityHead {
  /** UUID; primary key over all kinds. */
  readonly id: string
  readonly kind: string
  readonly fullyQualifiedName: string
  readonly status: Status
  /** Revision of the stream that the row shows: a row is only replaced by one with a higher revision. */
  readonly revision: bigint
  /** Log position of that event. */
  readonly position: bigint
  /** Epoch milliseconds of the newest version: a search can be sorted by it. */
  readonly updatedAt: number
  /** Id of the entity whose life this one shares (it is deleted and restored with it). */
  readonly parent: string | undefined
  /** The life of the parent that it belongs to. */
  readonly parentBorn: bigint
  /** Revision of the event that began the present, or last, life. */
  readonly born: bigint
  /** Position of the event since which `status` is what it is. */
  readonly since: bigint
  /** Id of the deletion that took it, while `status` is not `live`. */
  readonly deletion: string | undefined
  /** That deletion is one of its parent's. Only while `status` is `deleted`. */
  readonly inherited: boolean
  /** Id of the deletion that was last taken back. */
  readonly restored: string | undefined
  /** Hash of the last event: the chain goes on from here. */
  readonly hash: string
}

/** The read model of one entity, made by `entityRow.ts`; adapters never look inside the texts. */
export interface EntityRow extends EntityHead {
  readonly entityStatus: string
  readonly edges: readonly Edge[]
  /** JSON text of the reference object that others show for this entity, without `deleted`. */
  readonly reference: string
  /** JSON text of the tag label that others show, for kinds that label. */
  readonly label: string | undefined
  /** JSON text of the members that everything below shows too (a service's `serviceType`). */
  readonly shownBelow: string | undefined
  readonly shownAlways: string
  /** JSON text of the members that a list gives only on request. */
  readonly shownOnRequest: string
  /** JSON text of the reference members: name → list of {@link Reference}s. */
  readonly references: string
}

export type ReferenceRow = Pick<EntityRow, 'id' | 'kind' | 'status' | 'born' | 'reference' | 'label' | 'shownBelow'>

/** A head as it is read alone. */
export interface HeadRow extends EntityHead {
  /** Are its texts longer than `longTexts`? Then many like it are not read at once. */
  readonly isLarge: boolean
}

/** Characters, about, from which on the texts of a row count as large. */
export const longTexts = 16_384

export type ListedRow = Pick<
  EntityRow,
  'id' | 'kind' | 'fullyQualifiedName' | 'born' | 'shownAlways' | 'shownOnRequest' | 'references'
>

/** Characters of the texts that an answer shows of a row: what a page, and what is kept in memory, is measured by. */
export const shownLength = ({
  shownAlways,
  shownOnRequest,
  references,
}: Pick<EntityRow, 'shownAlways' | 'shownOnRequest' | 'references'>): number =>
  shownAlways.length + shownOnRequest.length + references.length

export const headOf = (row: EntityRow): HeadRow => ({
  id: row.id,
  kind: row.kind,
  fullyQualifiedName: row.fullyQualifiedName,
  status: row.status,
  revision: row.revision,
  position: row.position,
  updatedAt: row.updatedAt,
  parent: row.parent,
  parentBorn: row.parentBorn,
  born: row.born,
  since: row.since,
  deletion: row.deletion,
  inherited: row.inherited,
  restored: row.restored,
  hash: row.hash,
  isLarge: shownLength(row) > longTexts,
})
