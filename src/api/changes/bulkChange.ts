import { z } from 'zod'
import { conflict, type DomainError, invalidAt } from '../../commands/errors.ts'
import { change } from '../../commands/requests/change.ts'
import { chunkSize, executeAll } from '../../commands/requests/execute.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import { shorten, chunksOf, mapInChunks } from '../../shared/bounds.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { KindRequest } from '../deps.ts'
import { makePatchReader } from '../entities/patchAndDeleteRoutes.ts'
import { isLogPosition } from '../entities/reads/catchUp.ts'
import { causeOf, contextOf, preconditionOf } from '../entities/writeRequest.ts'
import { badQuery, readFlag, readParameter } from '../http/queryParameters.ts'
import { jsonAnswer, queryParameter, type Answer, type ApiRequest } from '../http/route.ts'
import { cellOf, cellText, columnAt, cellMembers, ownItems, withCells, type Cell, type Column } from './cells.ts'

const changed = z.object({ column: z.string(), before: z.string(), after: z.string() })

/** The result (or preview) of changing many entities. */
export const changesResult = z
  .object({
    correlationId: z.string().describe('Of this request: `POST /v1/requests/{correlationId}/revert` undoes it'),
    dryRun: z.boolean(),
    status: z.enum(['success', 'partialSuccess', 'failure']),
    processed: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    data: z
      .array(
        z.object({
          row: z.int().optional().describe('Row of the spreadsheet; the header is the first'),
          id: z.uuid().optional(),
          fullyQualifiedName: z.string(),
          outcome: z.enum(['changed', 'conflict', 'refused']),
          changes: z.array(changed).describe('Cells as text; long ones are cut'),
          errors: z.array(z.object({ column: z.string().optional(), message: z.string() })),
        }),
      )
      .describe('All entities except the unchanged ones'),
  })
  .meta({ id: 'ChangesResult', description: 'The outcome of changing many entities.' })

type Found = Pick<EntityRow, 'id' | 'fullyQualifiedName'>

export interface EntityChange {
  readonly entity?: Found | undefined
  readonly fullyQualifiedName: string
  readonly row?: number
  /** Required name. */
  readonly name?: string | undefined
  /** Required version in tenths. */
  readonly version?: number | undefined
  /** Whether the query found it only before or finds it only after the preview. */
  readonly moved?: boolean | undefined
  readonly cells: (before: JsonObject) => ReadonlyMap<Column, Cell>
  /** Why it is not changed. */
  readonly error?: unknown
}

/** The live ones of these entities that the caller may view, by id. */
export const findLive = async (request: KindRequest, ids: readonly string[]): Promise<ReadonlyMap<string, Found>> => {
  const live = new Map<string, Found>()
  for (const chunk of chunksOf(ids, chunkSize)) {
    const rows = [...(await request.api.readModels.getMany(chunk)).values()]
    for (const { id, kind, fullyQualifiedName, status } of await request.access.visible(request.definition.name, rows))
      if (status === 'live' && kind === request.definition.name) live.set(id, { id, fullyQualifiedName })
    request.progress()
  }
  return live
}

interface Step {
  readonly wanted: EntityChange
  changes: z.infer<typeof changed>[]
  error?: unknown
  /** The new state, which problem paths refer to. */
  after: JsonObject
  changed: boolean
}

/** Lets many changes go on from what their preview showed. */
export const unchangedSince = queryParameter(
  'unchangedSince',
  'Log position that a preview gave as `Catalog-Position`: what was changed after it, other than by votes and follows, ' +
    'is a conflict, and so is what a filter found only then or finds only now',
  z
    .string()
    .regex(/^\d{1,18}$/, 'must be a log position')
    .transform(BigInt),
)

/** Longest cell shown in an answer, in characters. */
const cellShown = 500

/** What a query does not find both at the preview and now. */
export const movedSince = (): DomainError =>
  conflict('Whether the query finds it has changed since the preview: preview it again.')

/**
 * Changes many entities as one request, each like a PATCH. Failed changes are reported and do not affect the others.
 */
export const changeInBulk = async (
  request: KindRequest,
  select: () => Promise<readonly EntityChange[]>,
): Promise<Answer> => {
  const dryRun = readFlag(request.query, 'dryRun')
  const since = readParameter(request.query, unchangedSince)
  if (since !== undefined && !(await isLogPosition(request.api, since)))
    throw badQuery(unchangedSince.name, 'is beyond the end of this catalog’s log')
  // What a preview finds and shows is at least as new.
  const shown = dryRun ? await request.api.runner.shownPosition() : undefined
  const wanted = await select()
  const steps = wanted.map((one): Step => ({ wanted: one, changes: [], error: one.error, after: {}, changed: false }))
  const context = contextOf(request, dryRun)
  const todo = steps.filter(({ error }) => error === undefined)
  const cause = causeOf(request)
  const precondition = preconditionOf(request)
  const requests = todo.map((step) => {
    const { id } = step.wanted.entity as Found
    const read = patchingFor(request, step, since)
    return { ...change(context, { definition: request.definition, id, read }, cause, precondition), step }
  })
  const { summaries, position } = await executeAll(context, requests)
  for (const one of summaries)
    if ('error' in one) one.request.step.error = one.error
    else one.request.step.changed = one.result.changed
  return jsonAnswer(await resultOf(request, steps, dryRun), { position: dryRun ? shown : position })
}

const patchingFor = (request: KindRequest, step: Step, since: bigint | undefined) =>
  makePatchReader(
    request,
    async (before, { id, born, version, updatedBy, position }) => {
      const { wanted } = step
      const now = (column: Column): Cell => cellOf(before, column)
      const cells = new Map(
        [...wanted.cells(before)]
          .map(([column, cell]) => [column, typeof cell === 'string' ? cell : ownItems(before, column, cell)] as const)
          .filter(([column, cell]) => cellText(cell) !== cellText(now(column))),
      )
      const shown = (cell: Cell): string => shorten(cellText(cell), cellShown)
      step.changes = [...cells].map(([column, cell]) => ({ column, before: shown(now(column)), after: shown(cell) }))
      step.after = withCells(before, cells)
      if (wanted.name !== undefined && wanted.name !== before['name']) throw invalidAt('/name', 'cannot be changed')
      if (cells.size > 0 && wanted.version !== undefined && wanted.version !== version)
        throw conflict(
          `It is at version ${(version / 10).toFixed(1)}, changed by ${updatedBy}, and the row is of version ` +
            `${(wanted.version / 10).toFixed(1)}: export it again, or leave its version empty.`,
        )
      if (cells.size > 0 && wanted.moved === true) throw movedSince()
      if (cells.size > 0 && since !== undefined && position > since) {
        // Events that make no version, such as votes, change nothing of what is shown.
        const seen = await request.api.history.asOf({ kind: request.definition.name, id }, { position: since })
        if (seen?.born !== born || seen.version !== version)
          throw conflict('It was changed after the preview: preview it again.')
      }
      return step.after
    },
    { shown: cellMembers },
  )

const resultOf = async (request: ApiRequest, steps: readonly Step[], dryRun: boolean): Promise<Json> => {
  const failed = steps.filter(({ error }) => error !== undefined).length
  const made = steps.filter((step) => step.changed).length
  const reportedSteps = steps.filter((step) => step.changed || step.error !== undefined)
  return {
    correlationId: request.correlationId,
    dryRun,
    status: failed === 0 ? 'success' : failed === steps.length ? 'failure' : 'partialSuccess',
    processed: steps.length,
    changed: made,
    unchanged: steps.length - made - failed,
    failed,
    data: await mapInChunks(reportedSteps, chunkSize, async (step) => shownStep(request, step)),
  }
}

const shownStep = ({ problemOf }: ApiRequest, { wanted, changes, error, after }: Step): Json => {
  const { row, entity, fullyQualifiedName } = wanted
  const about = {
    ...(row !== undefined && { row }),
    ...(entity !== undefined && { id: entity.id }),
    fullyQualifiedName,
  }
  if (error === undefined) return { ...about, outcome: 'changed', changes, errors: [] }
  const { code, message, errors } = problemOf(error)
  const named = errors.map(({ path, message: what }) => ({ column: columnAt(after, path), message: what }))
  return {
    ...about,
    outcome: code === 'CONFLICT' ? 'conflict' : 'refused',
    changes,
    errors: named.length > 0 ? named : [{ message }],
  }
}
