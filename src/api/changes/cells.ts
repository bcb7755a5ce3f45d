import { invalidAt } from '../../commands/errors.ts'
import { nameOfSeveral } from '../../commands/requests/resolveRequest.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { buildFqn, readFqn, splitFqn } from '../../kinds/names.ts'
import { referredKinds } from '../../kinds/registry/kinds.ts'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'
import { mask } from '../../shared/secrets/shownText.ts'

/** Columns of many entities that can be edited together. */
export const editedColumns = ['displayName', 'description', 'owners', 'tags', 'terms', 'domains'] as const
export type Column = (typeof editedColumns)[number]

const listColumns = ['owners', 'tags', 'terms', 'domains'] as const satisfies readonly Column[]
type ListColumn = (typeof listColumns)[number]

/** A text, or FQNs of references (opaque ids where the caller may not know the name). */
export type Cell = string | readonly string[]

/** Sources that divide tags and terms, which are one member. */
const sources: Partial<Record<Column, string>> = { tags: 'Classification', terms: 'Glossary' }

const memberOf = (column: Column): string => (column === 'terms' ? 'tags' : column)

/** Optional members that cells need. */
export const cellMembers: ReadonlySet<string> = new Set(editedColumns.map(memberOf))

export const isListColumn = (column: string): column is ListColumn =>
  (listColumns as readonly string[]).includes(column)

/** Editable columns of a kind. */
export const editableColumns = ({ fields }: KindDefinition): Column[] =>
  editedColumns.filter((column) => {
    const field = fields[memberOf(column)]
    return field !== undefined && field.readOnly !== true && field.fixed !== true
  })

/** An FQN in canonical quoting. */
export const canonicalFqn = (fqn: string): string => readFqn(fqn) ?? fqn

const listIn = (entity: JsonObject, column: Column): JsonObject[] => {
  const list = entity[memberOf(column)]
  const source = sources[column]
  return objectsOf(list).filter((item) => source === undefined || item['source'] === source)
}

const nameOf = ({ tagFQN, fullyQualifiedName, id }: JsonObject): string =>
  (tagFQN ?? (fullyQualifiedName === mask ? id : fullyQualifiedName)) as string

/** The name of an owner as it was given, without quotes. */
const plainName = (item: string): string => splitFqn(item)?.join('.') ?? item

const typed = new RegExp(`^(${referredKinds('owners').join('|')}):(.+)$`, 's')

/** What an item says of an owner: the name without quotes, and the type if it begins with that. */
const readOwner = (item: string): { readonly type?: string | undefined; readonly name: string } => {
  const name = plainName(item)
  const [, type, rest = name] = typed.exec(name) ?? []
  return { type, name: rest }
}

/** The list by item; an owner whose name may mean another one begins with the type, as in `team:sales`. */
const itemsIn = (entity: JsonObject, column: Column): ReadonlyMap<string, JsonObject> => {
  const list = listIn(entity, column)
  const byName = Map.groupBy(list, nameOf)
  const itemOf = (owner: JsonObject): string => {
    const name = nameOf(owner)
    const isClear = byName.get(name)?.length === 1 && readOwner(name).type === undefined
    return isClear ? name : buildFqn([`${owner['type'] as string}:${plainName(name)}`])
  }
  return new Map(list.map((item) => [column === 'owners' ? itemOf(item) : nameOf(item), item]))
}

/** The cell of an entity in an answer. */
export const cellOf = (entity: JsonObject, column: Column): Cell => {
  if (isListColumn(column)) return [...itemsIn(entity, column).keys()]
  const text = entity[column]
  return typeof text === 'string' ? text.replaceAll('\r\n', '\n') : ''
}

/**
 * The items as the cell of the entity has them, with or without the type.
 * @throws DomainError `invalid` if a name is that of several of its owners
 */
export const ownItems = (entity: JsonObject, column: Column, items: readonly string[]): string[] => {
  if (column !== 'owners') return [...items]
  const own = Map.groupBy(itemsIn(entity, column), ([, owner]) => plainName(nameOf(owner)))
  const found = items.map((item) => {
    const { type, name } = readOwner(item)
    const named = own.get(name) ?? []
    const [meant, ...others] = type === undefined ? named : named.filter(([, owner]) => owner['type'] === type)
    if (meant === undefined || others.length === 0) return meant?.[0] ?? item
    const several = [meant, ...others].map(([, owner]) => ({ kind: owner['type'] as string }))
    throw invalidAt(`/${column}`, `${nameOfSeveral(item, several)}: say which one, such as ${meant[0]}`)
  })
  return [...new Set(found)]
}

const referenceFor = (item: string, column: ListColumn): Json => {
  const source = sources[column]
  if (source !== undefined) return { tagFQN: item, source }
  const { type, name } = readOwner(item)
  return column !== 'owners' || type === undefined ? item : { type, fullyQualifiedName: buildFqn([name]) }
}

/** The entity with changed cells; remaining list items are unchanged. */
export const withCells = (entity: JsonObject, cells: ReadonlyMap<Column, Cell>): JsonObject => {
  const after = { ...entity }
  for (const [column, cell] of cells) {
    const member = memberOf(column)
    if (isListColumn(column) && typeof cell !== 'string') {
      const present = listIn(after, column)
      const all = Array.isArray(after[member]) ? (after[member] as Json[]) : []
      const others = all.filter((item) => !present.includes(item as JsonObject))
      const items = itemsIn(after, column)
      const own = cell.map((item) => items.get(item) ?? referenceFor(item, column))
      after[member] = [...others, ...own]
    } else if (cell === '') delete after[member]
    else after[member] = cell as string
  }
  return after
}

/** The column of a problem, by its JSON Pointer into the result of {@link withCells}. */
export const columnAt = (after: JsonObject, pointer: string): string => {
  const [, member = '', index = ''] = pointer.split('/')
  const list = after[member]
  const item = Array.isArray(list) ? list[Number(index)] : undefined
  const isTerm = member === 'tags' && isObject(item) && item['source'] === sources.terms
  return isTerm ? 'terms' : member
}

/** Quotes a name if it could not be parsed otherwise. */
const itemText = (item: string): string =>
  (splitFqn(item) ?? [item])
    .map((part) => (/[|."]|^\s|\s$/.test(part) ? `"${part.replaceAll('"', '""')}"` : part))
    .join('.')

export const cellText = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.map(itemText).join('|'))

/** Parses a cell, as written by {@link cellText} or by hand. */
export const readCell = (text: string, column: Column): Cell => {
  if (!isListColumn(column)) return text
  const items = text.match(/(?:"(?:[^"]|"")*"|[^|"]|")+/g) ?? []
  return [...new Set(items.flatMap((item) => (item.trim() === '' ? [] : [canonicalFqn(item.trim())])))]
}
