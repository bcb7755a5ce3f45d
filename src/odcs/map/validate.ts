import { promisable, type AssetColumn } from '../../shared/columnTypes.ts'
import type { ContractColumn } from '../model/contract.ts'
import { arrayItems, dataTypeOf, sortOfValues } from '../model/logicalTypes.ts'
import { objectsIn, textOf, type JsonObject, type Problem } from '../model/types.ts'

/** Counts the top-level properties of the chosen object; those that the asset lacks have failed. */
export interface ValidationResult {
  passed: number
  failed: number
  total: number
  failedFields: string[]
  /** `name: expected X, got Y` at any depth, also where nothing is below the top; not counted. */
  typeMismatchFields: string[]
}

/** A column of a contract with that of the asset. */
interface ColumnPair {
  /** Its names from the top, between dots. */
  readonly name: string
  readonly column: ContractColumn
  readonly found: AssetColumn | undefined
  readonly isTop: boolean
  /** Whether the asset has any columns where this one is looked for. */
  readonly isKnown: boolean
}

/** The columns of a contract, each followed by those in it, with those of the asset: of several of one name one that fits. */
export const columnPairs = (
  columns: readonly ContractColumn[],
  assetColumns: readonly AssetColumn[],
  above = '',
): ColumnPair[] => {
  const byName = Map.groupBy(assetColumns, ({ name }) => name)
  return columns.flatMap((column) => {
    const [name, same] = [`${above}${column.name}`, byName.get(column.name)]
    const found = same?.find((each) => compareTypes(column, each).outcome !== 'failed') ?? same?.[0]
    return [
      { name, column, found, isTop: above === '', isKnown: byName.size > 0 },
      ...(found === undefined ? [] : columnPairs(column.children ?? [], found.children ?? [], `${name}.`)),
    ]
  })
}

/** Compares the columns of a contract with those of its asset, by name. */
export const compareColumns = (
  columns: readonly ContractColumn[],
  assetColumns: readonly AssetColumn[],
): ValidationResult => {
  const pairs = columnPairs(columns, assetColumns)
  const failedFields = pairs.flatMap(({ name, found, isTop }) => (isTop && found === undefined ? name : []))
  const [total, failed] = [columns.length, failedFields.length]
  return { passed: total - failed, failed, total, failedFields, typeMismatchFields: pairs.flatMap(mismatch) }
}

const mismatch = ({ name, column, found, isTop, isKnown }: ColumnPair): string[] => {
  const isWrong = found === undefined ? isKnown && !isTop : compareTypes(column, found).outcome === 'failed'
  return isWrong ? [`${name}: expected ${typeText(column)}, got ${found ? typeText(found) : 'nothing'}`] : []
}

/** Problems of the properties of a schema object that an asset lacks; one without any columns accepts all. */
export const missingColumns = (
  { index, object }: { index?: number; object?: JsonObject },
  assetColumns: readonly AssetColumn[],
): Problem[] => {
  if (assetColumns.length === 0) return []
  const names = new Set(promisable(assetColumns, textOf(object?.['name'])).map(({ name }) => name))
  return objectsIn(object?.['properties']).flatMap((property, at) => {
    const name = String(property['name'])
    const message = `the asset has no column or field "${name}"`
    return names.has(name) ? [] : [{ path: `/schema/${index}/properties/${at}`, message }]
  })
}

type Typed = Pick<AssetColumn, 'dataType' | 'dataTypeDisplay' | 'arrayDataType'>

/** The type of a column with that of its items. */
export const typeText = ({ dataType = 'UNKNOWN', dataTypeDisplay, arrayDataType }: Typed): string => {
  if (dataType !== 'ARRAY') return dataType
  return arrayDataType === undefined ? (dataTypeDisplay ?? dataType) : `ARRAY<${arrayDataType}>`
}

type TypeOutcome = { outcome: 'passed' | 'failed' | 'notChecked'; reason?: string }

const notChecked = (reason: string): TypeOutcome => ({ outcome: 'notChecked', reason })

/** Whether a column has the promised type, and its items theirs. Types of the same sort agree: VARCHAR and STRING do. */
export const compareTypes = (wanted: ContractColumn, found: AssetColumn): TypeOutcome => {
  if (wanted.dataType === 'UNKNOWN') return notChecked('the contract does not say which type')
  if (found.dataType === undefined || found.dataType === 'UNKNOWN')
    return notChecked('the catalog cannot compare its type')
  const isPhysical = wanted.dataTypeDisplay !== undefined
  const failed: TypeOutcome = { outcome: 'failed', reason: `it is ${typeText(found)}` }
  const compare = (type: string, is: string): TypeOutcome => {
    const agree = typesAgree(type, is, isPhysical)
    if (agree === undefined) return notChecked(`${type} and ${is} cannot be compared`)
    return agree ? { outcome: 'passed' } : failed
  }
  const isNumber = sortOfValues(wanted.dataType) === 'number' && isDecimal(found)
  const own = compare(wanted.dataType, isNumber ? 'DECIMAL' : found.dataType)
  if (own.outcome !== 'passed' || wanted.dataType !== 'ARRAY' || wanted.arrayDataType === undefined) return own
  if (wanted.arrayDataType === 'UNKNOWN') return notChecked('the contract does not say which type its items have')
  const items = itemType(found)
  return items === 'UNKNOWN'
    ? notChecked('the catalog does not know the type of its items')
    : compare(wanted.arrayDataType, items)
}

const itemType = ({ arrayDataType, dataTypeDisplay = '', children = [] }: AssetColumn): string => {
  if (arrayDataType !== undefined) return arrayDataType
  return children.length > 0 ? 'STRUCT' : dataTypeOf(arrayItems({ physicalType: dataTypeDisplay }) ?? {})
}

/** Whether a field has numbers in its bytes, as Avro writes decimals. */
const isDecimal = ({ dataType = '', dataTypeDisplay = '' }: Typed): boolean =>
  sortOfValues(dataType) === 'bytes' && /\bdecimal\b/.test(dataTypeDisplay)

/** Types whose values may be of any sort. */
const OPEN = new Set(['JSON', 'VARIANT', 'UNION'])

/** Whether two types are the same sort of value; `undefined` if they cannot be compared. */
const typesAgree = (wanted: string, found: string, isPhysical: boolean): boolean | undefined => {
  if (wanted === found) return true
  const [promised, present] = [sortOfValues(wanted), sortOfValues(found)]
  if (promised === undefined || present === undefined) return undefined
  if (present === promised) return true
  // "string" is all that ODCS has for bytes.
  const isOpen = [wanted, found].some((type) => OPEN.has(type))
  return isOpen || (wanted === 'STRING' && !isPhysical && present === 'bytes') ? undefined : false
}
