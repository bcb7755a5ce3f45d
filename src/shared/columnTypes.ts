import { words } from './wordLists.ts'

export const columnDataTypes: readonly string[] = words(`
  NUMBER TINYINT SMALLINT INT BIGINT BYTEINT BYTES FLOAT DOUBLE DECIMAL NUMERIC TIMESTAMP TIMESTAMPZ TIME DATE
  DATETIME INTERVAL STRING MEDIUMTEXT TEXT CHAR LONG VARCHAR BOOLEAN BINARY VARBINARY ARRAY BLOB LONGBLOB MEDIUMBLOB
  MAP STRUCT UNION SET GEOGRAPHY ENUM JSON UUID VARIANT GEOMETRY BYTEA AGGREGATEFUNCTION ERROR FIXED RECORD NULL SUPER
  HLLSKETCH PG_LSN PG_SNAPSHOT TSQUERY TXID_SNAPSHOT XML MACADDR TSVECTOR UNKNOWN CIDR INET CLOB ROWID LOWCARDINALITY
  YEAR POINT POLYGON TUPLE SPATIAL TABLE NTEXT IMAGE IPV4 IPV6 DATETIMERANGE HLL LARGEINT QUANTILE_STATE AGG_STATE
  BITMAP UINT BIT MONEY MEASURE KPI HIERARCHYID`)

/** A column or field of an asset, as contracts are compared with it. */
export interface AssetColumn {
  readonly name: string
  readonly dataType?: string
  readonly dataTypeDisplay?: string
  readonly arrayDataType?: string
  /** `PRIMARY_KEY`, `UNIQUE`, `NOT_NULL`, `NULL`: its own and those of the table. */
  readonly constraints?: readonly string[]
  readonly children?: readonly AssetColumn[]
  /** A record at the top of a schema, such as a message, whose fields can be promised without it. */
  readonly isRoot?: true
}

/**
 * The columns or fields that promises can be about: those of the records at the top of a schema, too, and these
 * themselves. If the object of the contract has the name of such a record, ignoring case, others do not count.
 */
export const promisable = (columns: readonly AssetColumn[], object?: string): readonly AssetColumn[] => {
  const roots = columns.filter(({ isRoot }) => isRoot)
  const named = roots.filter(({ name }) => name.toLowerCase() === object?.toLowerCase())
  const meant = named.length > 0 ? named : roots
  return [...columns.filter(({ isRoot }) => !isRoot), ...meant.flatMap(({ children = [] }) => children), ...meant]
}
