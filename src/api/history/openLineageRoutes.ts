import { jsonBody, ok, jsonAnswer, route, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { execute, executeAll } from '../../commands/requests/execute.ts'
import type { Context } from '../../commands/caller.ts'
import type { Entity } from '../../commands/evolve.ts'
import { write, type Write } from '../../commands/requests/createOrUpdate.ts'
import { reportRun, verbRequest } from '../../commands/requests/verbRequest.ts'
import { enumerate, type LineageEdge } from '../../events/verbs.ts'
import type { Result } from '../../commands/unitOfWork/request.ts'
import { stateLineage, type EdgeInput } from '../../commands/requests/stateLineage.ts'
import { completedSince, runsIn } from '../../commands/runs.ts'
import { datasetAsset, type Dataset, type DatasetAsset, type ServiceNames } from '../../kinds/datasets.ts'
import type { Fact, KindDefinition } from '../../kinds/defineKind.ts'
import { assetColumns } from '../../kinds/members/assetColumns.ts'
import { kindNamed, lineageKind, pipelineKind } from '../../kinds/registry/kinds.ts'
import { entityId } from '../../kinds/names.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import type { JsonObject } from '../../shared/json.ts'
import { nameUuid } from '../../shared/uuids.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { visibilityFor } from '../entities/reads/callerReads.ts'
import { causeOf, contextOf, makeWriteGuard } from '../entities/writeRequest.ts'
import * as parameters from '../entities/parameters.ts'
import { readFlag } from '../http/queryParameters.ts'
import { parseBody } from '../http/readBody.ts'
import { makeLineageGuard, refusalOf } from './lineageReads.ts'
import {
  columnsOf,
  columnsWritten,
  datasetKey,
  datasetOf,
  eventTime,
  openLineageEvent,
  parentOf,
  pipelineOf,
  jobSource,
  sqlOf,
  type OpenLineageEvent,
} from './openLineage.ts'

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
      'What has ended with COMPLETE states where its outputs come from; every event of a run is noted with its ' +
      'pipeline. The same event again changes nothing. A dry run says nothing of the outputs of a job that is new.',
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
  if (event.job == null)
    return ignoredAnswer('An event of a dataset alone says nothing about where its data comes from.')
  const time = eventTime(event.eventTime)
  const state = (event.eventType ?? 'OTHER').toUpperCase()
  const inputs = (event.inputs ?? []).map(datasetOf)
  const outputs = (event.outputs ?? []).map(datasetOf)
  const context = contextOf(request, readFlag(request.query, 'dryRun'))
  const ensured = await ensurePipeline(request, context, event.job)
  if (ensured === undefined) return jsonAnswer({ stated: [], ignored: [], changed: true })
  const { entity: pipeline, changed: isNew } = ensured
  const report = event.run && { run: event.run.runId, state, time, inputs, outputs, ...parentOf(event) }
  const reported = report && (await reportTo(request, context, pipeline, report))
  const run = runsIn(reported?.entity.members).find(({ id }) => id === report?.run)
  if (report && run === undefined) return ignoredAnswer('An event of a run that is older than all that are kept.')
  const isStated = report == null || state === 'COMPLETE'
  const stated = { event, pipeline, inputs, outputs, time, ...run }
  const outcome = isStated && (await stateOutputs(request, context, stated))
  const changed = isNew || reported?.changed === true || (outcome && outcome.changed)
  return jsonAnswer({ stated: [], ignored: [], ...outcome, changed })
}

const reportTo = (
  request: CatalogRequest,
  context: Context,
  { id }: Entity,
  report: Parameters<typeof reportRun>[1],
): Promise<Result> => {
  const cause = { ...causeOf(request), commandId: nameUuid(`openlineage:${report.run}:${report.state}`) }
  return execute(context, verbRequest(reportRun({ definition: kindNamed(pipelineKind), id }, report), cause))
}

/** The pipeline that a job is, made with its service when its first event comes; `undefined` if a dry run lacks it. */
const ensurePipeline = async (
  request: CatalogRequest,
  context: Context,
  job: Dataset,
): Promise<Pick<Result, 'entity' | 'changed'> | undefined> => {
  const definition = kindNamed(pipelineKind)
  const above = definition.parents.flatMap(({ kinds }) => kinds.map(kindNamed))[0] as KindDefinition
  const { space, called, service, fullyQualifiedName } = pipelineOf(job)
  const [serviceId, id] = [entityId(above.name, service), entityId(pipelineKind, fullyQualifiedName)]
  const found = await context.lookup([serviceId, id])
  const pipeline = found.get(id)
  const guardOf = (kind: KindDefinition) => makeWriteGuard({ ...request, definition: kind }, 'Upsert')
  if (pipeline?.status === 'live') {
    const mayWrite = await guardOf(definition)
    await mayWrite(pipeline, {})
    return { entity: pipeline, changed: false }
  }
  if (readFlag(request.query, 'dryRun')) return undefined
  const make = async (kind: KindDefinition, body: JsonObject): Promise<Result> => {
    const [may, parsed] = [await guardOf(kind), await readRequestInSlices(kind, body, 'upsert')]
    const mayWrite: Write['mayWrite'] = (entity) => may(entity, parsed.values)
    return execute(context, write(context, { type: 'Upsert', definition: kind, parsed, mayWrite }, causeOf(request)))
  }
  if (found.get(serviceId)?.status !== 'live') await make(above, { name: space, serviceType: 'OpenLineage' })
  return make(definition, { name: called, service })
}

const outputsOf = ({ outputs }: OpenLineageEvent) =>
  new Map((outputs ?? []).map((sent) => [datasetKey(datasetOf(sent)), sent]))

/** The columns that a run wrote and the catalog does not have, where its event tells the schemas. */
const unknownColumns = async (
  { lookup }: Context,
  sent: ReturnType<typeof outputsOf>,
  outputs: readonly (readonly [Dataset, DatasetAsset])[],
): Promise<string[]> => {
  const described = outputs.flatMap(([output, asset]) => {
    const columns = columnsWritten(sent.get(datasetKey(output)))
    return columns.length > 0 ? [{ ...asset, columns }] : []
  })
  const found = described.length > 0 ? await lookup(described.map(({ id }) => id)) : undefined
  return described.flatMap(({ id, fullyQualifiedName, columns }) => {
    const entity = found?.get(id)
    const known = new Set(assetColumns(entity?.members ?? {}).map(({ name }) => name.toLowerCase()))
    const missing = columns.filter((name) => !known.has(name.toLowerCase()))
    if (entity?.status !== 'live' || missing.length === 0) return []
    return [`${fullyQualifiedName}: has no column ${enumerate(missing)}, and events add none`]
  })
}

interface Statement {
  readonly event: OpenLineageEvent
  readonly pipeline: Entity
  readonly inputs: readonly Dataset[]
  readonly outputs: readonly Dataset[]
  /** Of the event. */
  readonly time: string
  /** Id and end of the run, if it is of one. */
  readonly id?: string
  readonly endedAt?: string
}

/** What is newest says where an output comes from, the end of a run or an event without one, in whatever order they arrive. */
const outdated =
  ({ id, time, endedAt = time }: Statement, asset: DatasetAsset, services: ServiceNames) =>
  (pipeline: Fact | undefined, stated: readonly LineageEdge[]): string | undefined => {
    const isNewer = ({ time: said = '' }: LineageEdge): boolean =>
      said > endedAt || (said === endedAt && id !== undefined)
    if (stated.some(isNewer)) return 'a later event says where it comes from'
    const later = completedSince(runsIn(pipeline?.members), endedAt, id)
    const isLate = later.some(({ outputs }) => outputs.some((each) => datasetAsset(each, services)?.id === asset.id))
    return isLate ? 'a run that ended later says where it comes from' : undefined
  }

/** States for each output that all inputs are its upstreams, according to the job. */
const stateOutputs = async (request: CatalogRequest, context: Context, statement: Statement) => {
  const services = request.api.openLineageServices
  const { event, pipeline, inputs, outputs, time } = statement
  const sees = visibilityFor(request)
  const ignored: string[] = []
  const assets = (datasets: readonly Dataset[]): [Dataset, DatasetAsset][] =>
    datasets.flatMap((each): [Dataset, DatasetAsset][] => {
      const asset = datasetAsset(each, services)
      if (asset !== undefined && sees(asset.type)) return [[each, asset]]
      ignored.push(
        `${each.namespace} ${each.name}: ${asset === undefined ? 'no asset has such a name' : 'may not be viewed'}`,
      )
      return []
    })
  const [from, to] = [assets(inputs), assets(outputs)]
  const [sql, source] = [sqlOf(event), jobSource(event)]
  const by = { id: pipeline.id, type: pipeline.kind, fullyQualifiedName: pipeline.fullyQualifiedName }
  const names = new Map((event.inputs ?? []).map((sent) => [datasetKey(sent), datasetKey(datasetOf(sent))]))
  const keyOf = (dataset: Dataset): string => names.get(datasetKey(dataset)) ?? datasetKey(dataset)
  const sent = outputsOf(event)
  const guard = await makeLineageGuard(request, await request.api.readModels.getMany(to.map(([, { id }]) => id)))
  const requests = to.map(([output, asset]) => {
    const mapped = columnsOf(sent.get(datasetKey(output)), keyOf)
    const edges = from.map(([input, upstream]): EdgeInput => {
      const columns = mapped.get(datasetKey(input))?.map(({ column }) => column)
      return { from: upstream, pipeline: by, ...(sql !== undefined && { sql }), ...(columns && { columns }) }
    })
    const condition = { on: pipeline.id, refusal: outdated(statement, asset, services) }
    const wanted = {
      asset,
      source,
      edges,
      time: event.run == null ? time : undefined,
      ahead: true,
      condition,
      mayState: guard(asset),
    }
    return stateLineage(context, wanted, causeOf(request))
  })
  ignored.push(...(await unknownColumns(context, sent, to)))
  const { summaries } = await executeAll(context, requests)
  const stated = summaries.flatMap((one, at) => {
    const fqn = (to[at] as [Dataset, DatasetAsset])[1].fullyQualifiedName
    if ('result' in one) return [fqn]
    ignored.push(`${fqn}: ${refusalOf(one.error)}`)
    return []
  })
  return { stated, ignored, changed: summaries.some((one) => 'result' in one && one.result.changed) }
}
