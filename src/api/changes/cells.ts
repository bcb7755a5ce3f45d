import type { KindDefinition } from '../../kinds/defineKind.ts'
import { buildFqn, splitFqn } from '../../kinds/names.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { mask } from '../../shared/secrets/shownText.ts'

/** What of an entity is changed together with others. */
export const editedColumns = ['displayName', 'description', 'owners', 'tags', 'terms', 'domains'] as const
export type Column = (typeof editedColumns)[number]

export const listColumns = ['owners', 'tags', 'terms', 'domains'] as const satisfies readonly Column[]
export type ListColumn = (typeof listColumns)[number]

/** A text, or the fully qualified names of what a list refers to; ids of what the caller may not know by name. */
export type Cell = string | readonly string[]

/** Where tags and terms, which are one member, come from. */
const sources: Partial<Record<Column, string>> = { tags: 'Classification', terms: 'Glossary' }

const memberOf = (column: Column): string => (column === 'terms' ? 'tags' : column)

/** Optional members of answers that cells are made of. */
export const membersOfCells: ReadonlySet<string> = new Set(editedColumns.map(memberOf))

export const isListColumn = (column: string): column is ListColumn =>
  (listColumns as readonly string[]).includes(column)

/** What requests can set of a kind. */
export const editableColumns = ({ fields }: KindDefinition): Column[] =>
  editedColumns.filter((column) => {
    const field = fields[memberOf(column)]
    return field !== undefined && field.readOnly !== true && field.fixed !== true
  })

/** A fully qualified name with its quotes as answers have them. */
export const canonical = (fqn: string): string => {
  const parts = splitFqn(fqn)
  return parts === undefined ? fqn : buildFqn(parts)
}

const listIn = (entity: JsonObject, column: Column): JsonObject[] => {
  const list = entity[memberOf(column)]
  const source = sources[column]
  return (Array.isArray(list) ? list.filter(isObject) : []).filter(
    (item) => source === undefined || item['source'] === source,
  )
}

const itemOf = ({ tagFQN, fullyQualifiedName, id }: JsonObject): string =>
  (tagFQN ?? (fullyQualifiedName === mask ? id : fullyQualifiedName)) as string

/** What stands in a column of an entity, as an answer has it. */
export const cellOf = (entity: JsonObject, column: Column): Cell => {
  if (isListColumn(column)) return listIn(entity, column).map(itemOf)
  const text = entity[column]
  return typeof text === 'string' ? text.replaceAll('\r\n', '\n') : ''
}

const referenceFor = (item: string, column: ListColumn): Json => {
  const source = sources[column]
  return source === undefined ? item : { tagFQN: item, source }
}

/** The entity with other cells; what stays of a list stays as it is. */
export const withCells = (entity: JsonObject, cells: ReadonlyMap<Column, Cell>): JsonObject => {
  const after = { ...entity }
  for (const [column, cell] of cells) {
    const member = memberOf(column)
    if (isListColumn(column) && typeof cell !== 'string') {
      const present = listIn(after, column)
      const all = Array.isArray(after[member]) ? (after[member] as Json[]) : []
      const others = all.filter((item) => !present.includes(item as JsonObject))
      const own = cell.map((item) => present.find((one) => itemOf(one) === item) ?? referenceFor(item, column))
      after[member] = [...others, ...own]
    } else if (cell === '') delete after[member]
    else after[member] = cell as string
  }
  return after
}

/** The column that a problem is about, by its JSON Pointer into what {@link withCells} gave. */
export const columnAt = (after: JsonObject, pointer: string): string => {
  const [, member = '', index = ''] = pointer.split('/')
  const list = after[member]
  const item = Array.isArray(list) ? list[Number(index)] : undefined
  const isTerm = member === 'tags' && isObject(item) && item['source'] === sources.terms
  return isTerm ? 'terms' : member
}

/** Names are quoted that would not come back otherwise. */
const itemText = (item: string): string =>
  (splitFqn(item) ?? [item])
    .map((part) => (/[|."]|^\s|\s$/.test(part) ? `"${part.replaceAll('"', '""')}"` : part))
    .join('.')

export const cellText = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.map(itemText).join('|'))

/** Reads what {@link cellText} wrote, or somebody else. */
export const readCell = (text: string, column: Column): Cell => {
  if (!isListColumn(column)) return text
  const items = text.match(/(?:"(?:[^"]|"")*"|[^|"]|")+/g) ?? []
  return [...new Set(items.flatMap((item) => (item.trim() === '' ? [] : [canonical(item.trim())])))]
}

export const sameCell = (one: Cell, other: Cell): boolean => cellText(one) === cellText(other)
