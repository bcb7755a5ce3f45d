import { z } from 'zod'
import { shorten } from '../../shared/bounds.ts'
import { isObject, sameJson, type Json, type JsonObject } from '../../shared/json.ts'
import { defineKind } from './commonMembers.ts'
import { columnDataTypes } from '../../shared/columnTypes.ts'
import type { Members } from '../../events/events.ts'
import type { Behaviour, Draft, Effects, Facts, Place, Problem } from '../defineKind.ts'
import { field } from '../members/fields.ts'
import { nodesByName, nodesOf, pathsIn } from '../members/fieldTree.ts'
import { buildFqn, childFqn, splitFqn } from '../names.ts'
import { anyValue, name, oneOf, openObject, openWord, text } from '../members/shapes.ts'
import { words } from '../../shared/wordLists.ts'
import data from './testDefinitions.json' with { type: 'json' }

/** A parameter in the data file: name, data type, description, whether it is required. */
type Parameter = readonly [name: string, dataType: string, description: string, required?: boolean]

const groups: Readonly<Record<string, string>> = data.dataTypes

/** Data types, and groups of them by name. */
const dataTypesIn = (text: string): string[] => text.split(' ').flatMap((word) => groups[word]?.split(' ') ?? [word])

/** Initial test definitions, with names and parameters that test runners know. */
const testDefinitions: readonly JsonObject[] = data.definitions.map(
  ({ parameters, supportedDataTypes: types, ...definition }) => ({
    ...definition,
    testPlatforms: ['OpenMetadata'],
    parameterDefinition: (parameters as unknown[] as Parameter[]).map(
      ([name, dataType, description, required = false]) => ({ name, dataType, description, required }),
    ),
    ...(types !== undefined && { supportedDataTypes: dataTypesIn(types) }),
  }),
)

const linkPattern = /^<#E::([^:]+)::(.+)>$/s

/**
 * Parses `<#E::table::FQN>` or `<#E::table::FQN::columns::COLUMN>`, with dots for nested columns.
 * @returns the FQN of the table and the path of the column, empty for the table as a whole; or what is wrong
 */
export const readEntityLink = (link: string) => {
  const match = linkPattern.exec(link)
  if (match === null) return 'must be <#E::table::TABLE_FQN> or <#E::table::TABLE_FQN::columns::COLUMN>'
  const [, kind, path = ''] = match
  if (kind !== 'table') return `names a ${kind}: tests are on tables and their columns`
  const names = path.split('::columns::')
  const [table = '', column] = names
  if (names.length > 2 || names.some((name) => name === '' || name.includes('::')))
    return 'must name a table, and may name ::columns:: and one column after it'
  return { table, column: column === undefined ? [] : (splitFqn(column) ?? [column]) }
}

const parameterTypes = words('NUMBER INT FLOAT DOUBLE DECIMAL TIMESTAMP DATE STRING ARRAY SET BOOLEAN')

const parameterDefinition = z.strictObject({
  name,
  displayName: text.optional(),
  dataType: openWord(parameterTypes).optional(),
  required: z.boolean().optional(),
  description: text.optional(),
  optionValues: anyValue.optional(),
  validationRule: anyValue.optional(),
})

const dimensions = ['Completeness', 'Accuracy', 'Consistency', 'Validity', 'Uniqueness', 'Integrity', 'SQL']

const testDefinition = defineKind({
  name: 'testDefinition',
  path: 'dataQuality/testDefinitions',
  description: 'A way of testing tables or columns.',
  traits: { serving: true },
  facts: ['parameterDefinition'],
  seeds: testDefinitions,
  kept: 'provider enabled supportedServices sqlExpression validatorClass supportsRowLevelPassedFailed supportsDynamicAssertion',
  fields: {
    entityType: field.oneOf('What it tests.', ['TABLE', 'COLUMN']),
    testPlatforms: field.list(
      'What can run it.',
      openWord(['OpenMetadata', 'GreatExpectations', 'dbt', 'Deequ', 'Soda', 'Other']),
    ),
    parameterDefinition: field.list('What a test case must or may say.', parameterDefinition),
    supportedDataTypes: field.list('Data types of columns that it can test.', oneOf(columnDataTypes, 'ColumnDataType')),
    dataQualityDimension: field.openWord('The dimension of quality that it looks at.', dimensions),
  },
})

const testSuite = defineKind({
  name: 'testSuite',
  path: 'dataQuality/testSuites',
  description: 'Test cases that are run together.',
  traits: { serving: true },
  computed: { tests: { from: 'related', rel: 'testSuite', shown: 'request' } },
  kept: 'basicEntityReference executableEntityReference dataContract',
})

const problemAt = (path: string, message: string): Problem[] => [{ path, message }]

/** The place of a test case by its link: below the table or its column. */
const placeByLink = ({ entityLink }: JsonObject): Place | Problem[] => {
  if (typeof entityLink !== 'string') return {}
  const link = readEntityLink(entityLink)
  if (typeof link === 'string') return problemAt('/entityLink', link)
  return {
    parent: { input: { fullyQualifiedName: link.table }, kinds: ['table'], path: '/entityLink' },
    between: link.column,
  }
}

const columnOf = ({ members: { entityLink } }: Draft): readonly string[] => {
  const link = typeof entityLink === 'string' ? readEntityLink(entityLink) : ''
  return typeof link === 'string' ? [] : link.column
}

/** Checked on creation only: the link never changes, though the table may. */
const columnProblems = (draft: Draft): Problem[] => {
  const column = columnOf(draft)
  const { before, parent } = draft
  if (before !== undefined || parent === undefined || column.length === 0) return []
  if (pathsIn(nodesOf(parent.members['columns'])).some(({ path }) => sameJson(path, column))) return []
  const hint = column.length > 1 ? '; a name that has a dot of its own stands in double quotes' : ''
  const table = `table ${parent.reference.fullyQualifiedName}`
  return problemAt('/entityLink', `${table} has no column ${buildFqn(column)}${hint}`)
}

const definitionId = ({ members: { testDefinition: reference } }: Draft): string =>
  isObject(reference) ? (reference['id'] as string) : ''

const changesParameters = ({ members, before }: Draft): boolean =>
  before === undefined ||
  ['testDefinition', 'parameterValues'].some((member) => !sameJson(members[member], before[member]))

/** Longest list of alternatives in a problem, in characters: there may be thousands of such problems. */
const longestOffer = 1000

const parameterProblems = (draft: Draft, facts: Facts): Problem[] => {
  const definition = facts.get(definitionId(draft))
  const declared = definition?.members['parameterDefinition']
  const given = nodesOf(draft.members['parameterValues']).map((value) => value['name'] as string)
  const firsts = new Set<string>()
  const twice = given.flatMap((each, index) =>
    firsts.size === firsts.add(each).size ? problemAt(`/parameterValues/${index}/name`, `${each} comes twice`) : [],
  )
  if (!changesParameters(draft) || definition === undefined || declared === undefined) return twice
  const known = nodesByName(nodesOf(declared))
  const offered = shorten([...known.keys()].join(', ') || 'none', longestOffer)
  const says = `test definition ${definition.reference.fullyQualifiedName}`
  return [
    ...twice,
    ...given.flatMap((each, index) =>
      known.has(each)
        ? []
        : problemAt(`/parameterValues/${index}/name`, `${says} has no parameter ${each}; it has ${offered}`),
    ),
    ...nodesOf(declared).flatMap((parameter) =>
      parameter['required'] !== true || firsts.has(parameter['name'] as string)
        ? []
        : problemAt('/parameterValues', `${says} requires parameter ${String(parameter['name'])}`),
    ),
  ]
}

const incidentShape = z.strictObject({
  status: oneOf(['Open', 'Resolved']),
  openedAt: z.int().optional(),
  resolvedAt: z.int().optional(),
  resolvedBy: text.optional(),
  resolvedUpTo: z.int().optional().describe('The newest run when a person resolved: failures until then open none'),
  note: text.optional(),
})

const statedIncident = incidentShape.transform(({ status, note }) => ({ status, ...(note !== undefined && { note }) }))

/** Adds when an incident was opened, or when, by whom and up to which run it was resolved. */
const withIncidentTimes = ({ members, before }: Draft, { user, now }: Pick<Effects, 'user' | 'now'>): Members => {
  const { incident, latestResult } = members
  // One that stays, or that a revert brings back, has its own.
  if (!isObject(incident) || 'openedAt' in incident || 'resolvedAt' in incident) return members
  const was = isObject(before?.['incident']) ? before['incident'] : {}
  const { openedAt, resolvedAt, resolvedBy, resolvedUpTo } = was
  const newest = isObject(latestResult) ? latestResult['timestamp'] : undefined
  const isOpen = incident['status'] === 'Open'
  const begun = isOpen ? { openedAt: now() } : { openedAt, resolvedAt: now(), resolvedBy: user, resolvedUpTo: newest }
  const times = was['status'] === incident['status'] ? { openedAt, resolvedAt, resolvedBy, resolvedUpTo } : begun
  const known = Object.entries(times).filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return { ...members, incident: { ...Object.fromEntries(known), ...incident } }
}

const testCaseRules: Behaviour = {
  place: placeByLink,
  derive: (draft, effects) => {
    const members = withIncidentTimes(draft, effects)
    if (draft.parent === undefined) return { members }
    const entityFQN = columnOf(draft).reduce(
      (path, part) => childFqn(path, part),
      draft.parent.reference.fullyQualifiedName,
    )
    return { members: { ...members, entityFQN } }
  },
  needs: (draft, facts) => {
    const id = definitionId(draft)
    return changesParameters(draft) && id !== '' && facts.get(id) === undefined ? [id] : []
  },
  check: (draft, facts) => [...columnProblems(draft), ...parameterProblems(draft, facts)],
}

/** Category of test cases: the outcome of the newest run, if any. */
const runStates = ['Success', 'Failed', 'Aborted', 'none']

const testCase = defineKind({
  name: 'testCase',
  path: 'dataQuality/testCases',
  description: 'A test of a table or of one of its columns.',
  parents: [{ field: 'entityFQN', kinds: ['table'], elements: true }],
  example: {
    testDefinition: 'tableRowCountToBeBetween',
    entityLink: '<#E::table::exampleDatabaseService.exampleDatabase.exampleDatabaseSchema.exampleTable>',
  },
  dependent: true,
  traits: { results: true },
  behaviour: testCaseRules,
  kept: 'computePassedFailedRowCount useDynamicAssertion createdBy topDimensions dimensionColumns',
  fields: {
    testDefinition: field.reference('How it tests.', ['testDefinition'], { required: true }),
    testSuite: field.reference('The suite that it is run with.', ['testSuite'], { required: true }),
    entityLink: field.shape(
      'What it tests: <#E::table::FQN> or <#E::table::FQN::columns::COLUMN>.',
      text.meta({ pattern: String.raw`^<#E::table::[\s\S]+>$` }),
      { required: true, fixed: true },
    ),
    entityFQN: field.text('What it tests, as a fully qualified name.', { readOnly: true }),
    parameterValues: field.list('Values of the definition’s parameters.', z.strictObject({ name, value: text })),
    latestResult: field.open('How its newest run went.', {
      readOnly: true,
      undone: true,
      filter: 'validation',
      category: {
        groups: runStates,
        of: (result) => (isObject(result) ? String(result['status']) : 'none'),
        description: 'Only those whose newest run ended so; none: those that never ran',
      },
    }),
    results: field.list('Its newest 90 results, the newest first; its history has all.', openObject, {
      readOnly: true,
      undone: true,
      shown: 'request',
    }),
    incident: {
      schema: statedIncident,
      answer: incidentShape,
      description:
        'Opened by a failure; resolved by a success, or by whoever says so here. When it was opened, and when and by ' +
        'whom it was resolved, is told by the catalog; what a request says of that is ignored.',
    },
  },
})

export const dataQuality = [testDefinition, testSuite, testCase]
