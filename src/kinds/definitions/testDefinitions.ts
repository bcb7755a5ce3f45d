import type { JsonObject } from '../../shared/json.ts'

interface Parameter {
  readonly name: string
  readonly dataType: string
  readonly description: string
  readonly required?: boolean
}

const parameter = (name: string, dataType: string, description: string, required = false): Parameter => ({
  name,
  dataType,
  description,
  required,
})

const range = (what: string, low = 'minValue', high = 'maxValue', dataType = 'DOUBLE'): Parameter[] => [
  parameter(low, dataType, `Least ${what}; any when absent.`),
  parameter(high, dataType, `Greatest ${what}; any when absent.`),
]

const numbers = [
  'NUMBER',
  'TINYINT',
  'SMALLINT',
  'INT',
  'BIGINT',
  'BYTEINT',
  'FLOAT',
  'DOUBLE',
  'DECIMAL',
  'NUMERIC',
  'LONG',
  'LARGEINT',
  'UINT',
  'MONEY',
]
const texts = ['STRING', 'MEDIUMTEXT', 'TEXT', 'CHAR', 'VARCHAR', 'NTEXT', 'CLOB', 'UUID', 'ENUM']
const times = ['TIMESTAMP', 'TIMESTAMPZ', 'DATE', 'DATETIME', 'TIME']
const scalars = [...numbers, ...texts, ...times, 'BOOLEAN']

/** name, display name, description, dimension, parameters, data types of the columns */
type Row = readonly [string, string, string, string, readonly Parameter[], (readonly string[])?]

const columnTests: readonly Row[] = [
  ['columnValuesToBeUnique', 'Values are unique', 'No value of the column comes twice.', 'Uniqueness', [], scalars],
  [
    'columnValuesToBeNotNull',
    'Values are not null',
    'Every row has a value in the column.',
    'Completeness',
    [],
    [...scalars, 'ARRAY', 'MAP', 'STRUCT', 'JSON'],
  ],
  [
    'columnValuesToBeBetween',
    'Values are in a range',
    'Every value lies between two bounds, both included.',
    'Accuracy',
    range('value'),
    [...numbers, ...times],
  ],
  [
    'columnValuesToBeInSet',
    'Values are in a set',
    'Every value is one of the allowed ones.',
    'Validity',
    [parameter('allowedValues', 'ARRAY', 'The allowed values, as a JSON array.', true)],
    scalars,
  ],
  [
    'columnValuesToBeNotInSet',
    'Values are not in a set',
    'No value is one of the forbidden ones.',
    'Validity',
    [parameter('forbiddenValues', 'ARRAY', 'The forbidden values, as a JSON array.', true)],
    scalars,
  ],
  [
    'columnValuesToMatchRegex',
    'Values match a pattern',
    'Every value matches a regular expression.',
    'Validity',
    [parameter('regex', 'STRING', 'The regular expression.', true)],
    texts,
  ],
  [
    'columnValuesToNotMatchRegex',
    'Values do not match a pattern',
    'No value matches a regular expression.',
    'Validity',
    [parameter('forbiddenRegex', 'STRING', 'The regular expression.', true)],
    texts,
  ],
  [
    'columnValueLengthsToBeBetween',
    'Lengths are in a range',
    'The length of every value lies between two bounds.',
    'Accuracy',
    range('length', 'minLength', 'maxLength', 'INT'),
    texts,
  ],
  [
    'columnValuesMissingCount',
    'Number of missing values',
    'A known number of values is missing.',
    'Completeness',
    [
      parameter('missingCountValue', 'INT', 'How many are missing.', true),
      parameter('missingValueMatch', 'STRING', 'Words that count as missing too, comma-separated.'),
    ],
    scalars,
  ],
  [
    'columnValueMinToBeBetween',
    'Least value is in a range',
    'The least value lies between two bounds.',
    'Accuracy',
    range('minimum', 'minValueForMinInCol', 'maxValueForMinInCol'),
    numbers,
  ],
  [
    'columnValueMaxToBeBetween',
    'Greatest value is in a range',
    'The greatest value lies between two bounds.',
    'Accuracy',
    range('maximum', 'minValueForMaxInCol', 'maxValueForMaxInCol'),
    numbers,
  ],
  [
    'columnValueMeanToBeBetween',
    'Mean is in a range',
    'The mean of the values lies between two bounds.',
    'Accuracy',
    range('mean', 'minValueForMeanInCol', 'maxValueForMeanInCol'),
    numbers,
  ],
  [
    'columnValueMedianToBeBetween',
    'Median is in a range',
    'The median of the values lies between two bounds.',
    'Accuracy',
    range('median', 'minValueForMedianInCol', 'maxValueForMedianInCol'),
    numbers,
  ],
  [
    'columnValueStdDevToBeBetween',
    'Standard deviation is in a range',
    'The standard deviation of the values lies between two bounds.',
    'Accuracy',
    range('standard deviation', 'minValueForStdDevInCol', 'maxValueForStdDevInCol'),
    numbers,
  ],
  [
    'columnValuesSumToBeBetween',
    'Sum is in a range',
    'The sum of the values lies between two bounds.',
    'Accuracy',
    range('sum', 'minValueForColSum', 'maxValueForColSum'),
    numbers,
  ],
  [
    'columnValuesToBeAtExpectedLocation',
    'Values are where they are expected',
    'Coordinates lie within a distance of a known place.',
    'Accuracy',
    [
      parameter('locationReferenceType', 'STRING', 'CITY or POSTAL_CODE.', true),
      parameter('longitudeColumnName', 'STRING', 'Column with the longitude.', true),
      parameter('latitudeColumnName', 'STRING', 'Column with the latitude.', true),
      parameter('radius', 'FLOAT', 'Distance in metres.', true),
    ],
    [...numbers, ...texts],
  ],
]

const tableTests: readonly Row[] = [
  [
    'tableRowCountToEqual',
    'Number of rows',
    'The table has a known number of rows.',
    'Integrity',
    [parameter('value', 'INT', 'The number of rows.', true)],
  ],
  [
    'tableRowCountToBeBetween',
    'Number of rows is in a range',
    'The number of rows lies between two bounds.',
    'Integrity',
    range('number of rows', 'minValue', 'maxValue', 'INT'),
  ],
  [
    'tableRowInsertedCountToBeBetween',
    'Number of new rows is in a range',
    'The number of rows that came in a span of time lies between two bounds.',
    'Integrity',
    [
      parameter('columnName', 'STRING', 'Column with the time of arrival.', true),
      parameter('rangeType', 'STRING', 'HOUR, DAY, MONTH or YEAR.', true),
      parameter('rangeInterval', 'INT', 'How many of them.', true),
      ...range('number of rows', 'min', 'max', 'INT'),
    ],
  ],
  [
    'tableColumnCountToEqual',
    'Number of columns',
    'The table has a known number of columns.',
    'Integrity',
    [parameter('columnCount', 'INT', 'The number of columns.', true)],
  ],
  [
    'tableColumnCountToBeBetween',
    'Number of columns is in a range',
    'The number of columns lies between two bounds.',
    'Integrity',
    range('number of columns', 'minColValue', 'maxColValue', 'INT'),
  ],
  [
    'tableColumnNameToExist',
    'A column exists',
    'The table has a column of this name.',
    'Integrity',
    [parameter('columnName', 'STRING', 'The name.', true)],
  ],
  [
    'tableColumnToMatchSet',
    'Columns match a set',
    'The table has exactly these columns.',
    'Integrity',
    [
      parameter('columnNames', 'STRING', 'The names, comma-separated.', true),
      parameter('ordered', 'BOOLEAN', 'In this order.'),
    ],
  ],
  [
    'tableCustomSQLQuery',
    'A query finds nothing',
    'A query of your own finds no rows, or no more than so many.',
    'SQL',
    [
      parameter('sqlExpression', 'STRING', 'The query.', true),
      parameter('strategy', 'STRING', 'ROWS: the rows that it gives; COUNT: the number that it gives.'),
      parameter('threshold', 'NUMBER', 'How many are fine; 0 when absent.'),
    ],
  ],
  [
    'tableDiff',
    'Two tables are equal',
    'The table has the same rows as another.',
    'Consistency',
    [
      parameter('table2', 'STRING', 'Fully qualified name of the other table.', true),
      parameter('keyColumns', 'ARRAY', 'Columns that tell rows apart, as a JSON array.'),
      parameter('useColumns', 'ARRAY', 'Columns to compare, as a JSON array; all when absent.'),
      parameter('where', 'STRING', 'Condition that limits the rows.'),
    ],
  ],
]

const request =
  (entityType: 'TABLE' | 'COLUMN') =>
  ([name, displayName, description, dataQualityDimension, parameters, types]: Row): JsonObject => ({
    name,
    displayName,
    description,
    entityType,
    testPlatforms: ['OpenMetadata'],
    parameterDefinition: parameters.map((each) => ({ ...each })),
    ...(types !== undefined && { supportedDataTypes: [...types] }),
    dataQualityDimension,
  })

/** Test definitions that a catalog starts with: names and parameters are those that test runners know. */
export const testDefinitions: readonly JsonObject[] = [
  ...columnTests.map(request('COLUMN')),
  ...tableTests.map(request('TABLE')),
]
