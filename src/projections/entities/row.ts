import type { Edge } from '../../kinds/edges.ts'
import type { EntityHead } from '../../commands/evolve.ts'

/** Status of an entity. `gone`: hard-deleted; the row is a tombstone that guards its revision. */
export type Status = 'live' | 'deleted' | 'gone'

/** Statuses by number, as stored. */
export const statuses = ['live', 'deleted', 'gone'] as const satisfies readonly Status[]

export const statusNumber: Readonly<Record<Status, number>> = { live: 0, deleted: 1, gone: 2 }

export type { Edge, EntityHead }

/** The most common entity status, which needs no index or list of its own: a list of these walks along all. */
export const usualEntityStatus = 'Unprocessed'

/** The row of one entity, made by `entityRow.ts`; adapters never parse its texts. One with a higher revision replaces it. */
export interface EntityRow extends EntityHead {
  readonly entityStatus: string
  readonly edges: readonly Edge[]
  /** JSON text of the entity's reference object, without `deleted`. */
  readonly reference: string
  /** JSON text of the entity's tag label, for tags and terms. */
  readonly label: string | undefined
  /** JSON text of members that all descendants show (a service's `serviceType`). */
  readonly shownBelow: string | undefined
  readonly shownAlways: string
  /** JSON text of members that a list shows only on request. */
  readonly shownOnRequest: string
  /** JSON text of the reference members: name → list of {@link Reference}s. */
  readonly references: string
}

export type ReferenceRow = Pick<EntityRow, 'id' | 'kind' | 'status' | 'born' | 'reference' | 'label' | 'shownBelow'>

const headMembers = [
  'id',
  'kind',
  'fullyQualifiedName',
  'status',
  'revision',
  'position',
  'updatedAt',
  'parent',
  'parentBorn',
  'born',
  'since',
  'deletion',
  'inherited',
  'restored',
  'hash',
] as const satisfies readonly (keyof EntityHead)[]

export const headIn = (row: EntityHead): EntityHead => {
  const head: Record<string, unknown> = {}
  for (const member of headMembers) head[member] = row[member]
  return head as unknown as EntityHead
}

/** A head that was read without its row. */
export interface HeadRow extends EntityHead {
  /** Whether its texts are longer than `longTexts`, so that few such rows are read at once. */
  readonly isLarge: boolean
}

/** Approximate length from which the texts of a row count as large. */
export const longTexts = 16_384

export type ListRow = Pick<
  EntityRow,
  'id' | 'kind' | 'fullyQualifiedName' | 'born' | 'shownAlways' | 'references' | 'shownOnRequest'
>

/** The FQN in the text of a reference. */
export const referredFqn = ({ reference }: Pick<ReferenceRow, 'reference'>): string =>
  (JSON.parse(reference) as { readonly fullyQualifiedName: string }).fullyQualifiedName

/** Length of the texts of a row in answers, by which pages and caches are measured. */
export const shownLength = ({
  shownAlways,
  shownOnRequest,
  references,
}: Pick<EntityRow, 'shownAlways' | 'shownOnRequest' | 'references'>): number =>
  shownAlways.length + shownOnRequest.length + references.length

export const headOf = (row: EntityRow): HeadRow => ({ ...headIn(row), isLarge: shownLength(row) > longTexts })

/** The projection of entities: one row each, for reads, lists and decisions. */
export const entitiesProjection = {
  name: 'entities',
  version: 22,
}
