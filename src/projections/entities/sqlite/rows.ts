import {
  allMembers,
  headMembers,
  listedMembers,
  longTexts,
  optional,
  referenceMembers,
  rowMembers,
  statuses,
  statusNumber,
  type Edge,
  type EntityRow,
  type HeadRow,
  type ListedRow,
  type ReferenceRow,
  type RowMember,
  type Status,
} from '../row.ts'

type Value = string | number | bigint | null

/** How members of a sort are kept. */
interface Sort {
  readonly type: 'TEXT' | 'INTEGER'
  readonly read: (value: never) => unknown
  readonly write: (value: never) => Value
}

/** A member of a row as the table of entities keeps it. */
interface Column extends Sort {
  readonly name: string
  readonly member: RowMember
}

/** Edges as stored with the row: `[[rel, target], …]`, or nothing. */
export const edgesText = (edges: readonly Edge[]): string =>
  edges.length === 0 ? '' : JSON.stringify(edges.map(({ rel, target }) => [rel, target]))

export const edgesFrom = (text: string): Edge[] =>
  text === '' ? [] : (JSON.parse(text) as [string, string][]).map(([rel, target]) => ({ rel, target }))

const same = <V>(value: V): V => value
const text: Sort = { type: 'TEXT', read: same, write: same }
const integer: Sort = { type: 'INTEGER', read: BigInt, write: same }
const maybe: Pick<Sort, 'read' | 'write'> = {
  read: (value: string | null) => value ?? undefined,
  write: (value: string | undefined) => value ?? null,
}

const sorts: Readonly<Record<(typeof rowMembers)[RowMember], Sort>> = {
  text,
  long: text,
  integer,
  life: integer,
  number: { type: 'INTEGER', read: Number, write: same },
  flag: { type: 'INTEGER', read: (value: bigint) => value === 1n, write: Number },
  status: {
    type: 'INTEGER',
    read: (value: number | bigint) => statuses[Number(value)],
    write: (status: Status) => statusNumber[status],
  },
  edges: { type: 'TEXT', read: edgesFrom, write: edgesText },
}

/** Columns that are not called as their member is, in words with underscores. */
const names: Partial<Record<RowMember, string>> = { fullyQualifiedName: 'fqn', references: 'refs' }

const columnOf = (member: RowMember): Column => ({
  name: names[member] ?? member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  member,
  ...sorts[rowMembers[member]],
  ...(optional.has(member) && maybe),
})

const all = allMembers.map(columnOf)

/** The columns of the table. */
export const columnsDefined = all.map(
  ({ name, member, type }) =>
    `${name} ${type}${optional.has(member) ? '' : ' NOT NULL'}${name === 'id' ? ' UNIQUE' : ''}`,
)

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
const head = headMembers.map(columnOf)
export const headColumns = `${selected(head)},
  octet_length(e.refs) + octet_length(e.shown_always) + octet_length(e.shown_on_request) > ${longTexts}`

const readHead = reading<Omit<HeadRow, 'isLarge'>>(head)
export const toHeadRow = (values: unknown): HeadRow => ({
  ...readHead(values),
  isLarge: (values as unknown[])[head.length] === 1n,
})

const referenced = referenceMembers.map(columnOf)
export const referenceColumns = selected(referenced)
export const toReferenceRow = reading<ReferenceRow>(referenced)

const listed = listedMembers.map(columnOf)
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
