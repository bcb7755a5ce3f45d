import { z } from 'zod'
import { countChanged, executeAll } from '../../commands/requests/execute.ts'
import { findReferred } from '../../commands/requests/resolveRequest.ts'
import { makeKnownResults, reportResult, verbRequest } from '../../commands/requests/verbRequest.ts'
import type { ResultReport } from '../../commands/runs.ts'
import type { Context } from '../../commands/caller.ts'
import { invalid } from '../../commands/errors.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { futureProblems, reportedTime } from '../../kinds/members/shapes.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { readFlag } from '../http/queryParameters.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonAnswer, jsonBody, ok, type Answer } from '../http/route.ts'
import * as parameters from './parameters.ts'
import { mustOwn } from './reads/addressed.ts'
import { executeVerb } from './traitRoutes.ts'
import { causeOf, contextOf, preconditionOf } from './writeRequest.ts'

const shape = {
  status: z.enum(['Success', 'Failed', 'Aborted']),
  timestamp: reportedTime.optional().describe('When it ran, in epoch milliseconds; default: now'),
  message: z.string().max(1000).optional(),
}

const oneResult = z
  .strictObject(shape)
  .meta({ id: 'TestResultRequest', description: 'The result of a run. Repeating it with its time changes nothing.' })

const manyResults = z
  .array(z.strictObject({ testCase: z.string().describe('Its fully qualified name'), ...shape }))
  .max(1000)
  .meta({
    id: 'TestResultsRequest',
    description:
      'Results of runs, in any order. After an error send them again: what is stored with a time is not stored twice.',
  })

const receipt = z
  .object({ processed: z.int(), changed: z.int().describe('The new results') })
  .meta({ id: 'TestResultsReceipt', description: 'The outcome for reported results.' })

/** Routes for test results. */
export const resultRoutes = (definition: KindDefinition): KindRoute[] =>
  definition.traits.results !== true
    ? []
    : [
        ...parameters.entityRoutes(definition, 'edit', 'put /results', `report_result_${definition.name}`, {
          summary: `Report the result of a run of a ${definition.name}`,
          parameters: [parameters.ifMatchHeader],
          body: jsonBody(oneResult),
          answers: parameters.entityAnswers(
            definition,
            'The entity: latestResult and incident say how it stands, results have the last 90',
          ),
          handle: (request) => {
            const report = parseBody(oneResult, request.body)
            const now = presentOf(request, [['', report]])
            return executeVerb(request, (context, to) => reportResult(to, report, now, authorOf(request, context)))
          },
        }),
        parameters.kindRoute(definition, 'edit', 'put /results', `report_results_${definition.name}`, {
          summary: `Report the results of runs of many entities of kind ${definition.name}`,
          parameters: [parameters.dryRunParameter],
          body: jsonBody(manyResults),
          answers: ok('How many there were, and how many were new', receipt, ['Catalog-Position']),
          handle: reportMany,
        }),
      ]

/**
 * The present, which is the time of results that do not say one.
 * @throws DomainError `invalid` for times in the future
 */
const presentOf = ({ api }: KindRequest, reports: readonly (readonly [path: string, ResultReport])[]): number => {
  const now = api.commands.clock.time()
  const problems = futureProblems(
    reports.map(([path, { timestamp }]) => [`${path}/timestamp`, timestamp]),
    now,
  )
  if (problems.length > 0) throw invalid(problems)
  return now
}

const authorOf = ({ actor }: KindRequest, context: Context) => ({
  user: actor.name,
  knownResult: makeKnownResults(context),
})

const reportMany = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const context = contextOf(request, readFlag(request.query, 'dryRun'))
  const reports = parseBody(manyResults, request.body)
  const now = presentOf(
    request,
    reports.map((report, index) => [`/${index}`, report]),
  )
  const named = reports.map(({ testCase }) => ({ fullyQualifiedName: testCase }))
  const heads = (await findReferred(context, named, [definition.name])).map(([head]) => head)
  const rows = await request.api.readModels.getMany([...new Set(heads.flatMap((head) => head?.id ?? []))])
  const found = heads.map((head) => head && rows.get(head.id)).map((row) => (row?.status === 'live' ? row : undefined))
  const missing = reports.flatMap(({ testCase }, index) =>
    found[index] === undefined
      ? [{ path: `/${index}/testCase`, message: `there is no ${definition.name} ${testCase}` }]
      : [],
  )
  if (missing.length > 0) throw invalid(missing)
  await mustOwn(
    request,
    found.filter((row) => row !== undefined),
  )
  const [cause, precondition] = [causeOf(request), preconditionOf(request)]
  const author = authorOf(request, context)
  // Of several for one time the last corrects the others. One test after the other: what is known of it is read once.
  const last = new Map(
    reports.map((result, at) => {
      const id = found[at]?.id as string
      return [result.timestamp === undefined ? at : `${id} ${result.timestamp}`, { id, result }]
    }),
  )
  const requests = [...last.values()]
    .toSorted((a, b) =>
      a.id === b.id ? (a.result.timestamp ?? now) - (b.result.timestamp ?? now) : a.id < b.id ? -1 : 1,
    )
    .map(({ id, result }) => verbRequest(reportResult({ definition, id }, result, now, author), cause, precondition))
  const { summaries, position } = await executeAll(context, requests)
  for (const one of summaries) if (!('result' in one)) throw one.error
  return jsonAnswer({ processed: reports.length, changed: countChanged(summaries) }, { position })
}
