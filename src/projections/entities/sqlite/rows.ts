import {
  longTexts,
  statuses,
  statusNumber,
  type Edge,
  type EntityRow,
  type HeadRow,
  type ListedRow,
  type ReferenceRow,
  type Status,
} from '../row.ts'

type Value = string | number | bigint | null

/** A member of a row as the table of entities keeps it. */
interface Column {
  readonly name: string
  readonly member: keyof EntityRow
  readonly read: (value: never) => unknown
  readonly write: (value: never) => Value
}

const same = <V>(value: V): V => value

const column = (
  member: keyof EntityRow,
  name: string = member,
  read: Column['read'] = same,
  write: Column['write'] = same,
): Column => ({ name, member, read, write })

const integer = (member: keyof EntityRow, name?: string): Column => column(member, name, BigInt)

const maybe = (member: keyof EntityRow, name?: string): Column =>
  column(
    member,
    name,
    (value: string | null) => value ?? undefined,
    (value: string | undefined) => value ?? null,
  )

/** Edges as stored with the row: `[[rel, target], …]`, or nothing. */
export const edgesText = (edges: readonly Edge[]): string =>
  edges.length === 0 ? '' : JSON.stringify(edges.map(({ rel, target }) => [rel, target]))

export const edgesFrom = (text: string): Edge[] =>
  text === '' ? [] : (JSON.parse(text) as [string, string][]).map(([rel, target]) => ({ rel, target }))

const statusColumn = column(
  'status',
  'status',
  (value: number | bigint) => statuses[Number(value)],
  (status: Status) => statusNumber[status],
)

const head: readonly Column[] = [
  column('id'),
  column('kind'),
  statusColumn,
  column('fullyQualifiedName', 'fqn'),
  maybe('parent'),
  integer('parentBorn', 'parent_born'),
  integer('born'),
  integer('since'),
  integer('revision'),
  integer('position'),
  column('updatedAt', 'updated_at', Number),
  maybe('deletion'),
  column('inherited', 'inherited', (value: bigint) => value === 1n, Number),
  maybe('restored'),
  column('hash'),
]

const all: readonly Column[] = [
  ...head,
  column('entityStatus', 'entity_status'),
  column('edges', 'edges', edgesFrom, edgesText),
  column('reference'),
  maybe('label'),
  maybe('shownBelow', 'shown_below'),
  column('references', 'refs'),
  column('shownAlways', 'shown_always'),
  column('shownOnRequest', 'shown_on_request'),
]

const some = (members: readonly (keyof EntityRow)[]): Column[] => all.filter(({ member }) => members.includes(member))

const selected = (columns: readonly Column[]): string => columns.map(({ name }) => `e.${name}`).join(', ')

const reading =
  <R>(columns: readonly Column[]) =>
  (values: unknown): R => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) {
      const { member, read } = columns[at] as Column
      row[member] = read((values as never[])[at] as never)
    }
    return row as R
  }

/** Columns of a whole row, for a `SELECT` from `entities AS e`; read with `wide` statements. So with the others. */
export const rowColumns = selected(all)
export const toEntityRow = reading<EntityRow>(all)

/** No text is read. */
export const headColumns = `${selected(head)},
  octet_length(e.refs) + octet_length(e.shown_always) + octet_length(e.shown_on_request) > ${longTexts}`

const readHead = reading<Omit<HeadRow, 'isLarge'>>(head)
export const toHeadRow = (values: unknown): HeadRow => ({
  ...readHead(values),
  isLarge: (values as unknown[])[head.length] === 1n,
})

const referenced = some(['id', 'kind', 'status', 'born', 'reference', 'label', 'shownBelow'])
export const referenceColumns = selected(referenced)
export const toReferenceRow = reading<ReferenceRow>(referenced)

const shownOnRequest = some(['shownOnRequest'])
const listed = [...some(['id', 'kind', 'fullyQualifiedName', 'born', 'references', 'shownAlways']), ...shownOnRequest]
export const listedColumns = (withRequested: boolean): string =>
  withRequested ? selected(listed) : `${selected(listed.slice(0, -1))}, '{}'`
export const toListedRow = reading<ListedRow>(listed)

const places = new Set(['kind', 'status', 'fqn', 'parent', 'born', 'entity_status', 'inherited'])
const contents = all.filter(({ name }) => name !== 'id' && !places.has(name))
const changing = all.filter(({ name }) => name !== 'id')

const valuesOf =
  (columns: readonly Column[]) =>
  (row: EntityRow): Value[] =>
    columns.map(({ member, write }) => write(row[member] as never))

const updating = (columns: readonly Column[]): string =>
  `UPDATE entities SET ${columns.map(({ name }) => `${name} = ?`).join(', ')} WHERE entity = ?`

/** Inserts a row unless the id exists. Values: {@link rowValues}. */
export const insertRow = `INSERT INTO entities (${all.map(({ name }) => name).join(', ')})
  VALUES (${all.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`
export const rowValues = valuesOf(all)

/** Updates only columns without an index. Values: {@link contentValues}, then the entity. */
export const updateContents = updating(contents)
export const contentValues = valuesOf(contents)

/** Changes also what indexes are made of. Values: {@link changingValues}, then the entity. */
export const updateRow = updating(changing)
export const changingValues = valuesOf(changing)
