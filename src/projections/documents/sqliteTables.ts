import type { Contents, SqliteTables } from '../sqlite/file.ts'
import { rowsOf, wholeTable } from '../sqlite/storedTables.ts'
import { memoize } from '../../shared/memoize.ts'
import type { DocumentLayout, MemberType, MemberLayout } from './port.ts'

const types: Readonly<Record<MemberType, string>> = {
  text: 'TEXT',
  long: 'TEXT',
  number: 'INTEGER',
  position: 'INTEGER',
  bytes: 'BLOB',
  list: 'TEXT',
}

export const column = (member: string): string => `"${member}"`
export const columnList = (members: readonly string[]): string => members.map(column).join(', ')
export const indexOn = ({ name }: MemberLayout, member: string): string => `${name}_by_${member}`
/** The table of a list member: each text with the documents that have it. */
export const listTableName = ({ name }: MemberLayout, member: string): string => `${name}_${member}`

export const membersOf = ({ members }: MemberLayout): string[] => Object.keys(members)
export const isListMember = ({ members }: MemberLayout, member: string | undefined): member is string =>
  members[member ?? ''] === 'list'
export const listsOf = memoize((layout: MemberLayout): readonly string[] =>
  Object.keys(layout.indexes).filter((member) => isListMember(layout, member)),
)

/** The column of a key of one member. */
export const keyColumn = ({ key }: MemberLayout): string => column(key[0] as string)

/** Members that order the documents of a text of a list; none: the key alone. */
export const orderOf = ({ indexes, key }: MemberLayout, list: string): readonly string[] =>
  (indexes[list] ?? []).filter((member) => !key.includes(member))

/** Whether documents have entry numbers, by which the tables of ordered lists refer to them. */
export const hasEntryNumbers = memoize((layout: MemberLayout) =>
  listsOf(layout).some((list) => orderOf(layout, list).length > 0),
)

/** The column by which the tables of lists refer to documents. */
export const entryColumn = (layout: MemberLayout): string => (hasEntryNumbers(layout) ? 'entry' : keyColumn(layout))

const typed = ({ members }: MemberLayout, names: readonly string[]): string[] =>
  names.map((member) => `${column(member)} ${types[members[member] as MemberType]}`)

const listTable = (layout: MemberLayout, list: string): string => {
  const order = orderOf(layout, list)
  const sought = ['value', ...order.map(column), ...(order.length > 0 ? [] : [entryColumn(layout)])]
  const defined = ['value TEXT', ...typed(layout, order), `${entryColumn(layout)} INTEGER`]
  return `CREATE TABLE ${listTableName(layout, list)} (${defined.join(' NOT NULL, ')} NOT NULL, PRIMARY KEY (${sought.join(', ')}))
    STRICT, WITHOUT ROWID;`
}

const mainTable = (layout: MemberLayout): string => {
  const { name, members, key } = layout
  const defined = typed(layout, Object.keys(members)).join(', ')
  if (hasEntryNumbers(layout))
    return `CREATE TABLE ${name} (entry INTEGER PRIMARY KEY, ${defined}) STRICT;
      CREATE UNIQUE INDEX ${indexOn(layout, key[0] as string)} ON ${name} (${columnList(key)});`
  const isRowId = key.length === 1 && types[members[key[0] as string] as MemberType] === 'INTEGER'
  return `CREATE TABLE ${name} (${defined}, PRIMARY KEY (${columnList(key)})) STRICT${isRowId ? '' : ', WITHOUT ROWID'};`
}

const indexesOf = (layout: MemberLayout): string[] => {
  const { name, key } = layout
  const plain = Object.entries(layout.indexes).filter(([first]) => !isListMember(layout, first))
  return plain.flatMap(([first, more = []]) => {
    // A prefix of the key needs no index of its own.
    if ([first, ...more].every((member, at) => at >= key.length || member === key[at])) return []
    // A key that is the row id is in every index anyway.
    const indexed = [first, ...more.filter((member) => key.length > 1 || member !== key[0])]
    return `CREATE INDEX ${indexOn(layout, first)} ON ${name} (${columnList(indexed)})
      WHERE ${column(first)} IS NOT NULL;`
  })
}

export const tablesFor = <D>({ name, version, otherTables = [], ...of }: DocumentLayout<D>): SqliteTables => {
  const all: readonly MemberLayout[] = [{ name, ...of }, ...otherTables]
  return {
    name,
    version,
    tables: all.flatMap((layout) => [layout.name, ...listsOf(layout).map((member) => listTableName(layout, member))]),
    create: all
      .flatMap((layout) => [
        mainTable(layout),
        ...listsOf(layout).map((member) => listTable(layout, member)),
        ...indexesOf(layout),
      ])
      .join('\n'),
    contents: Object.fromEntries(all.filter(hasEntryNumbers).flatMap(contentsOf)),
  }
}

/** Documents are numbered in the order in which they come. */
const contentsOf = (layout: MemberLayout): [table: string, contents: Contents][] => [
  [layout.name, wholeTable(layout.name, { by: columnList(layout.key), without: ['entry'] })],
  ...listsOf(layout).map((list): [string, Contents] => {
    const listed = ['value', ...orderOf(layout, list).map(column)].map((each) => `l.${each}`).join(', ')
    const sql = `SELECT json_array(${listed}), d.${keyColumn(layout)}
      FROM ${listTableName(layout, list)} AS l LEFT JOIN ${layout.name} AS d USING (entry)`
    return [listTableName(layout, list), (file) => rowsOf(file, sql)]
  }),
]
