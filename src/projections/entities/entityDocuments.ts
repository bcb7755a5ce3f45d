import type { DocumentLayout, TableLayout } from '../documents/port.ts'
import { fqnIn, placeOf } from './place.ts'
import {
  entitiesProjection,
  longTexts,
  shownLength,
  statuses,
  statusNumber,
  usualEntityStatus,
  type Edge,
  type EntityRow,
  type HeadRow,
  type ListRow,
  type ReferenceRow,
} from './row.ts'

/** An entity as it is stored. */
export interface EntityDocument extends Omit<EntityRow, 'status' | 'fullyQualifiedName' | 'inherited' | 'edges'> {
  /** `statusNumber` */
  readonly status: number
  /** `placeOf` the entity: the order of lists. */
  readonly place: string
  /** {@link edgeText} of each. */
  readonly edges: readonly string[]
  /** 1: its texts are longer than `longTexts`. */
  readonly isLarge?: number | undefined
  /** Its entity status, unless that is the usual one. */
  readonly unusualStatus?: string | undefined
  /** Its parent, if it was deleted with that. */
  readonly deletedWith?: string | undefined
  /** Its kind, if it was deleted by itself. */
  readonly ownDeletion?: string | undefined
}

/** The number of entities by kind, status and entity status below an FQN; `''`: of all. */
interface Counter {
  readonly scope: string
  readonly kind: string
  readonly status: number
  readonly entityStatus: string
  readonly n: number
}

export const counters: TableLayout<Counter> = {
  name: 'counters',
  key: ['scope', 'kind', 'status', 'entityStatus'],
  members: { scope: 'text', kind: 'text', status: 'number', entityStatus: 'text', n: 'number' },
  indexes: {},
}

/**
 * Indexes on a server have equality fields first, then the list order: a page, or everything below an FQN, is one
 * range. If deleted and live entities are shown together, the place comes before the status, so that a status change
 * does not move an entity within a running walk.
 */
export const serverIndexes = {
  list: { kind: 1, status: 1, place: 1 },
  list_all: { kind: 1, place: 1, status: 1 },
  list_of_edge: { kind: 1, edges: 1, place: 1, status: 1 },
  list_of_entity_status: { kind: 1, entityStatus: 1, place: 1, status: 1 },
  list_of_parent: { parent: 1, kind: 1, place: 1, status: 1 },
  relations: { edges: 1, place: 1, status: 1 },
  children: { parent: 1, status: 1, id: 1 },
  own_deletions: { ownDeletion: 1, place: 1 },
} as const

/** Small members come first, so that reading them does not read the texts of a row. */
export const entities: DocumentLayout<EntityDocument> = {
  ...entitiesProjection,
  isAwaited: true,
  key: ['id'],
  members: {
    id: 'text',
    kind: 'text',
    status: 'number',
    place: 'text',
    parent: 'text',
    parentBorn: 'position',
    born: 'position',
    since: 'position',
    revision: 'position',
    position: 'position',
    updatedAt: 'number',
    entityStatus: 'text',
    deletion: 'text',
    restored: 'text',
    hash: 'text',
    isLarge: 'number',
    unusualStatus: 'text',
    deletedWith: 'text',
    ownDeletion: 'text',
    edges: 'list',
    reference: 'long',
    label: 'long',
    shownBelow: 'long',
    references: 'long',
    shownAlways: 'long',
    shownOnRequest: 'long',
  },
  indexes: {
    kind: ['status', 'place', 'entityStatus'],
    unusualStatus: ['kind', 'status', 'place'],
    parent: ['status', 'kind', 'place'],
    deletedWith: [],
    ownDeletion: ['place'],
    edges: ['kind', 'status', 'place'],
  },
  serverIndexes,
  otherTables: [counters as TableLayout<never>],
}

/** Names of members contain no space. */
export const edgeText = ({ rel, target }: Edge): string => `${rel} ${target}`

export const edgeIn = (text: string): Edge => {
  const space = text.indexOf(' ')
  return { rel: text.slice(0, space), target: text.slice(space + 1) }
}

export const toDocument = (row: EntityRow): EntityDocument => {
  const { fullyQualifiedName, status, edges, inherited, ...rest } = row
  const isDeleted = status === 'deleted'
  return {
    ...rest,
    status: statusNumber[status],
    place: placeOf(fullyQualifiedName, row.id),
    edges: edges.map(edgeText),
    isLarge: shownLength(row) > longTexts ? 1 : undefined,
    unusualStatus: row.entityStatus === usualEntityStatus ? undefined : row.entityStatus,
    deletedWith: isDeleted && inherited ? row.parent : undefined,
    ownDeletion: isDeleted && !inherited ? row.kind : undefined,
  }
}

type Member = keyof EntityDocument

const allMembers = Object.keys(entities.members) as Member[]
const headEnd = allMembers.indexOf('unusualStatus')

export const rowMembers = allMembers.filter((member) => !['unusualStatus', 'ownDeletion', 'isLarge'].includes(member))
export const headMembers: readonly Member[] = [
  ...allMembers.slice(0, headEnd).filter((member) => member !== 'entityStatus'),
  'deletedWith',
]
export const idAlone = ['id'] as const
export const referenceMembers: readonly Member[] = ['id', 'kind', 'status', 'born', 'reference', 'label', 'shownBelow']
export const listedMembers: readonly Member[] = ['id', 'kind', 'place', 'born', 'shownAlways', 'references']
export const requestedMembers: readonly Member[] = [...listedMembers, 'shownOnRequest']

const statusOf = ({ status }: Pick<EntityDocument, 'status'>) => statuses[status] as EntityRow['status']

const restored = ({ place, deletedWith, ...document }: EntityDocument) => ({
  ...document,
  fullyQualifiedName: fqnIn(place, document.id),
  status: statusOf(document),
  inherited: deletedWith !== undefined,
})

export const toEntityRow = (document: EntityDocument): EntityRow => ({
  ...restored(document),
  edges: document.edges.map(edgeIn),
})

export const toHead = (document: EntityDocument): HeadRow => ({
  ...restored(document),
  isLarge: document.isLarge === 1,
})

export const toReference = (document: EntityDocument): ReferenceRow => {
  const { id, kind, born, reference, label, shownBelow } = document
  return { id, kind, status: statusOf(document), born, reference, label, shownBelow }
}

export const toListed = (document: EntityDocument): ListRow => {
  const { id, kind, place, born, shownAlways, references, shownOnRequest = '{}' } = document
  return { id, kind, fullyQualifiedName: fqnIn(place, id), born, shownAlways, references, shownOnRequest }
}
