import { jsonBody, ok, jsonAnswer, route, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { countChanged, execute, executeEach } from '../../commands/requests/execute.ts'
import type { Context } from '../../commands/caller.ts'
import type { Entity } from '../../commands/evolve.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { reportRun, verbRequest } from '../../commands/requests/verbRequest.ts'
import type { Result } from '../../commands/unitOfWork/request.ts'
import type { EdgeInput } from '../../commands/requests/stateLineage.ts'
import {
  completedSince,
  detailsOfRun,
  mustStateFewEdges,
  runsIn,
  type Run,
  type RunDetails,
} from '../../commands/runs.ts'
import { datasetAsset, type Dataset, type DatasetAsset } from '../../kinds/datasets.ts'
import type { KindDefinition, Fact } from '../../kinds/defineKind.ts'
import { columnPaths } from '../../kinds/members/assetColumns.ts'
import { kindNamed, lineageKind, pipelineKind } from '../../kinds/registry/kinds.ts'
import { entityId } from '../../kinds/names.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import { chunksOf } from '../../shared/bounds.ts'
import { canonicalJson, type JsonObject, sameJson } from '../../shared/json.ts'
import { memoize } from '../../shared/memoize.ts'
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
  type OpenLineageEvent,
} from './openLineage.ts'
import { enumerate, type LineageEdge } from '../../events/verbs.ts'

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
  mustStateFewEdges({ inputs, outputs })
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
  const isAlone = found.get(serviceId)?.status !== 'live'
  const isAdded = isAlone && (await make(above, { name: space, serviceType: 'OpenLineage' })).changed
  const { entity, changed } = await make(definition, { name: called, service })
  return { entity, changed: changed || isAdded }
}

const readColumns = async ({ lookup }: Context, assets: readonly DatasetAsset[]): Promise<ColumnsIn> => {
  const found = await lookup(assets.map(({ id }) => id))
  const byName = ({ members }: Entity) => Map.groupBy(columnPaths(members), ({ name }) => name.toLowerCase())
  const live = [...found].filter(([, { status }]) => status === 'live')
  const byAsset = new Map(live.map(([id, entity]) => [id, byName(entity)]))
  return ({ id }) => byAsset.get(id)
}

/** Edges that are decided before other requests have their turn. */
const edgesAtOnce = 2000

/** States for each output that all inputs, and what its columns are made of, are its upstreams, according to the job. */
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
  const read = new Set(from.map(({ id }) => id))
  const unread = columns.filter(({ input }) => !read.has(assetOf(input)?.id ?? ''))
  const unreadOf = Map.groupBy(unread, ({ output }) => assetOf(output)?.id)
  const upstreams = to.map(({ id }) => [...from, ...assets((unreadOf.get(id) ?? []).map(({ input }) => input))])
  const columnsIn = await readColumns(context, columns.length > 0 ? [...new Set(upstreams.flat()), ...to] : to)
  const columnsOf = makeColumnMap(columns, assetOf, columnsIn)
  const by = { id: pipeline.id, type: pipeline.kind, fullyQualifiedName: pipeline.fullyQualifiedName }
  const statementOf = await prepareStatements(request, context)
  const refusalOn = makeOutdated(statement, assetOf)
  const requestFor = (asset: DatasetAsset, at: number) => {
    const edges = (upstreams[at] ?? []).map((upstream): EdgeInput => {
      const made = columnsOf(upstream, asset)
      return { from: upstream, pipeline: by, ...(sql !== undefined && { sql }), ...(made && { columns: made }) }
    })
    const condition = { entityId: pipeline.id, refusal: refusalOn(asset) }
    const of = { asset, source: jobSource(event), edges, time: run === undefined ? time : undefined }
    return { ...statementOf({ ...of, early: true, condition }), asset }
  }
  ignored.push(...unknownColumns(event, assetOf, columnsIn))
  const stated: string[] = []
  let changed = 0
  const chunks = chunksOf([...to.entries()], Math.ceil(edgesAtOnce / (from.length + 1)))
  const requests = chunks.values().map((some) => some.map(([at, asset]) => requestFor(asset, at)))
  await executeEach(context, requests, (one) => {
    const fqn = one.request.asset.fullyQualifiedName
    if ('result' in one) stated.push(fqn)
    else ignored.push(`${fqn}: ${refusalOf(one.error)}`)
    changed += countChanged([one])
  })
  return { stated, ignored: [...new Set(ignored)], changed: changed > 0 }
}

interface Statement extends RunDetails {
  readonly event: OpenLineageEvent
  readonly pipeline: Entity
  readonly inputs: readonly Dataset[]
  readonly outputs: readonly Dataset[]
  readonly time: string
  /** If the event is of one: its datasets and its end count, instead of those of the event. */
  readonly run: Run | undefined
}

/** What is newest says where an output comes from, the end of a run or an event without one, in whatever order they arrive. */
export const makeOutdated = ({ run, time }: Pick<Statement, 'run' | 'time'>, assetOf: AssetOf) => {
  const endedAt = run?.endedAt ?? time
  const isNewer = ({ time: said = '' }: LineageEdge): boolean =>
    said > endedAt || (said === endedAt && run !== undefined)
  const compare = memoize((runs: readonly Run[]) => {
    const later = completedSince(runs, endedAt, run?.id).flatMap(({ outputs }) => outputs)
    const present = runs.find(({ id }) => id === run?.id)
    return {
      later: new Set(later.map((each) => assetOf(each)?.id)),
      isChanged: run !== undefined && !sameJson(present, run),
    }
  })
  return (asset: DatasetAsset) =>
    (pipeline: Fact | undefined, stated: readonly LineageEdge[]): string | undefined => {
      if (stated.some(isNewer)) return 'a later event says where it comes from'
      const { later, isChanged } = compare(runsIn(pipeline?.members))
      if (later.has(asset.id)) return 'a run that ended later says where it comes from'
      return isChanged ? 'another event of the run, which came at the same time, says where it comes from' : undefined
    }
}

/** The columns that a run wrote and the catalog does not have, where its event tells the schemas. */
const unknownColumns = ({ outputs }: OpenLineageEvent, assetOf: AssetOf, columnsIn: ColumnsIn): string[] =>
  (outputs ?? []).flatMap((sent) => {
    const asset = assetOf(datasetOf(sent))
    const known = asset && columnsIn(asset)
    const missing = known ? columnsWritten(sent).filter((name) => !known.has(name.toLowerCase())) : []
    return missing.length === 0
      ? []
      : [`${asset?.fullyQualifiedName}: has no column ${enumerate(missing)}, and events add none`]
  })

type AssetOf = (dataset: Dataset) => DatasetAsset | undefined

/** The columns of an asset by their names in lower case; `undefined` if they were not read. */
type ColumnsIn = (asset: DatasetAsset) => ReadonlyMap<string, ReturnType<typeof columnPaths>> | undefined

/** A column as the asset has it, also where the case differs, if that leaves no doubt. */
const columnNamed = (name: string, columns: ReturnType<ColumnsIn>): string => {
  const alike = columns?.get(name.toLowerCase()) ?? []
  const same = alike.filter((each) => each.name === name)
  const [found, ...others] = same.length > 0 ? same : alike
  return found === undefined || others.length > 0 ? name : found.path
}

/** Which columns of one asset are made of those of another, each once, as the assets name them. */
const makeColumnMap = (told: RunDetails['columns'] = [], assetOf: AssetOf, columnsIn: ColumnsIn) => {
  const mapped = Map.groupBy(told, ({ input, output }) => `${assetOf(input)?.id} ${assetOf(output)?.id}`)
  return (upstream: DatasetAsset, asset: DatasetAsset) => {
    const columns = mapped.get(`${upstream.id} ${asset.id}`)?.flatMap((each) => each.columns)
    const named = columns?.map(({ from, to, ...how }) => ({
      from: from.map((name) => columnNamed(name, columnsIn(upstream))),
      to: columnNamed(to, columnsIn(asset)),
      ...how,
    }))
    const distinct = named && [...new Map(named.map((column) => [canonicalJson(column), column]))]
    return distinct?.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, column]) => column)
  }
}
