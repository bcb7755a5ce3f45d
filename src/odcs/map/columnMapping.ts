import { sameJson } from '../../shared/json.ts'
import type { ContractColumn } from '../model/contract.ts'
import { arrayItems, dataTypeOf, logicalTypeFor } from '../model/logicalTypes.ts'
import { readCustom, setCustom, withOwnCustom } from '../model/customProperties.ts'
import { isObject, itemsIn, objectsIn, toPlainJson, textOf, type Json, type JsonObject } from '../model/types.ts'

/** Members of a property that members of a column have their texts from. */
export const PROPERTY_TEXTS = {
  dataTypeDisplay: 'physicalType',
  displayName: 'businessName',
  description: 'description',
} as const
const TEXTS = ['dataTypeDisplay', 'displayName', 'description'] as const

const FLAGS = ['primaryKey', 'unique', 'required'] as const
const CONSTRAINT_OF = { primaryKey: 'PRIMARY_KEY', unique: 'UNIQUE', required: 'NOT_NULL' } as const

/** Whether a column is one of these, by itself or by its constraint. What may be null is not required. */
export const hasFlag = (column: ContractColumn, flag: (typeof FLAGS)[number]): boolean =>
  column.constraint === CONSTRAINT_OF[flag] ||
  (column[flag] === true && !(flag === 'required' && column.constraint === 'NULL'))

// Column members of the catalog that ODCS has no word for: kept as custom properties of the property.
const CUSTOM = ['arrayDataType', 'dataLength', 'precision', 'scale', 'jsonSchema', 'extension', 'columnTags']

const MAPPED = new Set<string>(['name', 'dataType', 'arrayDataType', 'constraint', 'children', ...TEXTS, ...FLAGS])
// Derived by the catalog, not part of the contract.
const GIVEN = new Set(['ordinalPosition', 'fullyQualifiedName', 'id', 'href'])

/** The columns of the properties of a v3.1.0 schema object, in order. */
export const toColumns = (properties: Json | undefined): ContractColumn[] => objectsIn(properties).map(toColumn)

const toColumn = (property: JsonObject): ContractColumn => {
  const column: ContractColumn = { name: textOf(property['name']) ?? '', dataType: dataTypeOf(property) }
  const items = arrayItems(property)
  for (const member of TEXTS) {
    const text = textOf(property[PROPERTY_TEXTS[member]])
    if (text !== undefined) column[member] = text
  }
  if (items && column.dataType === 'ARRAY') column.arrayDataType = dataTypeOf(items)
  const flags = FLAGS.filter((flag) => property[flag] === true)
  if (flags[0]) column.constraint = CONSTRAINT_OF[flags[0]]
  else if (readCustom(property, 'constraint') === 'NULL') column.constraint = 'NULL'
  for (const flag of flags) column[flag] = true
  const children = toColumns(nested(property))
  if (children.length > 0) column.children = children
  for (const member of CUSTOM) {
    const value = column[member] === undefined ? readCustom(property, member) : undefined
    if (value !== undefined) Object.assign(column, { [member === 'columnTags' ? 'tags' : member]: toPlainJson(value) })
  }
  return column
}

// A property that is not an object cannot carry its nested ones: they are a custom property then, and count.
const nested = (property: JsonObject): Json | undefined => {
  const inside = property['properties'] ?? (isObject(property['items']) ? property['items']['properties'] : undefined)
  return inside ?? customList(property)
}

/** Nested properties that are a custom property of the one that cannot carry them. */
export const customList = (property: JsonObject): Json | undefined => {
  const kept = readCustom(property, 'properties')
  return Array.isArray(kept) && kept.every((item) => isObject(item) && typeof item['name'] === 'string')
    ? kept
    : undefined
}

/** Applies a contract's columns to the original properties: unchanged ones stay, in the order of the columns. */
export const applyColumns = (properties: readonly Json[], columns: readonly ContractColumn[]): Json[] => {
  const objects = properties.filter(isObject)
  const base = objects.map(toColumn)
  const now = columns.map(trimmed)
  if (sameJson(base, now)) return [...properties]
  const names = new Set(now.map(({ name }) => name))
  const used = new Set<number>()
  return now.map((column, index) => {
    const here = base[index]
    let at = base.findIndex((known, position) => known.name === column.name && !used.has(position))
    if (at === -1 && here && !names.has(here.name) && !used.has(index) && isRenamed(here, column)) at = index
    const [property, known] = [objects[at], base[at]]
    if (!property || !known) return newProperty(column)
    used.add(at)
    return applyColumn(property, known, column)
  })
}

// Types alone do not tell a renamed column from another one: what was said of a column is not to be said of another.
const isRenamed = (before: ContractColumn, now: ContractColumn): boolean =>
  (before.description ?? before.displayName) !== undefined && sameJson({ ...before, name: now.name }, now)

// Without derived members and nulls.
const trimmed = (column: ContractColumn): ContractColumn => {
  const entries = Object.entries(column).filter(
    ([member, value]) => value !== undefined && value !== null && !GIVEN.has(member),
  )
  const copy = Object.fromEntries(entries) as ContractColumn
  if (Array.isArray(copy.tags) && copy.tags.length === 0) delete copy['tags']
  if (Array.isArray(column.children)) {
    if (column.children.length > 0) copy.children = column.children.map(trimmed)
    else delete copy.children
  }
  return copy
}

const newProperty = (column: ContractColumn): JsonObject =>
  applyColumn({ name: column.name }, { name: column.name, dataType: 'UNKNOWN' }, column)

const applyColumn = (property: JsonObject, base: ContractColumn, column: ContractColumn): JsonObject => {
  if (sameJson(base, column)) return property
  const laid: JsonObject = { ...withOwnCustom(property), name: column.name }
  if (base.dataType !== column.dataType || base.dataTypeDisplay !== column.dataTypeDisplay)
    applyType(laid, base, column)
  for (const member of ['displayName', 'description'] as const)
    if (base[member] !== column[member]) setText(laid, PROPERTY_TEXTS[member], column[member])
  applyFlags(laid, base, column)
  applyNested(laid, base, column)
  for (const member of new Set([...Object.keys(base), ...Object.keys(column)])) {
    const mapped = MAPPED.has(member) && (member !== 'arrayDataType' || column.dataType === 'ARRAY')
    if (mapped || sameJson(base[member], column[member])) continue
    setCustom(laid, member === 'tags' ? 'columnTags' : member, column[member] as Json | undefined)
  }
  return laid
}

/** Sets or (with undefined) removes a text. */
export const setText = (target: JsonObject, member: string, value: unknown): void => {
  if (value === undefined) delete target[member]
  else target[member] = String(value)
}

const applyType = (laid: JsonObject, base: ContractColumn, column: ContractColumn): void => {
  const display = base.dataTypeDisplay === column.dataTypeDisplay ? undefined : column.dataTypeDisplay
  if (base.dataType !== column.dataType) return setType(laid, column.dataType, display)
  setText(laid, 'physicalType', display)
  if (dataTypeOf(laid) !== column.dataType) laid['physicalType'] = column.dataType.toLowerCase()
}

const setType = (element: JsonObject, dataType: string, display?: string): void => {
  const physicalType = dataType.toLowerCase()
  element['logicalType'] = logicalTypeFor(dataType)
  if ((display ?? element['physicalType']) !== undefined) element['physicalType'] = display ?? physicalType
  if (dataTypeOf(element) !== dataType) element['physicalType'] = physicalType
}

const applyFlags = (laid: JsonObject, base: ContractColumn, column: ContractColumn): void => {
  for (const flag of FLAGS) {
    const now = hasFlag(column, flag)
    if (now !== (base[flag] === true)) laid[flag] = now
  }
  if (base.constraint !== column.constraint)
    setCustom(laid, 'constraint', column.constraint === 'NULL' ? 'NULL' : undefined)
}

const applyNested = (laid: JsonObject, base: ContractColumn, column: ContractColumn): void => {
  const kept = customList(laid)
  if (kept !== undefined && laid['properties'] === undefined && !isObject(laid['items'])) {
    laid['properties'] = kept
    setCustom(laid, 'properties', undefined)
  }
  const inItems = column.dataType === 'ARRAY' && !Array.isArray(laid['properties'])
  const items = isObject(laid['items']) ? laid['items'] : undefined
  if (base.arrayDataType !== column.arrayDataType && inItems && column.arrayDataType !== undefined) {
    laid['items'] = { ...items }
    setType(laid['items'], column.arrayDataType)
  }
  if (sameJson(base.children, column.children)) return
  const children = column.children ?? []
  const holder = inItems ? { ...(isObject(laid['items']) ? laid['items'] : { logicalType: 'object' }) } : laid
  const properties = applyColumns(itemsIn(holder['properties']), children)
  if (properties.length > 0) holder['properties'] = properties
  else delete holder['properties']
  if (inItems) laid['items'] = holder
}
