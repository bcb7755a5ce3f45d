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
  /** Whose words the types are, unless they are those of columns. */
  readonly vocabulary?: 'search' | 'features'
  /** `PRIMARY_KEY`, `UNIQUE`, `NOT_NULL`, `NULL`: its own and those of the table. */
  readonly constraints?: readonly string[]
  readonly children?: readonly AssetColumn[]
}
