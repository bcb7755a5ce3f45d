import { z } from 'zod'
import { invalidAt } from '../../commands/errors.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { incarnationKey, incarnationOf } from '../../events/events.ts'
import { assetColumns } from '../../kinds/members/assetColumns.ts'
import { ruleTest, ruleTests, rulesInForce, testIds } from '../../kinds/definitions/contracts.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import type { StoredOdcs } from '../../odcs/map/stored.ts'
import { DocumentLimitError } from '../../odcs/odcsThreads.ts'
import { checkPromises } from '../../odcs/promises.ts'
import type { RuleOutcome } from '../../odcs/semantics.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import { promisable } from '../../shared/columnTypes.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { WorkRequest } from '../../shared/workQueue.ts'
import type { Api } from '../deps.ts'
import { textsFor } from '../entities/answers/present.ts'
import { fullView } from '../entities/answers/masking.ts'

/** The outcome of one test case; `testCase` is its fully qualified name. */
export const testResult = z.strictObject({
  testCase: z.string(),
  status: z.enum(['Success', 'Failed', 'Aborted']),
  message: z.string().exactOptional(),
  timestamp: z.int().min(0).exactOptional(),
})

/** A result that an outside validator reported; `life` is the incarnation of the test case, if it is not the first. */
const report = testResult.extend({ external: z.literal(true).exactOptional(), life: z.int().exactOptional() })

type Report = z.infer<typeof report>

/** What outside validators said of tests: all results of a report, and those that a validation took over from one. */
const reportsIn = (latest: Json | undefined): Report[] => {
  const { data } = z.looseObject({ testResults: z.array(report), promises: z.json().optional() }).safeParse(latest)
  if (data === undefined) return []
  return data.promises === undefined ? data.testResults : data.testResults.filter(({ external }) => external)
}

/** A part of the contract that exceeds its time or memory is a problem of the contract. */
const withinLimits = <Result>(result: Promise<Result>, path: string, what: string): Promise<Result> =>
  result.catch((error: unknown) => {
    if (!(error instanceof DocumentLimitError)) throw error
    throw invalidAt(path, `${what} too long, or too much memory, to evaluate`)
  })

interface ValidationContext {
  readonly api: Pick<Api, 'odcs' | 'readModels'>
  readonly workRequest: WorkRequest
  /** Absolute URL of `/api`, since rules may read `href`. */
  readonly baseUrl: string
}

/** The test cases that a contract names, by fully qualified name; expected ones also when they are gone. */
const testsOf = async (
  api: Pick<Api, 'readModels'>,
  { members }: Entity,
  asset: Entity,
): Promise<ReadonlyMap<string, EntityRow | undefined>> => {
  const ids = testIds(members, asset.fullyQualifiedName)
  const rows = await api.readModels.getMany(ids)
  const ruled = ruleTests(members, asset.fullyQualifiedName)
  const live = ids
    .flatMap((id) => rows.get(id) ?? [])
    .filter((row) => row.status === 'live' && ruled.has(row.fullyQualifiedName))
  const expected = referencesIn(members, 'qualityExpectations').map((reference) => {
    const row = rows.get(reference.id)
    const isMeant = row !== undefined && incarnationOf(row) === incarnationKey(reference)
    return [reference.fullyQualifiedName, isMeant ? row : undefined] as const
  })
  return new Map([...expected, ...live.map((row) => [row.fullyQualifiedName, row] as const)])
}

const notThere = { gone: 'the test case is gone', deleted: 'the test case is deleted' } as const

/** A test case with what it said last: to the catalog, or to an outside validator. */
const promisedTest = (testCase: string, row: EntityRow | undefined, reports: ReadonlyMap<string, Report>) => {
  if (row?.status !== 'live') return { testCase, missing: notThere[row?.status ?? 'gone'] }
  const { data: own } = testResult
    .omit({ testCase: true })
    .safeParse(fromRow(row, kindNamed(row.kind)).members['latestResult'])
  const reported = reports.get(testCase)
  const isReported =
    BigInt(reported?.life ?? 0) === row.born &&
    (own === undefined || (reported?.timestamp ?? -1) > (own.timestamp ?? 0))
  return { testCase, own: own && { testCase, ...own }, result: isReported ? reported : own }
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
    const [shown] = await textsFor({ api, baseUrl, access: { sees: fullView } }, [row])
    return withinLimits(
      api.odcs.run(workRequest, 'checkSemantics', rules, shown as string),
      '/semantics',
      'its rules take',
    )
  }
  const tests = await testsOf(api, contract, asset)
  const reports = reportsIn(contract.members['latestResult'])
  const reported = new Map(reports.map((result) => [result.testCase, result]))
  const promised = [...tests].map(([name, row]) => promisedTest(name, row, reported))
  return checkPromises({
    contract: { ...contract.members, qualityRules: rulesInForce(contract.members) as unknown as Json },
    contractVersion: contract.version / 10,
    assetVersion: asset.version / 10,
    tests: promised,
    isTested: (rule) => tests.has(ruleTest(rule, asset.fullyQualifiedName) ?? ''),
    // Reports are kept apart: what the tests say themselves is read again next time.
    testResults: [
      ...reports.map((result) => ({ ...result, external: true })),
      ...promised.flatMap(({ own }) => own ?? []),
    ],
    semantics: await evaluated(),
    assetColumns: promisable(assetColumns(asset.members), stored?.objectName),
    levels:
      stored === undefined
        ? []
        : await withinLimits(api.odcs.run(workRequest, 'serviceLevels', stored), '/odcs', 'its document takes'),
  })
}
