import { jsonBody, ok, jsonAnswer, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { execute, executeAll } from '../../commands/requests/execute.ts'
import { DomainError, invalid } from '../../commands/errors.ts'
import type { Entity } from '../../commands/evolve.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { reportRun } from '../../commands/requests/verbRequest.ts'
import { stateLineage, type EdgeInput } from '../../commands/requests/stateLineage.ts'
import { allDatasets, isEnd, runsIn } from '../../commands/runs.ts'
import { datasetAsset, type Dataset, type DatasetAsset, type ServiceNames } from '../../kinds/datasets.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { kindNamed, lineageKind, pipelineKind } from '../../kinds/registry/kinds.ts'
import { childFqn, entityId } from '../../kinds/names.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'
import { nameUuid } from '../../shared/uuids.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { visibilityFor, mustBeAllowed } from '../entities/reads/callerReads.ts'
import { causeOf, contextOf } from '../entities/writeRequest.ts'
import { parseBody } from '../http/readBody.ts'

const dataset = z.looseObject({
  namespace: z.string().min(1).max(1024),
  name: z.string().min(1).max(3072),
  facets: z.looseObject({}).nullish(),
})

/** What integrations send: members beside these are facets and the like, which are not looked at. */
const openLineageEvent = z
  .looseObject({
    eventTime: z.string(),
    eventType: z.string().max(64).nullish(),
    run: z.looseObject({ runId: z.string().min(1).max(256) }).nullish(),
    job: z
      .looseObject({
        namespace: z.string().min(1).max(256),
        name: z.string().min(1),
        facets: z.looseObject({}).nullish(),
      })
      .nullish(),
    inputs: z.array(dataset).max(1000).nullish(),
    outputs: z.array(dataset).max(1000).nullish(),
  })
  .meta({ id: 'OpenLineageEvent', description: 'An event of OpenLineage 2-0-2: of a run, a job or a dataset' })

type OpenLineageEvent = z.output<typeof openLineageEvent>

const inside = (value: unknown, ...names: string[]): Json | undefined =>
  names.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), value as Json | undefined)

/** Times without a zone are those of UTC, whatever the machine's zone. @throws DomainError `invalid` */
const eventTime = (text: string): string => {
  const time = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
  if (Number.isNaN(time)) throw invalid([{ path: '/eventTime', message: 'must be an ISO 8601 instant' }])
  return new Date(time).toISOString()
}

type Sent = z.output<typeof dataset>

/** The name by which a dataset is known as a table, where a facet tells one; else its own. */
const datasetOf = ({ namespace, name, facets }: Sent): Dataset => {
  const table = objectsOf(inside(facets, 'symlinks', 'identifiers')).find(
    ({ type }) => String(type).toUpperCase() === 'TABLE',
  )
  const { namespace: space, name: called } = table ?? {}
  return typeof space === 'string' && typeof called === 'string'
    ? { namespace: space, name: called }
    : { namespace, name }
}

const sqlOf = ({ job }: OpenLineageEvent): string | undefined => {
  const facet = inside(job?.facets, 'sql')
  const { query: sql } = isObject(facet) ? facet : {}
  return typeof sql === 'string' && sql !== '' ? sql : undefined
}

type InputField = JsonObject & Dataset & { readonly field: string }

const isInputField = (value: JsonObject): value is InputField =>
  ['namespace', 'name', 'field'].every((name) => typeof value[name] === 'string')

const datasetKey = ({ namespace, name }: Dataset): string => `${namespace}\0${name}`

/** Column lineage of an output, by the key of the input. @param keyOf key of an input, by whichever of its names */
const columnsOf = ({ facets }: Sent, keyOf: (dataset: Dataset) => string) => {
  const fields = inside(facets, 'columnLineage', 'fields')
  const columns = Object.entries(isObject(fields) ? fields : {}).flatMap(([to, field]) => {
    const inputFields = objectsOf(inside(field, 'inputFields')).filter(isInputField)
    return [...Map.groupBy(inputFields, keyOf)].map(([key, some]) => {
      const how = some.flatMap(({ transformations }) => objectsOf(transformations))
      const functions = [...new Set(how.map(({ type, subtype }) => String(subtype ?? type)))].join(', ')
      const from = some.map((each) => each.field)
      return { key, column: { from, to, ...(functions !== '' && { function: functions }) } }
    })
  })
  return Map.groupBy(columns, ({ key }) => key)
}

const answer = z
  .object({
    stated: z.array(z.string()).describe('FQNs of the assets that get upstream edges'),
    ignored: z.array(z.string()).describe('What has no effect, and why'),
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

export const openLineageRoutes = (services: ServiceNames): CatalogRoute[] =>
  ['openlineage', lineageKind].map((path) => ({
    method: 'post',
    path: `/v1/${path}`,
    id: `receive_${path}`,
    summary: 'Receive an OpenLineage event',
    description:
      'What has ended with COMPLETE states where its outputs come from; every event of a run is noted with its ' +
      'pipeline. The same event again changes nothing.',
    tag: lineageKind,
    permission: { operation: 'create', or: 'edit', kind: lineageKind },
    body: jsonBody(openLineageEvent, { example, lenient: true }),
    answers: ok('Received', answer),
    handle: (request) => receive(services, request),
  }))

const receive = async (services: ServiceNames, request: CatalogRequest): Promise<Answer> => {
  const event = parseBody(openLineageEvent, request.body)
  if (event.job == null)
    return jsonAnswer({
      stated: [],
      ignored: ['An event of a dataset alone says nothing about where its data comes from.'],
    })
  const time = eventTime(event.eventTime)
  const state = (event.eventType ?? 'OTHER').toUpperCase()
  const inputs = (event.inputs ?? []).map(datasetOf)
  const outputs = (event.outputs ?? []).map(datasetOf)
  const pipeline = await ensurePipeline(request, event.job)
  const runId = event.run?.runId
  const run = runsIn(pipeline.members).find(({ id }) => id === runId)
  const all = { inputs: allDatasets(run?.inputs, inputs), outputs: allDatasets(run?.outputs, outputs) }
  const isStated = runId === undefined || state === 'COMPLETE'
  const told = isStated
    ? await stateOutputs(services, request, { event, pipeline, ...all })
    : { stated: [], ignored: [] }
  if (runId !== undefined) {
    const datasets = isEnd(state) ? { inputs: [], outputs: [] } : { inputs, outputs }
    const to = { definition: kindNamed(pipelineKind), id: pipeline.id }
    const cause = { ...causeOf(request), commandId: nameUuid(`openlineage:${runId}:${state}`) }
    await execute(contextOf(request), reportRun(to, { run: runId, state, time, ...datasets }, cause))
  }
  return jsonAnswer(told)
}

/** The pipeline that a job is, made with its service when its first event comes. */
const ensurePipeline = async (
  request: CatalogRequest,
  { namespace, name }: { namespace: string; name: string },
): Promise<Entity> => {
  const definition = kindNamed(pipelineKind)
  const context = contextOf(request)
  const called = name.replaceAll('::', ':').slice(0, 256)
  const service = childFqn(undefined, namespace)
  const id = entityId(pipelineKind, childFqn(service, called))
  const above = definition.parents.flatMap(({ kinds }) => kinds.map(kindNamed))[0] as KindDefinition
  const ensure = async (kind: KindDefinition, id: string, body: JsonObject): Promise<Entity> => {
    const found = (await context.lookup([id])).get(id)
    if (found?.status === 'live') return found
    mustBeAllowed(request, 'create', kind)
    const parsed = await readRequestInSlices(kind, body, 'upsert')
    return (await execute(context, write(context, { type: 'Upsert', definition: kind, parsed }, causeOf(request))))
      .entity
  }
  const found = (await context.lookup([id])).get(id)
  if (found?.status === 'live') {
    mustBeAllowed(request, 'edit', definition)
    return found
  }
  await ensure(above, entityId(above.name, service), { name: namespace, serviceType: 'OpenLineage' })
  return ensure(definition, id, { name: called, service })
}

interface Statement {
  readonly event: OpenLineageEvent
  readonly pipeline: Entity
  readonly inputs: readonly Dataset[]
  readonly outputs: readonly Dataset[]
}

/** States for each output that all inputs are its upstreams, according to the job. */
const stateOutputs = async (
  services: ServiceNames,
  request: CatalogRequest,
  { event, pipeline, inputs, outputs }: Statement,
) => {
  const [context, sees] = [contextOf(request), visibilityFor(request)]
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
  const sql = sqlOf(event)
  const by = { id: pipeline.id, type: pipeline.kind, fullyQualifiedName: pipeline.fullyQualifiedName }
  const names = new Map((event.inputs ?? []).map((sent) => [datasetKey(sent), datasetKey(datasetOf(sent))]))
  const keyOf = (dataset: Dataset): string => names.get(datasetKey(dataset)) ?? datasetKey(dataset)
  const mapped = new Map(
    (event.outputs ?? []).map((output) => [datasetKey(datasetOf(output)), columnsOf(output, keyOf)]),
  )
  const requests = to.map(([output, asset]) => {
    const edges = from.map(([input, upstream]): EdgeInput => {
      const known = mapped.get(datasetKey(output))?.get(datasetKey(input))
      const columns = known?.map(({ column }) => column)
      return { from: upstream, pipeline: by, ...(sql !== undefined && { sql }), ...(columns && { columns }) }
    })
    const source = `openlineage:${event.job?.namespace}/${event.job?.name}`
    return stateLineage(context, { asset, source, edges, ahead: true }, causeOf(request))
  })
  const { taken } = await executeAll(context, [requests])
  const stated = taken.flatMap((one, at) => {
    const fqn = (to[at] as [Dataset, DatasetAsset])[1].fullyQualifiedName
    if ('result' in one) return [fqn]
    if (!(one.error instanceof DomainError)) throw one.error
    ignored.push(`${fqn}: ${one.error.message}`)
    return []
  })
  return { stated, ignored }
}
