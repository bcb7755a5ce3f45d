import { columnDataTypes } from '../../shared/columnDataTypes.ts'
import { isList, isObject, textOf, type JsonObject } from '../model/types.ts'

const DATA_TYPES: ReadonlySet<string> = new Set(columnDataTypes)

const named = (type: string, names: string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...named('SMALLINT', 'int2 smallserial short int16 shorttype'),
    ...named('INT', 'int4 int32 integer serial mediumint integertype'),
    ...named('BIGINT', 'int8 int64 bigserial longtype'),
    ...named('TINYINT', 'int1 bytetype'),
    ...named('NUMERIC', 'bignumeric'),
    ...named('DECIMAL', 'dec decimaltype smallmoney'),
    ...named('FLOAT', 'float4 float32 real binary_float floattype'),
    ...named('DOUBLE', 'float8 float64 double_precision binary_double doubletype'),
    ...named('STRING', 'str name stringtype'),
    ...named('VARCHAR', 'varchar2 nvarchar nvarchar2 character_varying'),
    ...named('CHAR', 'nchar bpchar character'),
    ...named('TEXT', 'longtext tinytext'),
    ...named('JSON', 'jsonb'),
    ...named('UUID', 'uniqueidentifier guid'),
    ...named('MACADDR', 'macaddr8'),
    ...named('TIMESTAMP', 'timestamp_ntz timestampntz timestamptype timestamp_without_time_zone'),
    ...named(
      'TIMESTAMPZ',
      'timestamptz timestamp_tz timestamp_ltz timestampltz timestamp_with_time_zone timestamp_with_local_time_zone ' +
        'datetimeoffset',
    ),
    ...named('DATETIME', 'datetime2 smalldatetime'),
    ...named('DATE', 'datetype'),
    ...named('TIME', 'timetz time_with_time_zone time_without_time_zone'),
    ...named('BOOLEAN', 'bool booleantype'),
    ...named('BINARY', 'raw long_raw binarytype'),
    ...named('ARRAY', 'list arraytype repeated'),
    ...named('STRUCT', 'object structtype row'),
    ...named('MAP', 'maptype'),
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
  }),
)

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

/** The items of an array property: as it says itself, else of the physical type before `[]`. */
export const arrayItems = (property: JsonObject): JsonObject | undefined => {
  if (isObject(property['items'])) return property['items']
  const physical = textOf(property['physicalType']) ?? ''
  return ARRAY_OF.test(physical) ? { physicalType: physical.replace(ARRAY_OF, '') } : undefined
}

/** What a physical type says in brackets, such as `(10,2)`; empty if nothing. */
export const sizeOf = ({ physicalType }: JsonObject): string =>
  (IN_BRACKETS.exec(textOf(physicalType) ?? '')?.[0] ?? '').replace(/\s+/g, '')

const IN_BRACKETS = /[(<[].*[)>\]]/s

// With a number in the brackets it is a length: `varchar[50]`.
const ARRAY_OF = /\[\]\s*$/

const ofPhysical = (physical: string): string | undefined => {
  if (ARRAY_OF.test(physical)) return 'ARRAY'
  const bare = physical.replace(IN_BRACKETS, ' ').trim().toLowerCase().replace(/\s+/g, '_')
  if (DATA_TYPES.has(bare.toUpperCase())) return bare.toUpperCase()
  const full = ALIASES.get(bare)
  if (full !== undefined) return full
  const [first = ''] = bare.split('_')
  return DATA_TYPES.has(first.toUpperCase()) ? first.toUpperCase() : ALIASES.get(first)
}
