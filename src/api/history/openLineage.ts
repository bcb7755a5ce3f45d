import { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import type { Dataset } from '../../kinds/datasets.ts'
import { isObject, type Json } from '../../shared/json.ts'

const dataset = z.looseObject({
  namespace: z.string().min(1).max(1024),
  name: z.string().min(1).max(3072),
  facets: z.looseObject({}).nullish(),
})

/** What integrations send: members beside these are facets and the like, which are not looked at. */
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

const inside = (value: unknown, ...names: string[]): Json | undefined =>
  names.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), value as Json | undefined)

/** Times without a zone are those of UTC, whatever the machine's zone. @throws DomainError `invalid` */
export const eventTime = (text: string): string => {
  const time = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
  if (Number.isNaN(time)) throw invalid([{ path: '/eventTime', message: 'must be an ISO 8601 instant' }])
  return new Date(time).toISOString()
}

type Sent = z.output<typeof dataset>

/** The name by which a dataset is known as a table, where a facet tells one; else its own. */
export const datasetOf = ({ namespace, name, facets }: Sent): Dataset => {
  const others = inside(facets, 'symlinks', 'identifiers')
  const table = (Array.isArray(others) ? others : []).find(
    (each) => isObject(each) && String(each['type']).toUpperCase() === 'TABLE',
  )
  const [space, called] = [inside(table, 'namespace'), inside(table, 'name')]
  return typeof space === 'string' && typeof called === 'string'
    ? { namespace: space, name: called }
    : { namespace, name }
}

export const sqlOf = ({ job }: OpenLineageEvent): string | undefined => {
  const facet = inside(job?.facets, 'sql')
  const { query: sql } = isObject(facet) ? facet : {}
  return typeof sql === 'string' && sql !== '' ? sql : undefined
}

interface ColumnInput extends Dataset {
  readonly field: string
}

/** Column lineage of an output, by the key of the input. */
export const columnsOf = ({ facets }: Sent): Map<string, { from: string[]; to: string; function?: string }[]> => {
  const byInput = new Map<string, { from: string[]; to: string; function?: string }[]>()
  const fields = inside(facets, 'columnLineage', 'fields')
  for (const [to, field] of Object.entries(isObject(fields) ? fields : {})) {
    const inputs = inside(field, 'inputFields')
    const named = (Array.isArray(inputs) ? inputs : []).filter(isColumn)
    for (const [key, some] of Map.groupBy(named, datasetKey)) {
      const how = some.flatMap((each) => {
        const transformations = inside(each, 'transformations')
        return Array.isArray(transformations) ? transformations : []
      })
      const known = [...new Set(how.map((each) => inside(each, 'subtype') ?? inside(each, 'type')))]
      const column = {
        from: some.map((each) => each.field),
        to,
        ...(known.length > 0 && { function: known.map(String).join(', ') }),
      }
      byInput.set(key, [...(byInput.get(key) ?? []), column])
    }
  }
  return byInput
}

export const datasetKey = ({ namespace, name }: Dataset): string => `${namespace}\0${name}`

const isColumn = (value: Json): value is Json & ColumnInput =>
  isObject(value) && ['namespace', 'name', 'field'].every((name) => typeof inside(value, name) === 'string')
