import type { AssetColumn } from '../shared/columnTypes.ts'
import type { ContractColumn, QualityRule } from './model/contract.ts'
import { hasFlag } from './map/columnMapping.ts'
import { columnPairs, compareColumns, compareTypes, typeText } from './map/validate.ts'
import type { RuleOutcome } from './semantics.ts'
import { isObject, type JsonObject } from '../shared/json.ts'
import { textOf } from './model/types.ts'

type Outcome = RuleOutcome['outcome']

/** One promise of a contract with its outcome. */
type ValidationItem = {
  readonly part: 'schema' | 'quality' | 'serviceLevel' | 'semantics'
  /** The promise, such as `orders.id is required`. */
  readonly promise: string
  readonly outcome: Outcome
  /** Why it failed, or was not checked. */
  readonly reason?: string
}

/** A test case that must pass, by its fully qualified name. */
interface PromisedTest {
  readonly testCase: string
  /** What it said last, if anything. */
  readonly result?: { readonly status: 'Success' | 'Failed' | 'Aborted'; readonly message?: string } | undefined
  /** Why there can be no result. */
  readonly missing?: string
}

export interface PromiseSubject {
  /** Members of the contract, as they are stored; of its quality rules those in force. */
  readonly contract: JsonObject
  /** Versions of the contract and its asset, as answers show them. */
  readonly contractVersion: number
  readonly assetVersion: number
  readonly tests: readonly PromisedTest[]
  /** Results to be recorded with the outcome. */
  readonly testResults?: JsonObject[]
  /** Whether a test case covers the rule of the imported document. */
  readonly isTested: (rule: QualityRule) => boolean
  /** Outcomes of the contract's rules, in their order. */
  readonly semantics: readonly RuleOutcome[]
  readonly assetColumns: readonly AssetColumn[]
  /** Names of service levels of the imported document without a member of the contract. */
  readonly levels?: readonly string[]
}

/** Most promises in a result; failed and unchecked ones come first. All are counted. */
export const maxPromises = 1000

/** Checks every promise of a contract. It is kept only if all promises were checked and passed. */
export const checkPromises = (subject: PromiseSubject): JsonObject => {
  const { contract, semantics, assetColumns, tests, testResults = [] } = subject
  const columns = (contract['schema'] ?? []) as unknown[] as ContractColumn[]
  const quality = tests.map(testedPromise)
  const promises = [
    ...columnPromises(columns, assetColumns),
    ...quality,
    ...rulePromises(subject),
    ...levelPromises(subject),
    ...semantics.map(({ ruleName, outcome, reason }) => item('semantics', ruleName, outcome, reason)),
  ]
  const counts = countsOf(promises)
  return {
    status: counts.failed > 0 ? 'Failed' : counts.notChecked > 0 ? 'PartialSuccess' : 'Success',
    message: messageOf(promises, counts),
    contractVersion: subject.contractVersion,
    assetVersion: subject.assetVersion,
    counts,
    promises: inOrder(promises).slice(0, maxPromises),
    schemaValidation:
      assetColumns.length === 0
        ? { passed: 0, failed: 0, total: columns.length, failedFields: [], typeMismatchFields: [] }
        : { ...compareColumns(columns, assetColumns) },
    semanticsValidation: semanticsSummary(semantics),
    qualityValidation: {
      ...countsOf(quality),
      failedTests: quality.flatMap(({ promise, outcome, reason = '' }) =>
        outcome === 'failed' ? [{ testCase: promise, reason }] : [],
      ),
    },
    ...(testResults.length > 0 && { testResults }),
  }
}

const rank: readonly Outcome[] = ['failed', 'notChecked', 'passed']

const inOrder = (promises: readonly ValidationItem[]): ValidationItem[] =>
  promises.length <= maxPromises
    ? [...promises]
    : promises.toSorted((one, other) => rank.indexOf(one.outcome) - rank.indexOf(other.outcome))

const countsOf = (promises: readonly ValidationItem[]) => {
  const count = (wanted: Outcome): number => promises.filter(({ outcome }) => outcome === wanted).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    notChecked: count('notChecked'),
    total: promises.length,
  }
}

const messageOf = (promises: readonly ValidationItem[], { failed, notChecked, total }: ReturnType<typeof countsOf>) => {
  if (total === 0) return 'The contract promises nothing that can be checked.'
  if (failed > 0) return `The asset does not keep what is promised: ${named(promises, 'failed')}.`
  if (notChecked === 0) return 'The asset keeps what is promised.'
  const kept = total - notChecked
  const begin =
    kept === 0 ? `None of the ${total} promises was checked` : `${kept} of ${total} promises were checked and are kept`
  return `${begin}. Not checked: ${named(promises, 'notChecked')}.`
}

const named = (promises: readonly ValidationItem[], outcome: Outcome): string => {
  const all = promises.filter((item) => item.outcome === outcome).map(({ promise }) => promise)
  return all.length <= 4 ? all.join(', ') : `${all.slice(0, 3).join(', ')} and ${all.length - 3} more`
}

const item = (part: ValidationItem['part'], promise: string, outcome: Outcome, reason?: string): ValidationItem => ({
  part,
  promise,
  outcome,
  ...(reason !== undefined && { reason }),
})

type Is = (promise: string, outcome: Outcome, reason?: string) => ValidationItem

const columnPromises = (columns: readonly ContractColumn[], assetColumns: readonly AssetColumn[]) => {
  const isKey = ({ constraints }: AssetColumn) => constraints?.includes('PRIMARY_KEY') === true
  const keys = assetColumns.filter(isKey).map(({ name }) => name)
  return columnPairs(columns, assetColumns).flatMap(({ name, column, found, isTop, isKnown }): ValidationItem[] => {
    const is: Is = (promise, outcome, reason) => item('schema', `${name} ${promise}`, outcome, reason)
    if (!isKnown) return [is('exists', 'notChecked', 'the catalog does not know its columns or fields')]
    if (found === undefined) return [is('exists', 'failed', 'the asset has no such column or field')]
    const { outcome, reason } = compareTypes(column, found)
    return [
      is('exists', 'passed'),
      is(`is ${typeText(column)}`, outcome, reason),
      ...constraintPromises(column, found, is, isTop ? keys : []),
    ]
  })
}

const constraintPromises = (
  column: ContractColumn,
  { name, constraints = [] }: AssetColumn,
  is: Is,
  keys: readonly string[],
): ValidationItem[] => {
  const known = (...kept: string[]): boolean => kept.some((constraint) => constraints.includes(constraint))
  const isSoleKey = keys.length === 1 && keys[0] === name
  const flags = [
    ['required', 'is required', known('NOT_NULL', 'PRIMARY_KEY'), known('NULL') && 'it may be null'],
    ['unique', 'is unique', known('UNIQUE') || isSoleKey, false],
    [
      'primaryKey',
      'is the primary key',
      known('PRIMARY_KEY'),
      keys.length > 0 && `the primary key is ${keys.join(', ')}`,
    ],
  ] as const
  return flags.flatMap(([flag, promise, isKept, broken]) => {
    if (!hasFlag(column, flag)) return []
    if (isKept) return is(promise, 'passed')
    if (broken === false) return is(promise, 'notChecked', 'the asset has no constraint that says so')
    return is(promise, 'failed', broken)
  })
}

const testedPromise = ({ testCase, result, missing }: PromisedTest): ValidationItem => {
  if (result === undefined) return item('quality', testCase, 'notChecked', missing ?? 'no result has been reported')
  if (result.status === 'Success') return item('quality', testCase, 'passed')
  const outcome = result.status === 'Failed' ? 'failed' : 'notChecked'
  return item('quality', testCase, outcome, result.message ?? `the test ended as ${result.status}`)
}

const rulePromises = ({ contract, isTested }: PromiseSubject): ValidationItem[] =>
  ((contract['qualityRules'] ?? []) as unknown[] as QualityRule[]).flatMap((placed, index) => {
    if (isTested(placed)) return []
    const { rule, column } = placed
    const what = textOf(rule['name']) ?? textOf(rule['metric']) ?? textOf(rule['description']) ?? `rule ${index + 1}`
    const promise = column === undefined ? what : `${column}: ${what}`
    return [item('quality', promise, 'notChecked', 'no test case of this name stands for the rule')]
  })

const levelPromises = ({ contract: { sla }, levels = [] }: PromiseSubject): ValidationItem[] =>
  [...Object.keys(isObject(sla) ? sla : {}), ...levels].map((name) =>
    item('serviceLevel', name, 'notChecked', 'the catalog does not measure it'),
  )

/** Rules that were not checked do not count. */
const semanticsSummary = (rules: readonly RuleOutcome[]): JsonObject => {
  const withOutcome = (wanted: Outcome) =>
    rules.flatMap(({ ruleName, outcome, reason = '' }) => (outcome === wanted ? [{ ruleName, reason }] : []))
  const [failedRules, skippedRules] = [withOutcome('failed'), withOutcome('notChecked')]
  const total = rules.length - skippedRules.length
  return { passed: total - failedRules.length, failed: failedRules.length, total, failedRules, skippedRules }
}
