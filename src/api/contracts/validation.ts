import { z } from 'zod'
import type { TestResult } from '../../odcs/promises.ts'
import { validationOutcomes } from '../../kinds/definitions/contracts.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import type { Json } from '../../shared/json.ts'

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
  message: z.string().exactOptional(),
  timestamp: z.int().min(0).exactOptional().describe('When it ran, in epoch milliseconds'),
})

/** What an outside validator reports. */
export const reportedResult = z
  .strictObject({
    status: z.enum(validationOutcomes),
    message: z.string().optional(),
    timestamp: z.int().min(0).optional().describe('When it ended, in epoch milliseconds; default: now'),
    schemaValidation: schemaValidation.optional(),
    semanticsValidation: semanticsValidation.optional(),
    qualityValidation: qualityValidation.optional(),
    testResults: z.array(testResult).max(1000).optional().describe('What the test cases of the contract said'),
  })
  .meta({ id: 'ContractResult', description: 'How a validation of a contract went.' })

export type ValidationReport = z.infer<typeof reportedResult>

/** The test results of a contract's latest result. */
export const testResultsIn = (latest: Json | undefined): TestResult[] => {
  const read = z.looseObject({ testResults: z.array(testResult) }).safeParse(latest)
  return read.success ? read.data.testResults : []
}

/** The test cases that a reported result names, and where. */
export const testCasesIn = ({
  testResults = [],
  qualityValidation,
}: ValidationReport): [path: string, name: string][] => [
  ...testResults.map(({ testCase }, index): [string, string] => [`/testResults/${index}/testCase`, testCase]),
  ...(qualityValidation?.failedTests ?? []).map(({ testCase }, index): [string, string] => [
    `/qualityValidation/failedTests/${index}/testCase`,
    testCase,
  ]),
]

/** Where a reported result says two things at once. */
export const contradictions = (result: ValidationReport): Problem[] => {
  const { status, schemaValidation, semanticsValidation, qualityValidation, testResults = [] } = result
  const parts = [
    { at: '/schemaValidation', ...schemaValidation, named: schemaValidation?.failedFields },
    { at: '/semanticsValidation', ...semanticsValidation, named: semanticsValidation?.failedRules },
    { at: '/qualityValidation', ...qualityValidation, named: qualityValidation?.failedTests },
  ]
  const counts = parts.flatMap(({ at, passed = 0, failed = 0, total = 0, named = [] }) => [
    ...(passed + failed > total
      ? [{ path: `${at}/total`, message: `is ${total}, but ${passed} passed and ${failed} failed` }]
      : []),
    ...(named.length > failed
      ? [{ path: `${at}/failed`, message: `is ${failed}, but ${named.length} are named` }]
      : []),
  ])
  const failed = parts.some((part) => (part.failed ?? 0) > 0) || testResults.some((test) => test.status === 'Failed')
  const isTold = testResults.length > 0 || parts.some((part) => part.total !== undefined)
  const first = new Map<string, string>()
  const twice = testResults.flatMap((test, index) => {
    const before = first.get(test.testCase)
    first.set(test.testCase, before ?? test.status)
    return before === undefined || before === test.status
      ? []
      : [{ path: `/testResults/${index}/status`, message: `is ${test.status}, but the same test is ${before} before` }]
  })
  return [
    ...counts,
    ...twice,
    ...(failed && (status === 'Success' || status === 'PartialSuccess')
      ? [{ path: '/status', message: `is ${status}, but something failed` }]
      : []),
    ...(status === 'Failed' && isTold && !failed
      ? [{ path: '/status', message: 'is Failed, but nothing of what is reported failed' }]
      : []),
    ...(status === 'Success' && testResults.some((test) => test.status === 'Aborted')
      ? [{ path: '/status', message: 'is Success, but a test was aborted' }]
      : []),
  ]
}
