import { z } from 'zod'
import type { ContractColumn, SemanticsResult } from '../../odcs/index.ts'
import { compareColumns } from '../../odcs/read/validate.ts'
import type { AssetColumn } from '../../kinds/index.ts'
import type { Json, JsonObject } from '../../shared/json.ts'

/** How a validation can end. */
export const outcomes = ['Success', 'PartialSuccess', 'Failed', 'Aborted', 'Queued', 'Running'] as const

const reason = z.strictObject({ ruleName: z.string(), reason: z.string().optional() })
const count = z.int().min(0)
const counts = { passed: count, failed: count, total: count }

const schemaValidation = z.strictObject({
  ...counts,
  failedFields: z.array(z.string()).optional(),
  typeMismatchFields: z.array(z.string()).optional(),
})

const semanticsValidation = z.strictObject({
  ...counts,
  failedRules: z.array(reason).optional(),
  skippedRules: z.array(reason).optional(),
})

const qualityValidation = z.strictObject({
  ...counts,
  failedTests: z.array(z.strictObject({ testCase: z.string(), reason: z.string().optional() })).optional(),
})

/** The outcome of one test case; `testCase` is its fully qualified name. */
const testResult = z.strictObject({
  testCase: z.string(),
  status: z.enum(['Success', 'Failed', 'Aborted']),
  message: z.string().optional(),
  timestamp: z.int().min(0).optional().describe('When it ran, in epoch milliseconds'),
})

/** What an outside validator reports. */
export const reportedResult = z
  .strictObject({
    status: z.enum(outcomes),
    message: z.string().optional(),
    timestamp: z.int().min(0).optional().describe('When it ended, in epoch milliseconds; default: now'),
    schemaValidation: schemaValidation.optional(),
    semanticsValidation: semanticsValidation.optional(),
    qualityValidation: qualityValidation.optional(),
    testResults: z.array(testResult).max(1000).optional().describe('What the test cases of the contract said'),
  })
  .meta({ id: 'ContractResult', description: 'How a validation of a contract went.' })

type TestResult = z.infer<typeof testResult>

export interface Subject {
  /** Members of the contract, as they are stored. */
  readonly contract: JsonObject
  /** Fully qualified names of the test cases that must have passed. */
  readonly tests: readonly string[]
  /** How the rules of the contract hold for its asset. */
  readonly semantics: SemanticsResult
  readonly assetColumns: readonly AssetColumn[]
}

/** Compares the contract's schema, test cases and semantics with the asset; a case nobody reported has not passed. */
export const validateContract = ({ contract, tests, semantics, assetColumns }: Subject): JsonObject => {
  const columns = (contract['schema'] ?? []) as ContractColumn[]
  const { typeMismatchFields, ...schema } = compareColumns(columns, assetColumns)
  const testResults = reportedTests(contract['latestResult'])
  const quality = checkTests(tests, testResults)
  const failed = [
    ...(schema.failed + typeMismatchFields.length > 0 ? ['schema'] : []),
    ...(semantics.failed > 0 ? ['semantics'] : []),
    ...(quality.failed > 0 ? ['quality'] : []),
  ]
  const nothing = schema.total + semantics.total + quality.total === 0
  const well = nothing ? 'The contract promises nothing that can be checked.' : 'The asset keeps what is promised.'
  return {
    status: failed.length === 0 ? 'Success' : 'Failed',
    message: failed.length === 0 ? well : `The asset does not keep what is promised: ${failed.join(', ')}.`,
    schemaValidation: { ...schema, typeMismatchFields },
    semanticsValidation: semantics,
    qualityValidation: quality,
    ...(testResults.length > 0 && { testResults: testResults as Json }),
  }
}

const reportedTests = (latest: Json | undefined): TestResult[] => {
  const read = z.looseObject({ testResults: z.array(testResult) }).safeParse(latest)
  return read.success ? read.data.testResults : []
}

const checkTests = (tests: readonly string[], results: readonly TestResult[]) => {
  const reported = new Map(results.toReversed().map((result) => [result.testCase, result]))
  const failedTests = tests.flatMap((testCase) => {
    const result = reported.get(testCase)
    if (result?.status === 'Success') return []
    const reason = result === undefined ? 'no result has been reported' : (result.message ?? result.status)
    return [{ testCase, reason }]
  })
  return { passed: tests.length - failedTests.length, failed: failedTests.length, total: tests.length, failedTests }
}
