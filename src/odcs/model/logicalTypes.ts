import { columnDataTypes } from '../../shared/columnTypes.ts'
import { namesByWord } from '../../shared/wordLists.ts'
import { isObject, textOf, type JsonObject } from './types.ts'

/** The types that names stand for. */
const typesByName = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(namesByWord(names)))

const ALIASES = typesByName({
  SMALLINT: 'int2 smallserial short int16 shorttype',
  INT: 'int4 int32 integer serial mediumint integertype',
  BIGINT: 'int8 int64 bigserial longtype',
  // `Int8` is of ClickHouse, which means one byte where others mean eight.
  TINYINT: 'Int8 int1 bytetype',
  LARGEINT: 'int128 int256 hugeint bignum varint',
  UINT: 'uint8 uint16 uint32 uint64 uint128 uint256 utinyint usmallint uinteger ubigint uhugeint',
  NUMERIC: 'bignumeric',
  DECIMAL: 'dec decimal32 decimal64 decimal128 decimal256 decimaltype smallmoney',
  FLOAT: 'float4 float32 real binary_float floattype',
  DOUBLE: 'float8 float64 double_precision binary_double doubletype',
  STRING: 'str name stringtype',
  VARCHAR:
    'varchar2 nvarchar nvarchar2 character_varying varchar_ignorecase long_varchar long_nvarchar long_vargraphic',
  CHAR: 'nchar bpchar character fixedstring',
  TEXT: 'longtext tinytext citext long_text',
  CLOB: 'nclob',
  BLOB: 'bfile',
  ENUM: 'enum8 enum16',
  XML: 'xmltype',
  ROWID: 'urowid',
  GEOMETRY: 'sdo_geometry',
  JSON: 'jsonb',
  UUID: 'uniqueidentifier guid',
  MACADDR: 'macaddr8',
  TIMESTAMP:
    'timestamp_ntz timestampntz timestamptype timestamp_without_time_zone ' +
    'timestamp_s timestamp_ms timestamp_us timestamp_ns timestamp_millis timestamp_micros timestamp_nanos',
  TIMESTAMPZ:
    'timestamptz timestamp_tz timestamp_ltz timestampltz timestamp_with_time_zone timestamp_with_local_time_zone ' +
    'datetimeoffset',
  DATETIME: 'datetime2 datetime64 smalldatetime',
  DATE: 'date32 datetype',
  TIME: 'timetz time_with_time_zone time_without_time_zone time_ns time_millis time_micros',
  BOOLEAN: 'bool booleantype',
  BINARY: 'raw long_raw binarytype',
  VARBINARY: 'long_varbinary',
  ARRAY: 'list arraytype repeated vector',
  STRUCT: 'object structtype row nested',
  MAP: 'maptype hstore',
})

const OF_LOGICAL = typesByName({
  STRING: 'string',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  TIME: 'time',
  NUMBER: 'number',
  INT: 'integer',
  STRUCT: 'object',
  ARRAY: 'array',
  BOOLEAN: 'boolean',
})

const LOGICAL = typesByName({
  integer: 'TINYINT SMALLINT INT BIGINT BYTEINT LONG LARGEINT UINT',
  number: 'NUMBER FLOAT DOUBLE DECIMAL NUMERIC MONEY',
  boolean: 'BOOLEAN BIT',
  date: 'DATE YEAR',
  timestamp: 'DATETIME TIMESTAMP TIMESTAMPZ',
  time: 'TIME',
  array: 'ARRAY SET',
  object: 'STRUCT MAP RECORD UNION TUPLE JSON VARIANT',
  string: 'STRING MEDIUMTEXT TEXT NTEXT CHAR VARCHAR CLOB ENUM UUID XML MACADDR CIDR INET IPV4 IPV6 ROWID',
})

const BYTES = new Set(['BINARY', 'VARBINARY', 'BYTES', 'BYTEA', 'BLOB', 'LONGBLOB', 'MEDIUMBLOB', 'IMAGE', 'FIXED'])

/**
 * The sort of values that a data type holds: its logical type, integers as numbers, and bytes, which ODCS has no word
 * for. `undefined`: it cannot be compared.
 */
export const sortOfValues = (dataType: string): string | undefined => {
  const found = BYTES.has(dataType) ? 'bytes' : LOGICAL.get(dataType)
  return found === 'integer' ? 'number' : found
}

/** @returns the v3.1.0 logical type of a catalog data type: one of the nine, `string` when nothing is nearer. */
export const logicalTypeFor = (dataType: string): string => LOGICAL.get(dataType) ?? 'string'

/** The catalog data type of a v3.1.0 property, by its physical type, else its logical type, else its nested members. */
export const dataTypeOf = (property: JsonObject): string => {
  const physical = textOf(property['physicalType'])
  const known = physical === undefined ? undefined : ofPhysical(physical)
  if (known !== undefined) return known
  const logical = OF_LOGICAL.get(textOf(property['logicalType']) ?? '')
  if (logical !== undefined) return logical
  if (isObject(property['items'])) return 'ARRAY'
  return Array.isArray(property['properties']) ? 'STRUCT' : 'UNKNOWN'
}

/** @returns the v3.1.0 logical type of a free type name */
export const logicalTypeOf = (text: string): string => logicalTypeFor(dataTypeOf({ physicalType: text }))

/** The items of an array property: as it says itself, else those of its physical type. */
export const arrayItems = (property: JsonObject): JsonObject | undefined => {
  if (isObject(property['items'])) return property['items']
  const physicalType = itemsOf(unwrapped(textOf(property['physicalType']) ?? ''))
  return physicalType === undefined ? undefined : { physicalType }
}

/** What a physical type says in brackets, such as `(10,2)`; empty if nothing. */
export const sizeOf = ({ physicalType }: JsonObject): string =>
  (IN_BRACKETS.exec(textOf(physicalType) ?? '')?.[2] ?? '').replace(/\s+/g, '')

/** From the start, so that a hostile text with many brackets is read once. */
const IN_BRACKETS = /^([^(<[]*)([(<[].*[)>\]])/s

/** A text with its length: `varchar[50]`. */
const LENGTH = /^[a-z ]{0,20}(?:char|binary|string)[a-z\d ]{0,20}\[\d+\]$/i

/** `int[]`, `int[3]` and `int array`, or `Array(int)`. */
const ARRAY = /^(?:(.+?)(?:\[\d*\]|\sarray(?:\[\d*\])?)|array\s*[(<](.+)[)>])$/is

/** The type of the items of an array type. */
const itemsOf = (physical: string): string | undefined => {
  const [, before, within] = (LENGTH.test(physical) ? undefined : ARRAY.exec(physical)) ?? []
  return before ?? within
}

const WRAPPED = /^(?:(?:nullable|lowcardinality)\s*\(|simpleaggregatefunction\s*\([^(,]*,)(.+)\)$/is

/** The type of the values, without what ClickHouse says of how they are stored: `LowCardinality(Nullable(String))`. */
const unwrapped = (physical: string): string => {
  let bare = physical.trim()
  // There are no more levels; a hostile document may have many.
  for (let left = 3; left > 0 && WRAPPED.test(bare); left--) bare = bare.replace(WRAPPED, '$1').trim()
  return bare
}

/** No known type has more words. */
const MAX_WORDS = 6

const KNOWN = new Map([...ALIASES, ...columnDataTypes.map((type) => [type.toLowerCase(), type] as const)])

const ofPhysical = (type: string): string | undefined => {
  const physical = unwrapped(type)
  if (itemsOf(physical) !== undefined) return 'ARRAY'
  // A string of bits has no data type here, and is not a BIT, which stands for a boolean.
  if (/^bit\s*(?:varying|\((?!\s*1\s*\)))/i.test(physical)) return undefined
  const spelled = physical.replace(IN_BRACKETS, '$1 ').trim()
  const words = spelled.toLowerCase().split(/\s+/, MAX_WORDS)
  const beginnings = words.map((_, at) => words.slice(0, at + 1).join('_')).toReversed()
  return [spelled, ...beginnings].flatMap((name) => KNOWN.get(name) ?? [])[0]
}
