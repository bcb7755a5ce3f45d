import { z } from 'zod'
import type { Members } from '../../events/events.ts'
import { promisable } from '../../shared/columnTypes.ts'
import { isObject, sameJson } from '../../shared/json.ts'
import { ancestorFqns, buildFqn, childFqn, entityId } from '../names.ts'
import { assetColumns, brokenColumns } from '../members/assetColumns.ts'
import { contractColumnsField } from '../members/columns.ts'
import { defineKind, sourceUrl } from './commonMembers.ts'
import type { Draft, Problem } from '../defineKind.ts'
import { field, reviewers } from '../members/fields.ts'
import { completeTrees, namesInTrees, nodesOf, pathsIn, valueAt, type Tree } from '../members/fieldTree.ts'
import { name, openObject, text } from '../members/shapes.ts'

const semantic = z.strictObject({
  name,
  description: text.optional(),
  rule: text.optional(),
  enabled: z.boolean().optional(),
})

const sla = z.looseObject({
  refreshFrequency: text.optional(),
  latency: z.union([text, z.number()]).optional(),
  availability: z.number().optional(),
})

const moment = z.union([text, z.number()])

const columns: readonly Tree[] = [{ at: ['schema'] }]

/** Kinds that may have a contract. Assets inherit the contract of their data product. */
const contracted = ['*', 'dataProduct']

const ofTable = {
  entity: {
    type: 'table',
    fullyQualifiedName: 'exampleDatabaseService.exampleDatabase.exampleDatabaseSchema.exampleTable',
  },
}

/** Promised columns must exist in an asset that has columns. */
const missingColumns = ({ members, before, parent }: Draft): Problem[] => {
  const schema = members['schema']
  if (schema === undefined || parent === undefined || sameJson(schema, before?.['schema'])) return []
  const object = valueAt(members, ['odcs', 'objectName']) as string | undefined
  const present = new Set(promisable(assetColumns(parent.members), object).map(({ name }) => name))
  if (present.size === 0) return []
  const { type, fullyQualifiedName } = parent.reference
  return nodesOf(schema).flatMap(({ name: column }, index) => {
    const message = `${type} ${fullyQualifiedName} has no column or field ${String(column)}`
    return present.has(String(column)) ? [] : [{ path: `/schema/${index}/name`, message }]
  })
}

/** A quality rule of a document, with the FQN of its column if it is not about the whole object. */
type PlacedRule = { readonly rule: { readonly name?: unknown }; readonly column?: string }

/** The FQN of the test case that stands for a named rule of a document: of that name on the asset or column. */
export const ruleTest = ({ rule: { name }, column }: PlacedRule, asset: string): string | undefined => {
  if (typeof name !== 'string' || name === '') return undefined
  return childFqn(column === undefined ? asset : `${asset}.${column}`, name)
}

/** The rules of the imported document but for those of columns that the contract promises no more. */
export const rulesInForce = ({ qualityRules, schema }: Members): PlacedRule[] => {
  const paths = pathsIn(nodesOf(schema)).map(({ path }) => buildFqn(path))
  const [promised, holders] = [new Set(paths), new Set(paths.flatMap((path) => ancestorFqns(path)))]
  return (nodesOf(qualityRules) as unknown[] as PlacedRule[]).filter(({ column }) => {
    if (column === undefined || promised.has(column)) return true
    // What stands deeper than the columns of a contract is in force with the column that it stands in.
    const around = ancestorFqns(column).findLast((path) => promised.has(path))
    return around !== undefined && !holders.has(around)
  })
}

/** FQNs of the test cases that rules in force name, whether there are such or not. */
export const ruleTests = (members: Members, asset: string): ReadonlySet<string> =>
  new Set(rulesInForce(members).flatMap((rule) => ruleTest(rule, asset) ?? []))

/** Ids of all test cases that a contract names, in its expectations or as rules of its document. */
export const testIds = (members: Members, asset: string): string[] => [
  ...nodesOf(members['qualityExpectations']).map(({ id }) => String(id)),
  ...[...ruleTests(members, asset)].map((name) => entityId('testCase', name)),
]

/** The members without the tests that stand for rules of columns that the contract promises no more. */
const withoutLostTests = ({ members, before, parent }: Draft): Members => {
  const expected = members['qualityExpectations']
  if (before === undefined || parent === undefined || expected === undefined) return members
  const asset = parent.reference.fullyQualifiedName
  const [was, is] = [ruleTests({ ...members, schema: before['schema'] ?? null }, asset), ruleTests(members, asset)]
  const isLost = (name: string): boolean => was.has(name) && !is.has(name)
  const kept = nodesOf(expected).filter(({ fullyQualifiedName }) => !isLost(String(fullyQualifiedName)))
  return { ...members, qualityExpectations: kept }
}

export const validationOutcomes = ['Success', 'PartialSuccess', 'Failed', 'Aborted', 'Queued', 'Running'] as const

/** Category of contracts: the outcome of the newest validation, if any. */
export const validationStates = [...validationOutcomes, 'none'] as const

const dataContract = defineKind({
  name: 'dataContract',
  path: 'dataContracts',
  description: 'What the owners of an asset promise about it.',
  parents: [{ field: 'entity', kinds: contracted, description: 'The asset that it is about.' }],
  dependent: true,
  example: ofTable,
  behaviour: {
    identity: 'parent',
    derive: (draft) => {
      const problems: Problem[] = []
      // The columns of a contract have no FQNs.
      return { members: completeTrees(withoutLostTests(draft), columns, {}, problems), problems }
    },
    check: missingColumns,
    breaking: (before, after) => brokenColumns(before, after, columns).length > 0,
    searchFields: { part: 'columns', of: (members) => namesInTrees(members, columns) },
  },
  computed: {
    latestResultStale: {
      from: 'versions',
      in: 'latestResult',
      own: 'contractVersion',
      above: 'assetVersion',
      shown: 'request',
      description: 'The contract or its asset has another version than the newest validation was about.',
    },
    inherited: { from: 'nothing', shown: 'always', description: 'It is that of the asset’s data product.' },
  },
  fields: {
    entityStatus: field.oneOf('Whether it is in force.', ['Draft', 'Active', 'Deprecated'], { default: 'Draft' }),
    schema: contractColumnsField('The columns or fields that the asset will have.', { compared: [] }),
    semantics: field.list('Rules that the asset will keep.', semantic, { compared: ['*'] }),
    qualityExpectations: field.references('Test cases that will pass.', ['testCase']),
    qualityRules: field.list(
      'Quality rules of the imported document, each with its place in it. Those of columns that are no more in schema do not count.',
      openObject,
      { readOnly: true, imported: true, compared: ['testCase'] },
    ),
    sla: field.shape(
      'Service levels: refreshFrequency as an ISO 8601 duration, latency, availability, and others.',
      sla,
      { compared: [] },
    ),
    termsOfUse: field.text('What users must keep to, in Markdown.'),
    security: field.open('Who may see what, and how it is protected.'),
    reviewers,
    effectiveFrom: field.shape('When it is to begin: an instant or a day. Nothing begins by itself.', moment),
    effectiveUntil: field.shape('When it is to end. Nothing ends by itself.', moment),
    sourceUrl,
    latestResult: field.open('How the newest validation went.', {
      readOnly: true,
      filter: 'validation',
      category: {
        groups: validationStates,
        of: (result) => (isObject(result) ? String(result['status']) : 'none'),
        description: 'Only those whose newest validation ended so; none: those that were never validated',
      },
    }),
    odcs: field.open('The imported ODCS document.', {
      readOnly: true,
      imported: true,
      shown: 'only-request',
      compared: [],
    }),
  },
})

const lineage = defineKind({
  name: 'lineage',
  path: 'lineages',
  description:
    'Where the data of one asset comes from, as sources state it: /v1/lineage has the edges, this their history.',
  parents: [{ field: 'entity', kinds: ['*'], description: 'The asset that it is about.' }],
  dependent: true,
  traits: { serving: true },
  example: ofTable,
  behaviour: { identity: 'parent' },
})

/** Data contracts and lineage: what is said of assets. */
export const contractsAndLineage = [dataContract, lineage]
