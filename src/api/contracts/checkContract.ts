import { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { childFqn, entityId } from '../../kinds/names.ts'
import { assetColumns } from '../../kinds/members/assetColumns.ts'
import { contractKind, kindNamed } from '../../kinds/registry/kinds.ts'
import type { QualityRule } from '../../odcs/model/contract.ts'
import type { StoredOdcs } from '../../odcs/map/stored.ts'
import { DocumentLimitError } from '../../odcs/odcsThreads.ts'
import { checkPromises, type TestResult } from '../../odcs/promises.ts'
import type { RuleOutcome } from '../../odcs/semantics.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { WorkRequest } from '../../shared/workQueue.ts'
import type { Api } from '../deps.ts'
import { entityTexts } from '../entities/answers/present.ts'
import { fullView } from '../entities/answers/shape.ts'

/** The outcome of one test case; `testCase` is its fully qualified name. */
export const testResult = z.strictObject({
  testCase: z.string(),
  status: z.enum(['Success', 'Failed', 'Aborted']),
  message: z.string().exactOptional(),
  timestamp: z.int().min(0).exactOptional(),
})

const testResultsIn = (latest: Json | undefined): TestResult[] => {
  const read = z.looseObject({ testResults: z.array(testResult) }).safeParse(latest)
  return read.success ? read.data.testResults : []
}

/** A part of the contract that exceeds its time or memory is a problem of the contract. */
const withinLimits = <Result>(result: Promise<Result>, path: string, what: string): Promise<Result> =>
  result.catch((error: unknown) => {
    if (!(error instanceof DocumentLimitError)) throw error
    throw invalid([{ path, message: `${what} too long, or too much memory, to evaluate` }])
  })

interface ValidationContext {
  readonly api: Pick<Api, 'odcs' | 'readModels'>
  readonly workRequest: WorkRequest
  /** Absolute URL of `/api`, since rules may read `href`. */
  readonly baseUrl: string
}

/** The FQN of the test case for a named rule: of that name on the asset or column. */
export const testNames = ({ rule, column }: QualityRule, asset: Entity): string[] => {
  const { name } = rule
  if (typeof name !== 'string' || name === '') return []
  const on = column === undefined ? asset.fullyQualifiedName : `${asset.fullyQualifiedName}.${column}`
  return [childFqn(on, name)]
}

/** Kinds of what may be expected to pass. */
export const testKinds: readonly string[] =
  kindNamed(contractKind).fields['qualityExpectations']?.references?.kinds ?? []

/** The test cases that a contract names, in its expectations or as rules of its document, by fully qualified name. */
const testsOf = async (
  api: Pick<Api, 'readModels'>,
  { members }: Entity,
  asset: Entity,
): Promise<ReadonlyMap<string, EntityRow | undefined>> => {
  const expected = referencesIn(members, 'qualityExpectations')
  const rows = await api.readModels.getMany(expected.map(({ id }) => id))
  const rules = (members['qualityRules'] ?? []) as unknown[] as QualityRule[]
  const names = [...new Set(rules.flatMap((rule) => testNames(rule, asset)))]
  const ids = names.flatMap((name) => testKinds.map((kind) => entityId(kind, name)))
  const named = [...(await api.readModels.getMany(ids)).values()].filter(({ status }) => status === 'live')
  return new Map([
    ...expected.map(({ id, fullyQualifiedName }) => [fullyQualifiedName, rows.get(id)] as const),
    ...named.map((row) => [row.fullyQualifiedName, row] as const),
  ])
}

/** Of each test what it said last: to the catalog, or to an outside validator. */
const newestResults = (
  reported: readonly TestResult[],
  tests: ReadonlyMap<string, EntityRow | undefined>,
): TestResult[] => {
  const own = [...tests].flatMap(([testCase, row]): TestResult[] => {
    const read = testResult
      .omit({ testCase: true })
      .safeParse(row && fromRow(row, kindNamed(row.kind)).members['latestResult'])
    return read.success ? [{ testCase, ...read.data }] : []
  })
  const newest = new Map(reported.map((result) => [result.testCase, result]))
  for (const result of own)
    if ((newest.get(result.testCase)?.timestamp ?? -1) <= (result.timestamp ?? 0)) newest.set(result.testCase, result)
  return [...newest.values()]
}

/** Checks every promise of a contract against its present asset. @returns the `latestResult` */
export const checkContract = async (
  { api, workRequest, baseUrl }: ValidationContext,
  contract: Entity,
  row: EntityRow,
): Promise<JsonObject> => {
  const asset = fromRow(row, kindNamed(row.kind))
  const rules = contract.members['semantics']
  const stored = contract.members['odcs'] as StoredOdcs | undefined
  const evaluated = async (): Promise<RuleOutcome[]> => {
    if (rules === undefined) return []
    const [shown] = await entityTexts([row], { shown: 'get', baseUrl, sees: fullView, at: api.readModels })
    return withinLimits(
      api.odcs.run(workRequest, 'checkSemantics', rules, shown as string),
      '/semantics',
      'its rules take',
    )
  }
  const tests = await testsOf(api, contract, asset)
  return checkPromises({
    contract: contract.members,
    contractVersion: contract.version / 10,
    assetVersion: asset.version / 10,
    tests: [...tests.keys()],
    isTested: (rule) => testNames(rule, asset).some((name) => tests.has(name)),
    testResults: newestResults(testResultsIn(contract.members['latestResult']), tests),
    semantics: await evaluated(),
    assetColumns: assetColumns(asset.members),
    levels:
      stored === undefined
        ? []
        : await withinLimits(api.odcs.run(workRequest, 'serviceLevels', stored), '/odcs', 'its document takes'),
    retention: asset.members['retentionPeriod'] ?? asset.members['retentionTime'],
  })
}
