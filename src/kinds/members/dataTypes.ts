import { columnDataTypes } from '../../shared/columnDataTypes.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Data types of the fields of a message or request schema. */
export const schemaFieldTypes = words(`
  RECORD NULL BOOLEAN INT LONG BYTES FLOAT DOUBLE TIMESTAMP TIMESTAMPZ TIME DATE STRING ARRAY MAP ENUM UNION FIXED
  ERROR UNKNOWN`)

/** Data types of the fields of a search index: those of search engines, and those of columns. */
export const searchFieldTypes = [
  ...new Set([
    ...words(`
  TEXT KEYWORD CONSTANT_KEYWORD WILDCARD BYTE SHORT INTEGER LONG UNSIGNED_LONG HALF_FLOAT SCALED_FLOAT FLOAT DOUBLE
  BOOLEAN DATE DATE_NANOS ALIAS OBJECT FLATTENED NESTED JOIN RANGE INTEGER_RANGE FLOAT_RANGE LONG_RANGE DOUBLE_RANGE
  DATE_RANGE IP IP_RANGE VERSION HISTOGRAM AGGREGATE_METRIC_DOUBLE TOKEN_COUNT COMPLETION SEARCH_AS_YOU_TYPE
  DENSE_VECTOR SPARSE_VECTOR KNN_VECTOR RANK_FEATURE RANK_FEATURES SEMANTIC_TEXT MATCH_ONLY_TEXT ANNOTATED_TEXT
  GEO_POINT GEO_SHAPE POINT SHAPE PERCOLATOR`),
    ...columnDataTypes,
  ]),
]

export const columnConstraints = words('NULL NOT_NULL UNIQUE PRIMARY_KEY')
