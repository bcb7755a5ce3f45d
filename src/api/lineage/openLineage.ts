import { z } from 'zod'
import { invalidAt } from '../../commands/errors.ts'
import type { RunDataset, RunDetails, RunParent } from '../../commands/runs.ts'
import { datasetKey, type Dataset } from '../../kinds/datasets.ts'
import { isFuture } from '../../kinds/members/shapes.ts'
import { childFqn } from '../../kinds/names.ts'
import { nameFromText, nameWithHash } from '../../shared/entityName.ts'
import { readInstant } from '../../shared/instant.ts'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'

const dataset = z.looseObject({
  namespace: z.string().min(1).max(1024),
  name: z.string().min(1).max(3072),
  facets: z.looseObject({}).nullish(),
})

/** What integrations send. Facets are read where they have the expected form, and ignored otherwise. */
export const openLineageEvent = z
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

export type OpenLineageEvent = z.output<typeof openLineageEvent>

const valueAtPath = (value: unknown, ...names: string[]): Json | undefined =>
  names.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), value as Json | undefined)

/**
 * Times without a zone are those of UTC, whatever the machine's zone.
 * @param now epoch milliseconds
 * @throws DomainError `invalid`
 */
export const eventTime = (text: string, now: number): string => {
  const time = readInstant(text)
  const message = 'must be an ISO 8601 instant such as 2026-01-31T12:00:00Z, and not in the future'
  if (Number.isNaN(time) || isFuture(time, now)) throw invalidAt('/eventTime', message)
  return new Date(time).toISOString()
}

type Sent = z.output<typeof dataset>

const isName = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 3072

/** The name by which a dataset is known as a table, where a facet tells one, else its own; and its version. */
export const datasetOf = ({ namespace, name, facets }: Sent): RunDataset => {
  const table = objectsOf(valueAtPath(facets, 'symlinks', 'identifiers')).find(
    ({ type }) => String(type).toUpperCase() === 'TABLE',
  )
  const { namespace: space, name: called } = table ?? {}
  const version = valueAtPath(facets, 'version', 'datasetVersion')
  return {
    ...(isName(space) && isName(called) ? { namespace: space, name: called } : { namespace, name }),
    ...(isName(version) && { version }),
  }
}

/** Names of the columns that a run has written. */
export const columnsWritten = (output: Sent | undefined): string[] =>
  objectsOf(valueAtPath(output?.facets, 'schema', 'fields')).flatMap(({ name }) => (isName(name) ? [name] : []))

/** Names that differ only where they are cut stay different. */
const jobName = (text: string): string => {
  const name = nameFromText(text)
  return [...name].length < 256 || text.length <= 256 ? name : nameWithHash(name, text)
}

/** The source of what a job states. Sources are listed between commas, and no two jobs have the same. */
export const jobSource = ({ job }: OpenLineageEvent): string => {
  const { space, called } = pipelineOf(job as Dataset)
  return `openlineage:${space.replaceAll(/[%,]/g, encodeURIComponent)}/${called.replaceAll(/[%,/]/g, encodeURIComponent)}`
}

/** The pipeline that a job is. */
export const pipelineOf = (job: Dataset) => {
  const [space, called] = [nameFromText(job.namespace), jobName(job.name)]
  const service = childFqn(undefined, space)
  return { space, called, service, fullyQualifiedName: childFqn(service, called) }
}

/** The run that started this one, if it is told. */
export const parentOf = ({ run }: OpenLineageEvent): { parent?: RunParent } => {
  const parent = valueAtPath(run, 'facets', 'parent')
  const started = valueAtPath(parent, 'run', 'runId')
  const [namespace, name] = [valueAtPath(parent, 'job', 'namespace'), valueAtPath(parent, 'job', 'name')]
  if (!isName(started) || !isName(namespace) || !isName(name)) return {}
  return { parent: { run: started, pipeline: pipelineOf({ namespace, name }).fullyQualifiedName } }
}

const sqlOf = ({ job }: OpenLineageEvent): string | undefined => {
  const facet = valueAtPath(job?.facets, 'sql')
  const { query: sql } = isObject(facet) ? facet : {}
  return typeof sql === 'string' && sql !== '' ? sql : undefined
}

type InputField = JsonObject & Dataset & { readonly field: string }

const isInputField = (value: JsonObject): value is InputField =>
  ['namespace', 'name', 'field'].every((name) => typeof value[name] === 'string')

const nameOf = ({ namespace, name }: Dataset): Dataset => ({ namespace, name })

/** Which columns of inputs each column of an output is made of. @param inputOf the input, by whichever of its names */
const columnsOf = (output: Sent, inputOf: (dataset: Dataset) => Dataset) => {
  const made = nameOf(datasetOf(output))
  const fields = valueAtPath(output.facets, 'columnLineage', 'fields')
  return Object.entries(isObject(fields) ? fields : {}).flatMap(([to, field]) => {
    const inputFields = objectsOf(valueAtPath(field, 'inputFields')).filter(isInputField)
    return [...Map.groupBy(inputFields, datasetKey).values()].map((some) => {
      const how = some.flatMap(({ transformations }) => objectsOf(transformations))
      const functions = [...new Set(how.map(({ type, subtype }) => String(subtype ?? type)))].join(', ')
      const column = { from: some.map((each) => each.field), to, ...(functions !== '' && { function: functions }) }
      return { output: made, input: inputOf(some[0] as Dataset), columns: [column] }
    })
  })
}

/** SQL and columns that an event tells. */
export const detailsIn = (event: OpenLineageEvent): RunDetails => {
  const sql = sqlOf(event)
  const inputs = new Map((event.inputs ?? []).map((sent) => [datasetKey(sent), nameOf(datasetOf(sent))]))
  const inputOf = (dataset: Dataset): Dataset => inputs.get(datasetKey(dataset)) ?? nameOf(dataset)
  const told = (event.outputs ?? []).flatMap((output) => columnsOf(output, inputOf))
  const byEnds = Map.groupBy(told, ({ output, input }) => `${datasetKey(output)}\0${datasetKey(input)}`)
  const columns = [...byEnds.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, columns: [first, ...others].flatMap((each) => each.columns) }] : [],
  )
  return { ...(sql !== undefined && { sql }), ...(columns.length > 0 && { columns }) }
}
