import { z } from 'zod'
import { validationOutcomes } from '../../kinds/definitions/contracts.ts'
import type { Problem, KindDefinition } from '../../kinds/defineKind.ts'
import { type JsonObject, isObject } from '../../shared/json.ts'
import { jsonBody, workRequestOf, type Answer } from '../http/route.ts'
import type { Entity } from '../../commands/evolve.ts'
import { invalid, notFound } from '../../commands/errors.ts'
import { futureProblems, reportedTime } from '../../kinds/members/shapes.ts'
import { kindNamed, testKind } from '../../kinds/registry/kinds.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { Api, CatalogRequest, KindRequest, KindRoute } from '../deps.ts'
import type { Context } from '../../commands/caller.ts'
import { findReferred } from '../../commands/requests/resolveRequest.ts'
import * as parameters from '../entities/parameters.ts'
import { mustFindRow, mustOwn } from '../entities/reads/addressed.ts'
import { entityFor } from '../entities/answers/present.ts'
import { executeVerb } from '../entities/traitRoutes.ts'
import { parseBody } from '../http/readBody.ts'
import { checkContract, testResult } from './checkContract.ts'

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

const sentResult = testResult.extend({
  timestamp: reportedTime.exactOptional().describe('When it ran, in epoch milliseconds'),
})

const reportedResult = z
  .strictObject({
    status: z.enum(validationOutcomes),
    message: z.string().optional(),
    timestamp: reportedTime.optional().describe('When it ended, in epoch milliseconds; default: now'),
    schemaValidation: schemaValidation.optional(),
    semanticsValidation: semanticsValidation.optional(),
    qualityValidation: qualityValidation.optional(),
    testResults: z.array(sentResult).max(1000).optional().describe('The results of the contract’s test cases'),
  })
  .meta({ id: 'ContractResult', description: 'The result of a validation of a contract.' })

type ValidationReport = z.infer<typeof reportedResult>

const testCasesIn = ({ testResults = [], qualityValidation }: ValidationReport): [path: string, name: string][] => [
  ...testResults.map(({ testCase }, index): [string, string] => [`/testResults/${index}/testCase`, testCase]),
  ...(qualityValidation?.failedTests ?? []).map(({ testCase }, index): [string, string] => [
    `/qualityValidation/failedTests/${index}/testCase`,
    testCase,
  ]),
]

const contradictions = (result: ValidationReport): Problem[] => {
  const { status, schemaValidation, semanticsValidation, qualityValidation, testResults = [] } = result
  const parts = [
    { at: '/schemaValidation', ...schemaValidation, named: schemaValidation?.failedFields },
    { at: '/semanticsValidation', ...semanticsValidation, named: semanticsValidation?.failedRules },
    { at: '/qualityValidation', ...qualityValidation, named: qualityValidation?.failedTests },
  ]
  const some = (outcome: string): boolean => testResults.some((test) => test.status === outcome)
  const failed = parts.some((part) => (part.failed ?? 0) > 0) || some('Failed')
  const hasChecks = testResults.length > 0 || parts.some((part) => part.total !== undefined)
  const first = new Map(testResults.toReversed().map((test) => [test.testCase, test.status]))
  const found: [isWrong: boolean, path: string, message: string][] = [
    ...parts.flatMap(({ at, passed = 0, failed = 0, total = 0, named = [] }): typeof found => [
      [passed + failed > total, `${at}/total`, `is ${total}, but ${passed} passed and ${failed} failed`],
      [named.length > failed, `${at}/failed`, `is ${failed}, but ${named.length} are named`],
    ]),
    ...testResults.map((test, index): (typeof found)[number] => {
      const before = first.get(test.testCase)
      const message = `is ${test.status}, but the same test is ${before} before`
      return [before !== test.status, `/testResults/${index}/status`, message]
    }),
    [failed && ['Success', 'PartialSuccess'].includes(status), '/status', `is ${status}, but something failed`],
    [status === 'Failed' && hasChecks && !failed, '/status', 'is Failed, but none of the reported checks failed'],
    [status === 'Success' && some('Aborted'), '/status', 'is Success, but a test was aborted'],
  ]
  return found.flatMap(([isWrong, path, message]) => (isWrong ? [{ path, message }] : []))
}

/** Colours with sufficient contrast to white. */
const colours: Readonly<Record<string, string>> = {
  kept: '#2e7d32',
  'kept in part': '#8a6100',
  broken: '#c62828',
  stale: '#5f6368',
  'not validated': '#5f6368',
}

const words: Readonly<Record<string, string>> = { Success: 'kept', PartialSuccess: 'kept in part', Failed: 'broken' }

/** The state of a contract in two or three words. @param isStale whether its newest result is stale */
const contractState = (status: string | undefined, isStale: boolean): string =>
  status === undefined ? 'not validated' : isStale ? 'stale' : (words[status] ?? status.toLowerCase())

/** Approximate width of a text in pixels, which the badge enforces. */
const widthOf = (text: string): number => text.length * 7 + 12

/** A badge as SVG, without any text from the contract. */
const badgeOf = (state: string): string => {
  const label = 'data contract'
  const [left, right] = [widthOf(label), widthOf(state)]
  const text = (said: string, from: number, width: number): string =>
    `<text x="${from + width / 2}" y="14" textLength="${width - 12}">${said}</text>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${state}">` +
    `<title>${label}: ${state}</title><rect width="${left}" height="20" fill="#444"/>` +
    `<rect x="${left}" width="${right}" height="20" fill="${colours[state] ?? '#5f6368'}"/>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,sans-serif" font-size="11">` +
    `${text(label, 0, left)}${text(state, left, right)}</g></svg>`
  )
}

/** Routes for validating a contract, here or externally: the result becomes its `latestResult`. */
export const validationRoutes = (definition: KindDefinition): KindRoute[] => {
  const common = {
    parameters: [parameters.id, parameters.ifMatchHeader],
    answers: parameters.entityAnswers(definition, 'The contract; latestResult says how it went'),
  }
  return [
    ...parameters.entityRoutes(definition, 'view', 'get /badge', 'contract_badge', {
      summary: 'A badge (SVG) with the state of a contract',
      parameters: [parameters.ifNoneMatch],
      answers: parameters.validatedAnswers('The badge', z.string(), 'image/svg+xml'),
      handle: badge,
    }),
    parameters.kindRoute(definition, 'edit', 'post /{id}/validate', 'validate_contract', {
      ...common,
      summary: 'Validate every promise of a contract: passed, failed, or not checked and why',
      handle: (request) => recordResult(request, (contract) => validated(request, contract)),
    }),
    parameters.kindRoute(definition, 'edit', 'put /{id}/results', 'report_contract_result', {
      ...common,
      summary: 'Report the result of an external validation of a contract',
      body: jsonBody(reportedResult),
      handle: (request) => {
        const result = parseBody(reportedResult, request.body)
        return recordResult(request, (contract, context) => reported(request.api, context, result, contract))
      },
    }),
  ]
}

const badge = async (request: KindRequest): Promise<Answer> => {
  const row = await mustFindRow(request, 'non-deleted')
  const { latestResult, latestResultStale } = await entityFor(request, row)
  const status = isObject(latestResult) ? String(latestResult['status']) : undefined
  const body = badgeOf(contractState(status, latestResultStale === true))
  return { status: 200, revision: row.revision, body, contentType: 'image/svg+xml' }
}

const recordResult = (
  request: KindRequest,
  makeResult: (contract: Entity, context: Context) => Promise<{ result: JsonObject; late?: true }>,
): Promise<Answer> =>
  executeVerb(request, (context, to) => ({
    ...to,
    command: async (_, contract) => ({
      type: 'Record',
      event: { type: 'Validated', data: await makeResult(contract, context) },
    }),
  }))

const validated = async (request: CatalogRequest, contract: Entity): Promise<{ result: JsonObject }> => {
  const { api } = request
  const row = contract.parent === undefined ? undefined : await api.readModels.get(contract.parent)
  if (row === undefined || row.status !== 'live') throw notFound(`The asset of ${contract.fullyQualifiedName} is gone.`)
  await mustOwn(request, row, request.access.must('view', row.kind))
  const check = { api, workRequest: workRequestOf(request), baseUrl: request.baseUrl }
  return { result: await checkContract(check, contract, row) }
}

/** A reported result with the validated versions; late if it ended before the newest. @throws DomainError `invalid` */
const reported = async (
  api: Api,
  context: Context,
  result: ValidationReport,
  contract: Entity,
): Promise<{ result: JsonObject; late?: true }> => {
  const now = context.clock.time()
  const { timestamp: ended = now } = result
  const named = testCasesIn(result)
  const inputs = named.map(([, name]) => ({ fullyQualifiedName: name }))
  const found = (await findReferred(context, inputs, [testKind])).map(([test]) => test)
  const missing = named.flatMap(([path, name], index) =>
    found[index] === undefined ? [{ path, message: `there is no test case ${name}` }] : [],
  )
  const times = [
    ['/timestamp', result.timestamp] as const,
    ...(result.testResults ?? []).map(({ timestamp }, at) => [`/testResults/${at}/timestamp`, timestamp] as const),
  ]
  const problems = [...futureProblems(times, now), ...contradictions(result), ...missing]
  if (problems.length > 0) throw invalid(problems)
  const row = contract.parent === undefined ? undefined : await api.readModels.get(contract.parent)
  const asset = row && fromRow(row, kindNamed(row.kind))
  // What was found begins with the tests, in their order.
  const testResults = result.testResults?.map((test, index) => {
    const life = Number(found[index]?.born ?? 0)
    return { timestamp: ended, ...test, ...(life > 0 && { life }) }
  })
  const { latestResult } = contract.members
  const isLate = isObject(latestResult) && ended < Number(latestResult['timestamp'])
  const versions = {
    contractVersion: contract.version / 10,
    ...(asset !== undefined && { assetVersion: asset.version / 10 }),
  }
  return {
    result: { ...(result as JsonObject), ...(testResults && { testResults }), ...versions },
    ...(isLate && { late: true }),
  }
}
