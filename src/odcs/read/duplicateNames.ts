import type { Complaint } from './explain.ts'
import { isList, isObject, pointer, textOf, type Json, type JsonObject, type Path } from '../model/types.ts'

/** @returns a complaint for every schema object or property whose name an earlier one of the same list has. */
export const duplicateNames = (document: JsonObject, shape: 'v2' | 'v3'): Complaint[] => {
  const found: Complaint[] = []
  if (shape === 'v3') walk(found, document['schema'], ['schema'], 'schema object')
  else walkV2(found, document)
  return found
}

const walk = (found: Complaint[], list: Json | undefined, path: Path, noun: string): void => {
  if (!isList(list)) return
  const seen = new Set<string>()
  for (const [index, item] of list.entries()) {
    if (!isObject(item)) continue
    claim(found, seen, textOf(item['name']), [...path, index, 'name'], noun)
    inside(found, item, [...path, index])
  }
}

const inside = (found: Complaint[], element: JsonObject, at: Path): void => {
  const { properties, items } = element
  walk(found, properties, [...at, 'properties'], 'property')
  if (isObject(items)) inside(found, items, [...at, 'items'])
}

const claim = (found: Complaint[], seen: Set<string>, name: string | undefined, path: Path, noun: string): void => {
  if (name === undefined) return
  if (seen.has(name)) found.push({ path: pointer(path), message: `the ${noun} name "${name}" stands here twice` })
  seen.add(name)
}

// v2 has no closed schema; only what the document cannot be read without is asked for.
const walkV2 = (found: Complaint[], document: JsonObject): void => {
  const { dataset } = document
  const path = isObject(dataset) ? ['dataset', 'tables'] : ['dataset']
  const tables = isObject(dataset) ? dataset['tables'] : dataset
  if (!isList(tables)) return void found.push({ path: pointer(path), message: 'must be a list of tables' })
  const seen = new Set<string>()
  for (const [index, table] of tables.entries()) {
    if (!named(found, table, 'table', [...path, index])) continue
    claim(found, seen, nameIn(table, 'table'), [...path, index, 'table'], 'table')
    const { columns } = table
    if (columns === undefined || columns === null) continue
    if (!isList(columns))
      found.push({ path: pointer([...path, index, 'columns']), message: 'must be a list of columns' })
    else columnsOf(found, columns, [...path, index, 'columns'])
  }
}

const columnsOf = (found: Complaint[], columns: Json[], path: Path): void => {
  const seen = new Set<string>()
  for (const [index, column] of columns.entries()) {
    if (named(found, column, 'column', [...path, index]))
      claim(found, seen, nameIn(column, 'column'), [...path, index, 'column'], 'column')
  }
}

const nameIn = (item: JsonObject, member: string): string | undefined => textOf(item[member]) ?? textOf(item['name'])

const named = (found: Complaint[], item: Json, member: string, path: Path): item is JsonObject => {
  if (!isObject(item)) found.push({ path: pointer(path), message: `must be a mapping with the member "${member}"` })
  else if (nameIn(item, member) === undefined)
    found.push({ path: pointer(path), message: `needs the member "${member}", a text` })
  else return true
  return false
}
