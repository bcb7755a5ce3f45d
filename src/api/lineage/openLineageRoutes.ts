import { jsonBody, ok, jsonAnswer, route, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { countChanged, execute, executeAll } from '../../commands/requests/execute.ts'
import type { Context } from '../../commands/caller.ts'
import type { Entity } from '../../commands/evolve.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { reportRun, verbRequest } from '../../commands/requests/verbRequest.ts'
import type { Result } from '../../commands/unitOfWork/request.ts'
import type { EdgeInput } from '../../commands/requests/stateLineage.ts'
import { detailsOfRun, runsIn } from '../../commands/runs.ts'
import { datasetAsset, type Dataset, type DatasetAsset } from '../../kinds/datasets.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { columnPaths } from '../../kinds/members/assetColumns.ts'
import { kindNamed, lineageKind, pipelineKind } from '../../kinds/registry/kinds.ts'
import { entityId } from '../../kinds/names.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import { canonicalJson, type JsonObject } from '../../shared/json.ts'
import { nameUuid } from '../../shared/uuids.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { causeOf, contextOf, makeWriteGuard, preconditionOf } from '../entities/writeRequest.ts'
import * as parameters from '../entities/parameters.ts'
import { readFlag } from '../http/queryParameters.ts'
import { parseBody } from '../http/readBody.ts'
import { prepareStatements, refusalOf } from './lineageReads.ts'
import {
  columnsWritten,
  datasetOf,
  detailsIn,
  eventTime,
  openLineageEvent,
  parentOf,
  pipelineOf,
  jobSource,
} from './openLineage.ts'
import {
  makeColumnMap,
  outdated,
  unknownColumns,
  type AssetOf,
  type ColumnsIn,
  type Statement,
} from './openLineageStatement.ts'

const answer = z
  .object({
    stated: z.array(z.string()).describe('FQNs of the assets that get upstream edges'),
    ignored: z.array(z.string()).describe('What has no effect, and why'),
    changed: z.boolean().describe('Whether anything was written: a repeated event changes nothing'),
  })
  .meta({ id: 'OpenLineageReceipt', description: 'The outcome for an event' })

const example = {
  eventType: 'COMPLETE',
  eventTime: '2026-01-01T00:00:00Z',
  run: { runId: '5355b91b-32b4-4477-b660-3adadee198b2' },
  job: { namespace: 'airflow', name: 'daily' },
  inputs: [{ namespace: 'shop', name: 'sales.public.orders' }],
  outputs: [{ namespace: 'shop', name: 'sales.public.daily' }],
}

export const openLineageRoutes: CatalogRoute[] = ['openlineage', lineageKind].map((path) =>
  route('post', `/v1/${path}`, `receive_${path}`, {
    summary: 'Receive an OpenLineage event',
    description:
      'A run that has ended with COMPLETE states where its outputs come from, with all that its events tell, in ' +
      'whatever order they arrive. The same event again changes nothing. A dry run says nothing of the outputs of a ' +
      'job that is new.',
    tag: lineageKind,
    permission: { operation: 'create', or: 'edit', kind: lineageKind },
    parameters: [parameters.dryRunParameter],
    body: jsonBody(openLineageEvent, { example, flaws: 'mend' }),
    answers: ok('Received', answer),
    handle: (request) => receive(request),
  }),
)

const ignoredAnswer = (why: string): Answer => jsonAnswer({ stated: [], ignored: [why], changed: false })

const receive = async (request: CatalogRequest): Promise<Answer> => {
  const event = parseBody(openLineageEvent, request.body)
  const time = eventTime(event.eventTime, request.api.commands.clock.time())
  if (event.job == null) return ignoredAnswer('An event about a dataset alone does not say where its data comes from.')
  const state = (event.eventType ?? 'OTHER').toUpperCase()
  const inputs = (event.inputs ?? []).map(datasetOf)
  const outputs = (event.outputs ?? []).map(datasetOf)
  const context = contextOf(request, readFlag(request.query, 'dryRun'))
  const ensured = await ensurePipeline(request, context, event.job)
  if (ensured === undefined) return jsonAnswer({ stated: [], ignored: [], changed: true })
  const { entity: pipeline, changed: isNew } = ensured
  const details = detailsIn(event)
  const named = Object.keys(details).length > 0 && { details: { id: nameUuid(canonicalJson(details)), ...details } }
  const report = event.run && { run: event.run.runId, state, time, inputs, outputs, ...parentOf(event), ...named }
  const reported = report && (await reportTo(request, context, ensured, report))
  const run = runsIn(reported?.entity.members).find(({ id }) => id === report?.run)
  if (report && run === undefined) return ignoredAnswer('An event of a run that is older than all that are kept.')
  const told = run ? detailsOfRun(reported?.entity.members, run) : details
  const isStated = run === undefined || run.state === 'COMPLETE'
  const outcome =
    told === undefined
      ? { ignored: ['SQL and columns of the run are no longer kept, so it states nothing more.'], changed: false }
      : isStated && (await stateOutputs(request, context, { event, pipeline, inputs, outputs, time, run, ...told }))
  const changed = isNew || reported?.changed === true || (outcome && outcome.changed)
  return jsonAnswer({ stated: [], ignored: [], ...outcome, changed })
}

const reportTo = async (
  request: CatalogRequest,
  context: Context,
  { entity: { id }, changed: isNew }: Ensured,
  report: Parameters<typeof reportRun>[1],
): Promise<Result> => {
  const { access } = request
  const cause = { ...causeOf(request), commandId: nameUuid(`openlineage:${canonicalJson(report)}`) }
  // Who has just made it need not own it.
  const precondition = isNew ? undefined : preconditionOf(request, access.may('edit', pipelineKind))
  const verb = reportRun({ definition: kindNamed(pipelineKind), id }, report)
  return execute(context, verbRequest(verb, cause, precondition))
}

type Ensured = Pick<Result, 'entity' | 'changed'>

/** The pipeline that a job is, made with its service when its first event comes; `undefined` if a dry run lacks it. */
const ensurePipeline = async (
  request: CatalogRequest,
  context: Context,
  job: Dataset,
): Promise<Ensured | undefined> => {
  const definition = kindNamed(pipelineKind)
  const above = definition.parents.flatMap(({ kinds }) => kinds.map(kindNamed))[0] as KindDefinition
  const { space, called, service, fullyQualifiedName } = pipelineOf(job)
  const [serviceId, id] = [entityId(above.name, service), entityId(pipelineKind, fullyQualifiedName)]
  const found = await context.lookup([serviceId, id])
  const pipeline = found.get(id)
  const guardOf = (kind: KindDefinition) => makeWriteGuard({ ...request, definition: kind }, 'Upsert')
  if (pipeline?.status === 'live') {
    await guardOf(definition)(pipeline, {})
    return { entity: pipeline, changed: false }
  }
  if (readFlag(request.query, 'dryRun')) return undefined
  const make = async (kind: KindDefinition, body: JsonObject): Promise<Result> => {
    const [mayWrite, parsed] = [guardOf(kind), await readRequestInSlices(kind, body, 'upsert')]
    return execute(context, write(context, { type: 'Upsert', definition: kind, parsed, mayWrite }, causeOf(request)))
  }
  if (found.get(serviceId)?.status !== 'live') await make(above, { name: space, serviceType: 'OpenLineage' })
  return make(definition, { name: called, service })
}

const readColumns = async ({ lookup }: Context, assets: readonly DatasetAsset[]): Promise<ColumnsIn> => {
  const found = await lookup(assets.map(({ id }) => id))
  const byName = ({ members }: Entity) => Map.groupBy(columnPaths(members), ({ name }) => name.toLowerCase())
  const live = [...found].filter(([, { status }]) => status === 'live')
  const byAsset = new Map(live.map(([id, entity]) => [id, byName(entity)]))
  return ({ id }) => byAsset.get(id)
}

/** States for each output that all inputs are its upstreams, according to the job. */
const stateOutputs = async (request: CatalogRequest, context: Context, statement: Statement) => {
  const { event, pipeline, time, run, sql, columns = [] } = statement
  const { inputs, outputs } = run ?? statement
  const { sees } = request.access
  const assetOf: AssetOf = (dataset) => datasetAsset(dataset, request.api.openLineageServices)
  const ignored: string[] = []
  const assets = (datasets: readonly Dataset[]): DatasetAsset[] => {
    const found = datasets.flatMap((each) => {
      const asset = assetOf(each)
      if (asset !== undefined && sees(asset.type)) return [[asset.id, asset] as const]
      ignored.push(
        `${each.namespace} ${each.name}: ${asset === undefined ? 'no asset has such a name' : 'may not be viewed'}`,
      )
      return []
    })
    return [...new Map(found).values()]
  }
  const [from, to] = [assets(inputs), assets(outputs)]
  const isDescribed = (event.outputs ?? []).some((output) => columnsWritten(output).length > 0)
  const described = columns.length > 0 ? [...from, ...to] : isDescribed ? to : []
  const columnsIn = await readColumns(context, described)
  const columnsOf = makeColumnMap(columns, assetOf, columnsIn)
  const by = { id: pipeline.id, type: pipeline.kind, fullyQualifiedName: pipeline.fullyQualifiedName }
  const statementOf = await prepareStatements(request, context)
  const requests = to.map((asset) => {
    const edges = from.map((upstream): EdgeInput => {
      const made = columnsOf(upstream, asset)
      return { from: upstream, pipeline: by, ...(sql !== undefined && { sql }), ...(made && { columns: made }) }
    })
    const condition = { entityId: pipeline.id, refusal: outdated(statement, asset, assetOf) }
    const at = run === undefined ? time : undefined
    return { ...statementOf({ asset, source: jobSource(event), edges, time: at, early: true, condition }), asset }
  })
  ignored.push(...unknownColumns(event, assetOf, columnsIn))
  const { summaries } = await executeAll(context, requests)
  const stated = summaries.flatMap((one) => {
    const fqn = one.request.asset.fullyQualifiedName
    if ('result' in one) return [fqn]
    ignored.push(`${fqn}: ${refusalOf(one.error)}`)
    return []
  })
  return { stated, ignored, changed: countChanged(summaries) > 0 }
}
