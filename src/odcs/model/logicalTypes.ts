import { columnDataTypes } from '../../shared/columnTypes.ts'
import { isList, isObject, textOf, type JsonObject } from './types.ts'

const DATA_TYPES: ReadonlySet<string> = new Set(columnDataTypes)

const named = (type: string, names: string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Of ClickHouse, which means one byte where others mean eight.
    Int8: 'TINYINT',
    ...named('SMALLINT', 'int2 smallserial short int16 shorttype'),
    ...named('INT', 'int4 int32 integer serial mediumint integertype'),
    ...named('BIGINT', 'int8 int64 bigserial longtype'),
    ...named('TINYINT', 'int1 bytetype'),
    ...named('LARGEINT', 'int128 int256 hugeint bignum varint'),
    ...named('UINT', 'uint8 uint16 uint32 uint64 uint128 uint256 utinyint usmallint uinteger ubigint uhugeint'),
    ...named('NUMERIC', 'bignumeric'),
    ...named('DECIMAL', 'dec decimal32 decimal64 decimal128 decimal256 decimaltype smallmoney'),
    ...named('FLOAT', 'float4 float32 real binary_float floattype'),
    ...named('DOUBLE', 'float8 float64 double_precision binary_double doubletype'),
    ...named('STRING', 'str name stringtype'),
    ...named('VARCHAR', 'varchar2 nvarchar nvarchar2 character_varying long_varchar long_nvarchar long_vargraphic'),
    ...named('CHAR', 'nchar bpchar character fixedstring'),
    ...named('TEXT', 'longtext tinytext citext long_text'),
    ...named('CLOB', 'nclob'),
    ...named('BLOB', 'bfile'),
    ...named('ENUM', 'enum8 enum16'),
    ...named('XML', 'xmltype'),
    ...named('ROWID', 'urowid'),
    ...named('GEOMETRY', 'sdo_geometry'),
    ...named('JSON', 'jsonb'),
    ...named('UUID', 'uniqueidentifier guid'),
    ...named('MACADDR', 'macaddr8'),
    ...named('TIMESTAMP', 'timestamp_ntz timestampntz timestamptype timestamp_without_time_zone'),
    ...named(
      'TIMESTAMPZ',
      'timestamptz timestamp_tz timestamp_ltz timestampltz timestamp_with_time_zone timestamp_with_local_time_zone ' +
        'datetimeoffset',
    ),
    ...named('DATETIME', 'datetime2 datetime64 smalldatetime'),
    ...named('DATE', 'date32 datetype'),
    ...named('TIME', 'timetz time_with_time_zone time_without_time_zone'),
    ...named('BOOLEAN', 'bool booleantype'),
    ...named('BINARY', 'raw long_raw binarytype'),
    ...named('VARBINARY', 'long_varbinary'),
    ...named('ARRAY', 'list arraytype repeated vector'),
    ...named('STRUCT', 'object structtype row nested'),
    ...named('MAP', 'maptype hstore'),
  }),
)

const OF_LOGICAL = new Map(
  Object.entries({
    string: 'STRING',
    date: 'DATE',
    timestamp: 'TIMESTAMP',
    time: 'TIME',
    number: 'NUMBER',
    integer: 'INT',
    object: 'STRUCT',
    array: 'ARRAY',
    boolean: 'BOOLEAN',
  }),
)

const LOGICAL = new Map(
  Object.entries<string>({
    ...named('integer', 'TINYINT SMALLINT INT BIGINT BYTEINT LONG LARGEINT UINT'),
    ...named('number', 'NUMBER FLOAT DOUBLE DECIMAL NUMERIC MONEY'),
    ...named('boolean', 'BOOLEAN BIT'),
    ...named('date', 'DATE YEAR'),
    ...named('timestamp', 'DATETIME TIMESTAMP TIMESTAMPZ'),
    ...named('time', 'TIME'),
    ...named('array', 'ARRAY SET'),
    ...named('object', 'STRUCT MAP RECORD UNION TUPLE JSON VARIANT'),
    ...named(
      'string',
      'STRING MEDIUMTEXT TEXT NTEXT CHAR VARCHAR CLOB ENUM UUID XML MACADDR CIDR INET IPV4 IPV6 ROWID',
    ),
  }),
)

const BYTES = new Set(['BINARY', 'VARBINARY', 'BYTES', 'BYTEA', 'BLOB', 'LONGBLOB', 'MEDIUMBLOB', 'IMAGE', 'FIXED'])

/** What fields of search indexes hold, where columns have no type of that name, or another one. */
const SEARCH = new Map(
  Object.entries<string>({
    ...named('integer', 'BYTE SHORT INTEGER UNSIGNED_LONG TOKEN_COUNT'),
    ...named('number', 'HALF_FLOAT SCALED_FLOAT'),
    ...named('date timestamp', 'DATE DATE_NANOS'),
    ...named('object', 'OBJECT NESTED FLATTENED'),
    ...named(
      'string',
      'KEYWORD CONSTANT_KEYWORD WILDCARD SEARCH_AS_YOU_TYPE SEMANTIC_TEXT MATCH_ONLY_TEXT ANNOTATED_TEXT IP VERSION',
    ),
  }),
)

/** What features hold, in any word that is known as a type; those that are categorical may hold anything. */
const ofFeature = (word: string): string => (word.toLowerCase() === 'numerical' ? 'NUMBER' : (ofPhysical(word) ?? ''))

/**
 * The sorts of values that a data type may hold: logical types, integers as numbers, and bytes, which ODCS has no word
 * for. `undefined`: it cannot be compared.
 */
export const comparedTypes = (dataType: string, vocabulary?: 'search' | 'features'): string[] | undefined => {
  const ofSearch = vocabulary === 'search' ? SEARCH.get(dataType) : undefined
  const type = vocabulary === 'features' ? ofFeature(dataType) : dataType
  const found = ofSearch ?? (BYTES.has(type) ? 'bytes' : LOGICAL.get(type))
  return found?.replace('integer', 'number').split(' ')
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
  return isList(property['properties']) ? 'STRUCT' : 'UNKNOWN'
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

const knownType = (name: string): string | undefined =>
  DATA_TYPES.has(name.toUpperCase()) ? name.toUpperCase() : ALIASES.get(name)

const ofPhysical = (type: string): string | undefined => {
  const physical = unwrapped(type)
  if (itemsOf(physical) !== undefined) return 'ARRAY'
  const spelled = physical.replace(IN_BRACKETS, '$1 ').trim()
  const bare = ALIASES.has(spelled) ? spelled : spelled.toLowerCase().replace(/\s+/g, '_')
  // A string of bits has no data type here, and is not a BIT, which stands for a boolean.
  if (bare.startsWith('bit_varying')) return undefined
  const words = bare.split('_').slice(0, MAX_WORDS)
  const beginnings = words.map((_, at) => words.slice(0, at + 1).join('_')).toReversed()
  return beginnings.flatMap((beginning) => knownType(beginning) ?? [])[0]
}
