import * as parameters from './parameters.ts'
import { jsonAnswer, jsonBody, ok, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { conflict, invalid } from '../../commands/errors.ts'
import { executeAll, type Summary } from '../../commands/requests/execute.ts'
import { remove } from '../../commands/requests/remove.ts'
import type { KindDefinition, Problem } from '../../kinds/defineKind.ts'
import { ancestorFqns } from '../../kinds/names.ts'
import { pagesOf } from '../../projections/entities/page.ts'
import type { ListKey } from '../../projections/entities/port.ts'
import { problemsOf } from '../../kinds/request/zodProblems.ts'
import type { Json } from '../../shared/json.ts'
import { storableText } from '../../shared/entityName.ts'
import { limits } from '../../shared/limits.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { fqnText } from '../http/queryParameters.ts'
import { parseBody } from '../http/readBody.ts'
import { mustOwn } from './reads/addressed.ts'
import { causeOf, contextOf, forbiddenBelow, preconditionOf, removalPermission } from './writeRequest.ts'

const path = fqnText.refine((fqn) => storableText(fqn) === fqn, 'is not a fully qualified name')

const sweepBody = z
  .strictObject({
    scope: path.describe('Fully qualified name of what the loader has read; only entities below it are considered'),
    seen: z
      .array(path)
      .describe('Fully qualified names of everything that it found there; what these stand in counts as found'),
    dryRun: z.boolean().default(false).describe('Only preview what would be deleted'),
    hardDelete: z.boolean().default(false),
    confirm: z.boolean().default(false).describe('Allow deleting more than a third, or than the configured share'),
  })
  .meta({ id: 'SweepRequest', description: 'What a loader found. Everything else is deleted.' })

const swept = z
  .object({
    total: z.int().describe('What was below the scope'),
    dryRun: z.boolean(),
    refusal: z.string().optional().describe('Of a dry run: why it is refused without `confirm`'),
    data: z.array(
      z.object({
        id: z.uuid(),
        fullyQualifiedName: z.string(),
        outcome: z.enum(['deleted', 'refused']),
        message: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'SweepResult', description: 'What was not found, and the outcome for each.' })

/** Deletes what a loader has not seen again, as one revertible request. */
export const sweepRoutes = (definition: KindDefinition): KindRoute[] => {
  const { name: kind, parents, traits } = definition
  if (traits.bulk !== true || parents.length === 0) return []
  return [
    parameters.kindRoute(definition, 'delete', 'post /sweep', `sweep_${kind}`, {
      summary: `Delete entities of kind ${kind} that a loader no longer found`,
      description: `Deletes everything of kind ${kind} below \`scope\` that is not in \`seen\`, with what is below it.`,
      bulkhead: 'large',
      // The list of names is as long as the body allows.
      body: jsonBody(sweepBody, { limit: limits.bulkBody.value, flaws: 'keep' }),
      answers: ok('What became of each', swept, ['Catalog-Position']),
      handle: sweep,
    }),
  ]
}

/** The body but for the names, of which there are too many to read them at once. */
const sentBody = sweepBody.extend({ seen: z.custom<readonly Json[]>(Array.isArray, 'must be a list of names') })

/** Entities below the scope that the caller may view. */
const standingBelow = async (request: KindRequest, scope: string): Promise<ListKey[]> => {
  const { api, definition } = request
  const standing: ListKey[] = []
  const query = { kind: definition.name, include: 'non-deleted', scopes: [scope], edges: [], limit: Infinity } as const
  for await (const page of pagesOf(api.readModels, query))
    standing.push(...(await request.access.visible(definition.name, page.rows)))
  return standing
}

/** Leaves the names that were not seen. @throws DomainError `invalid` */
const takeSeen = async (names: Set<string>, seen: readonly Json[]): Promise<void> => {
  const problems: Problem[] = []
  for await (const [at, name] of inSlices(seen.entries())) {
    const { data, error } = path.safeParse(name)
    if (error !== undefined) problems.push(...problemsOf(error, name, { path: `/seen/${at}` }))
    // Who has seen something has seen what it stands in.
    else for (const fqn of [data, ...ancestorFqns(data)]) names.delete(fqn)
    if (problems.length >= limits.problems.value) break
  }
  if (problems.length > 0) throw invalid(problems)
}

/** Why so many are not deleted unconfirmed; one may always go. */
const refusalOfShare = (unseen: number, total: number, mostPercent: number | undefined): string | undefined => {
  const [share, shareText] = mostPercent === undefined ? [1 / 3, 'a third'] : [mostPercent / 100, `${mostPercent} %`]
  if (unseen <= Math.max(1, total * share)) return undefined
  return `${unseen} of ${total} were not seen, more than ${shareText}, which needs a confirmation.`
}

const howToConfirm = 'Look at them with "dryRun": true, then send "confirm": true to delete them.'

const sweep = async (request: KindRequest): Promise<Answer> => {
  const { api, definition } = request
  const { scope, seen, dryRun, hardDelete, confirm } = parseBody(sentBody, request.body)
  const permission = removalPermission(request, hardDelete)
  const standing = await standingBelow(request, scope)
  const total = standing.length
  const names = new Set(standing.map(({ fullyQualifiedName }) => fullyQualifiedName))
  await takeSeen(names, seen)
  const unseen = standing.filter(({ fullyQualifiedName }) => names.has(fullyQualifiedName))
  const refusal = confirm ? undefined : refusalOfShare(unseen.length, total, api.sweepShare)
  if (refusal !== undefined && !dryRun) throw conflict(`${refusal} ${howToConfirm}`)
  const ids = unseen.map(({ id }) => id)
  if (permission !== 'yes') await mustOwn(request, [...(await api.readModels.getMany(ids)).values()], permission)
  const context = contextOf(request, dryRun)
  const cause = causeOf(request)
  const rest = {
    definition,
    hard: hardDelete,
    recursive: true,
    forbiddenKinds: forbiddenBelow(request, hardDelete ? 'hardDelete' : 'delete', definition.name),
  }
  // What is nested goes with the topmost that goes.
  const tops = unseen.map(({ fullyQualifiedName: fqn }) => ancestorFqns(fqn).find((name) => names.has(name)) ?? fqn)
  const removed = unseen.filter(({ fullyQualifiedName }, at) => tops[at] === fullyQualifiedName)
  const precondition = preconditionOf(request, permission)
  const requests = removed.map(({ id, fullyQualifiedName: top }) => ({
    ...remove(context, { ...rest, id }, cause, precondition),
    top,
  }))
  const { summaries, position } = await executeAll(context, requests)
  const outcomes = new Map(summaries.map((one) => [one.request.top, one]))
  const data = unseen.map((key, at) => shown(request, key, outcomes.get(tops[at] as string) as Summary))
  return jsonAnswer({ total, dryRun, ...(refusal && { refusal }), data }, { position })
}

const shown = ({ problemOf }: KindRequest, { id, fullyQualifiedName }: ListKey, summary: Summary): Json => {
  if (!('error' in summary)) return { id, fullyQualifiedName, outcome: 'deleted' }
  return { id, fullyQualifiedName, outcome: 'refused', message: problemOf(summary.error).message }
}
