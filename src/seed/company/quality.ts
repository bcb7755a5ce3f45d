import type { JsonObject } from '../../shared/json.ts'
import { childFqn } from '../../kinds/names.ts'
import { capitalised, pascal, spoken } from '../columnNames.ts'
import { randomFor } from '../random.ts'
import { membersOf } from './people.ts'
import { each, refer, type Step } from './step.ts'
import { tables, type Table } from './warehouseTables.ts'

const parameter = (name: string, dataType: string, description: string): JsonObject => ({
  name,
  dataType,
  description,
  required: true,
})

const definitions: readonly JsonObject[] = [
  {
    name: 'rowsArriveInTime',
    entityType: 'TABLE',
    description: 'The newest row is not older than so many hours.',
    dataQualityDimension: 'Timeliness',
    testPlatforms: ['Other'],
    parameterDefinition: [parameter('maximumHours', 'INT', 'Hours since the newest row.')],
  },
  {
    name: 'rowCountIsPlausible',
    entityType: 'TABLE',
    description: 'The number of rows lies between two bounds.',
    dataQualityDimension: 'Completeness',
    testPlatforms: ['Other'],
    parameterDefinition: [parameter('minimum', 'INT', 'Least rows.'), parameter('maximum', 'INT', 'Most rows.')],
  },
  {
    name: 'keyIsUnique',
    entityType: 'COLUMN',
    description: 'No two rows have the same value.',
    dataQualityDimension: 'Uniqueness',
    testPlatforms: ['Other'],
  },
  {
    name: 'valueIsPresent',
    entityType: 'COLUMN',
    description: 'At most this share of the rows has no value.',
    dataQualityDimension: 'Completeness',
    testPlatforms: ['Other'],
    parameterDefinition: [parameter('maximumShare', 'DOUBLE', 'From 0 to 1.')],
  },
  {
    name: 'amountIsPlausible',
    entityType: 'COLUMN',
    description: 'Every value lies between two bounds.',
    dataQualityDimension: 'Validity',
    testPlatforms: ['Other'],
    supportedDataTypes: ['DECIMAL', 'INT', 'BIGINT'],
    parameterDefinition: [
      parameter('minimum', 'DOUBLE', 'Lowest value.'),
      parameter('maximum', 'DOUBLE', 'Highest value.'),
    ],
  },
]

/** Tables that are worth testing: those that others build on. */
const tested = tables
  .filter(({ layer }) => layer === 'source' || layer === 'mart')
  .filter(({ fullyQualifiedName }) => randomFor(`tested ${fullyQualifiedName}`).chance(0.5))

const suiteOf = (table: Table): string => `${table.domain.split('.')[0]?.replaceAll(' ', '_').toLowerCase()}_suite`

const suites = [...new Set(tested.map(suiteOf))].map((name) => ({
  name,
  description: `All checks of ${spoken(name.replace('_suite', ''))}.`,
}))

const value = (name: string, text: number | string): JsonObject => ({ name, value: String(text) })

const testCase = (
  table: Table,
  definition: string,
  column: string | undefined,
  parameterValues: JsonObject[],
): JsonObject => {
  const { fullyQualifiedName } = table
  return {
    name: column === undefined ? definition : `${column}${pascal(definition)}`,
    testDefinition: definition,
    testSuite: suiteOf(table),
    entityLink: `<#E::table::${fullyQualifiedName}${column === undefined ? '' : `::columns::${column}`}>`,
    description: capitalised(
      `${spoken(column ?? 'the table')}: ${definition.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}.`,
    ),
    parameterValues,
  }
}

const casesOf = (table: Table): JsonObject[] => {
  const random = randomFor(`tests ${table.fullyQualifiedName}`)
  const [key, ...others] = table.columns.map((column) => column['name'] as string)
  const amount = others.find((name) => name.endsWith('_amount'))
  const needed = random.pick(others)
  return [
    testCase(table, 'rowsArriveInTime', undefined, [value('maximumHours', random.pick([6, 24, 48]))]),
    ...(random.chance(0.5)
      ? [
          testCase(table, 'rowCountIsPlausible', undefined, [
            value('minimum', 1),
            value('maximum', 10 ** random.between(6, 10)),
          ]),
        ]
      : []),
    testCase(table, 'keyIsUnique', key, []),
    testCase(table, 'valueIsPresent', needed, [value('maximumShare', random.pick([0, 0.01, 0.05]))]),
    ...(amount === undefined
      ? []
      : [testCase(table, 'amountIsPlausible', amount, [value('minimum', 0), value('maximum', 1_000_000)])]),
  ]
}

/** Starts a test case's FQN; `name` follows it. */
const caseFqn = (table: Table, request: JsonObject): string => {
  const column = /::columns::(.*)>$/.exec(request['entityLink'] as string)?.[1]
  const target = column === undefined ? table.fullyQualifiedName : childFqn(table.fullyQualifiedName, column)
  return childFqn(target, request['name'] as string)
}

const termsOfUse = `Use within Juniper Outfitters only.

- Personal data: ask the owner first.
- Tell us before you depend on a column that is not in the contract.
`

/** The contract of a table: its first columns, its checks, and how fresh it is. */
const contractOf = (table: Table): JsonObject => {
  const random = randomFor(`contract ${table.fullyQualifiedName}`)
  const checks = casesOf(table).map((request) => caseFqn(table, request))
  return {
    name: `${table.fullyQualifiedName.split('.').at(-1)}_contract`,
    entity: refer('table', table.fullyQualifiedName),
    entityStatus: random.pick(['Active', 'Active', 'Draft', 'Deprecated']),
    description: `What ${table.fullyQualifiedName} promises to those who read it.`,
    schema: table.columns
      .slice(0, 6)
      .map(
        ({ name, dataType, constraint }) =>
          ({ name, dataType, ...(constraint !== undefined && { constraint }) }) as JsonObject,
      ),
    semantics: [
      {
        name: 'documented',
        description: 'Every column says what it means.',
        rule: '{"!!": {"var": "description"}}',
        enabled: true,
      },
    ],
    qualityExpectations: checks.map((fqn) => refer('testCase', fqn)),
    sla: {
      refreshFrequency: random.pick(['PT1H', 'P1D']),
      latency: random.pick(['PT15M', 'PT4H']),
      availability: random.pick([99.5, 99.9]),
    },
    termsOfUse,
    security: {
      dataClassification: random.pick(['internal', 'confidential']),
      policies: [{ accessPolicy: 'readers', identities: ['analysts'] }],
    },
    owners: [refer('user', random.pick(membersOf(table.domain)))],
    reviewers: membersOf(table.domain)
      .slice(0, 2)
      .map((name) => refer('user', name)),
  }
}

const contracted = tested.filter((_, index) => index % 2 === 0)

/** Test definitions, suites and cases, and the contracts that rely on them. */
export const qualitySteps = (): Step[] => [
  each('test definitions', 'dataQuality/testDefinitions', definitions),
  each('test suites', 'dataQuality/testSuites', suites),
  each('test cases', 'dataQuality/testCases', tested.flatMap(casesOf)),
  each('data contracts', 'dataContracts', contracted.map(contractOf)),
]
