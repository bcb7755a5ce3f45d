import type { ContractColumn } from '../model/contract.ts'
import { logicalTypeFor } from './logicalTypes.ts'
import { isList, isObject, textOf, type JsonObject } from '../model/types.ts'

export interface PhysicalColumn {
  name: string
  dataType?: string | undefined
  /** Known constraints: `PRIMARY_KEY`, `UNIQUE`, `NOT_NULL`, `NULL`. */
  constraints?: readonly string[] | undefined
  children?: readonly PhysicalColumn[] | undefined
}

/** Counts the top-level properties of the chosen object; those that the asset lacks have failed. */
export interface ValidationResult {
  passed: number
  failed: number
  total: number
  failedFields: string[]
  /** `name: expected X, got Y` at any depth; not counted. */
  typeMismatchFields: string[]
}

/** Compares the columns of a contract with those of its asset, by name. */
export const compareColumns = (
  columns: readonly ContractColumn[],
  assetColumns: readonly PhysicalColumn[],
): ValidationResult => {
  const names = new Set(assetColumns.map(({ name }) => name))
  const failedFields = columns.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  const passed = columns.length - failedFields.length
  return {
    passed,
    failed: failedFields.length,
    total: columns.length,
    failedFields,
    typeMismatchFields: mismatches(columns, assetColumns, ''),
  }
}

/** @returns the properties an asset lacks; none when the asset has no columns at all. */
export const missingColumns = (
  object: JsonObject | undefined,
  assetColumns: readonly PhysicalColumn[],
): { index: number; name: string }[] => {
  const properties = object?.['properties']
  if (assetColumns.length === 0 || !isList(properties)) return []
  const names = new Set(assetColumns.map(({ name }) => name))
  return properties.flatMap((property, index) => {
    const name = isObject(property) ? (textOf(property['name']) ?? '') : ''
    return names.has(name) ? [] : [{ index, name }]
  })
}

const mismatches = (
  columns: readonly ContractColumn[],
  assetColumns: readonly PhysicalColumn[],
  prefix: string,
): string[] => {
  const byName = new Map(assetColumns.toReversed().map((column) => [column.name, column]))
  return columns.flatMap((column) => {
    const found = byName.get(column.name)
    if (!found) return []
    const name = `${prefix}${column.name}`
    const typeMismatches = typesAgree(column.dataType, found.dataType)
      ? []
      : [`${name}: expected ${column.dataType}, got ${found.dataType}`]
    return [...typeMismatches, ...mismatches(column.children ?? [], found.children ?? [], `${name}.`)]
  })
}

/** Whether two types are the same sort of value: VARCHAR and STRING are, INT and VARCHAR are not. */
export const typesAgree = (wanted: string, found: string | undefined): boolean => {
  if (found === undefined || wanted === 'UNKNOWN' || found === 'UNKNOWN') return true
  return wanted === found || kindOf(wanted) === kindOf(found)
}

const BYTES = new Set(['BINARY', 'VARBINARY', 'BYTES', 'BYTEA', 'BLOB', 'LONGBLOB', 'MEDIUMBLOB', 'IMAGE'])

const kindOf = (dataType: string): string => {
  if (BYTES.has(dataType)) return 'bytes'
  const logical = logicalTypeFor(dataType)
  return logical === 'integer' ? 'number' : logical
}
