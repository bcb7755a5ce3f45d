import {
  longTexts,
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

const namesIn = (text: string): string[] => text.split(/\s+/)

const headNames = namesIn(`id kind status fqn parent parent_born born since revision position updated_at deletion
  inherited restored hash`)

const otherNames = namesIn('entity_status edges reference label shown_below refs shown_always shown_on_request')

const names = [...headNames, ...otherNames]

/** Columns of a whole row, for a `SELECT` from `entities AS e`; read with `wide` statements. */
export const rowColumns = names.map((name) => `e.${name}`).join(', ')

/** Columns of a {@link HeadRow}, for a `SELECT` from `entities AS e`; read with `wide` statements. No text is read. */
export const headColumns = [
  ...headNames.map((name) => `e.${name}`),
  `octet_length(e.refs) + octet_length(e.shown_always) + octet_length(e.shown_on_request) > ${longTexts}`,
].join(', ')

type Int = bigint
type Maybe = string | null

/** In the order of {@link headNames}. */
type HeadValues = [string, string, Int, string, Maybe, Int, Int, Int, Int, Int, Int, Maybe, Int, Maybe, string]

/** In the order of {@link otherNames}. */
type OtherValues = [string, string, string, Maybe, Maybe, string, string, string]

const headIn = (values: readonly unknown[]): EntityHead => {
  const [id, kind, status, fullyQualifiedName, parent, parentBorn, born, since, revision, ...others] = values.slice(
    0,
    headNames.length,
  ) as HeadValues
  const [position, updatedAt, deletion, inherited, restored, hash] = others
  return {
    id,
    kind,
    fullyQualifiedName,
    status: statuses[Number(status)] as Status,
    revision,
    position,
    updatedAt: Number(updatedAt),
    parent: parent ?? undefined,
    parentBorn,
    born,
    since,
    deletion: deletion ?? undefined,
    inherited: inherited === 1n,
    restored: restored ?? undefined,
    hash,
  }
}

export const toEntityRow = (values: unknown): EntityRow => {
  const row = values as unknown[]
  const [entityStatus, edges, reference, label, shownBelow, references, shownAlways, shownOnRequest] = row.slice(
    headNames.length,
  ) as OtherValues
  return {
    ...headIn(row),
    entityStatus,
    edges: edgesFrom(edges),
    reference,
    label: label ?? undefined,
    shownBelow: shownBelow ?? undefined,
    shownAlways,
    shownOnRequest,
    references,
  }
}

export const toHeadRow = (values: unknown): HeadRow => {
  const row = values as unknown[]
  return { ...headIn(row), isLarge: row[headNames.length] === 1n }
}

/** Edges as stored with the row: `[[rel, target], …]`, or nothing. */
export const edgesText = (edges: readonly Edge[]): string =>
  edges.length === 0 ? '' : JSON.stringify(edges.map(({ rel, target }) => [rel, target]))

export const edgesFrom = (text: string): Edge[] =>
  text === '' ? [] : (JSON.parse(text) as [string, string][]).map(([rel, target]) => ({ rel, target }))

/** Columns of a {@link ReferenceRow}, for a `SELECT` from `entities AS e`. */
export const referenceColumns = 'e.id, e.kind, e.status, e.born, e.reference, e.label, e.shown_below'

type ReferenceValues = [string, string, number, number, string, Maybe, Maybe]

export const toReferenceRow = (values: unknown): ReferenceRow => {
  const [id, kind, status, born, reference, label, shownBelow] = values as ReferenceValues
  return {
    id,
    kind,
    status: statuses[status] as Status,
    born: BigInt(born),
    reference,
    label: label ?? undefined,
    shownBelow: shownBelow ?? undefined,
  }
}

/** Columns of a {@link ListedRow} without its kind, for a `SELECT` from `entities AS e`. */
export const listedColumns = (withRequested: boolean): string =>
  `e.id, e.fqn, e.born, e.refs, e.shown_always${withRequested ? ', e.shown_on_request' : ''}`

type ListedValues = [string, string, number, string, string, string?]

export const toListedRow = (values: unknown, kind: string): ListedRow => {
  const [id, fullyQualifiedName, born, references, shownAlways, shownOnRequest = '{}'] = values as ListedValues
  return { id, kind, fullyQualifiedName, born: BigInt(born), shownAlways, shownOnRequest, references }
}

const columnsOfPlace = ['kind', 'status', 'fqn', 'parent', 'born', 'entity_status', 'inherited']

const contents = names.filter((name) => name !== 'id' && !columnsOfPlace.includes(name))

const inserted = ['id', ...contents, ...columnsOfPlace]

/** Inserts a row unless the id exists. Values: {@link rowValues}. */
export const insertRow = `INSERT INTO entities (${inserted.join(', ')}) VALUES (${inserted.map(() => '?').join(', ')})
  ON CONFLICT (id) DO NOTHING`

/** Updates only columns without an index. Values: {@link contentValues}, then the entity. */
export const updateContents = `UPDATE entities SET ${contents.map((name) => `${name} = ?`).join(', ')} WHERE entity = ?`

/** Updates indexed columns too. Values: {@link contentValues}, {@link placeValues}, then the entity. */
export const updateRow = `UPDATE entities
  SET ${[...contents, ...columnsOfPlace].map((name) => `${name} = ?`).join(', ')} WHERE entity = ?`

type Value = string | number | bigint | null

export const contentValues = (row: EntityRow, edges: string): Value[] => [
  row.parentBorn,
  row.since,
  row.revision,
  row.position,
  row.updatedAt,
  row.deletion ?? null,
  row.restored ?? null,
  row.hash,
  edges,
  row.reference,
  row.label ?? null,
  row.shownBelow ?? null,
  row.references,
  row.shownAlways,
  row.shownOnRequest,
]

export const placeValues = (row: EntityRow): Value[] => [
  row.kind,
  statusNumber[row.status],
  row.fullyQualifiedName,
  row.parent ?? null,
  row.born,
  row.entityStatus,
  Number(row.inherited),
]

export const rowValues = (row: EntityRow, edges: string): Value[] => [
  row.id,
  ...contentValues(row, edges),
  ...placeValues(row),
]
