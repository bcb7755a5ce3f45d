import { z } from 'zod'
import { attribute, type Provenance } from '../../commands/provenance.ts'
import { evolve, type Entity } from '../../commands/evolve.ts'
import { streamName } from '../../events/streamName.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { Api } from '../deps.ts'
import * as parameters from '../entities/parameters.ts'
import { mustFindRow } from '../entities/reads/findRow.ts'
import type { Answer, ApiRequest, Route } from '../http/route.ts'

const author = z
  .object({
    user: z.string(),
    time: z.iso.datetime(),
    position: z.string(),
    correlationId: z.string().describe('The request that wrote it: see `GET /v1/requests/{correlationId}`'),
    clientCorrelationId: z.string().optional(),
  })
  .meta({ id: 'Author', description: 'Who wrote a value that stands, when, and with which request.' })

const provenance = z.object({ data: z.record(z.string(), author) }).meta({
  id: 'Provenance',
  description: 'The author of each member that stands; of what is in it by path, such as columns.id.description.',
})

/** Who wrote each value that stands. Nothing is kept for it: the log knows. */
export const provenanceRoutes = (api: Api, definition: KindDefinition): Route[] =>
  parameters.addresses.map(({ at, suffix, parameter }) => ({
    method: 'get',
    path: `/v1/${definition.path}/${at}/provenance`,
    id: `provenance_${definition.name}${suffix}`,
    summary: `Who wrote each value of a ${definition.name} that stands`,
    tag: definition.path,
    permission: { operation: 'history', kind: definition.name },
    lane: 'past',
    parameters: [parameter],
    answers: { 200: { description: 'Authors, by member', schema: provenance } },
    handle: (request) => authorsOf(api, definition, request),
  }))

const authorsOf = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const { id } = await mustFindRow(api, definition, request, 'all')
  const authors: Provenance = new Map()
  const yieldWhenDue = makeYielder()
  let entity: Entity | undefined
  for await (const event of api.log.readStream(streamName(definition.name, id))) {
    const after = evolve(id, entity, event)
    attribute(authors, entity, event, after)
    entity = after
    await yieldWhenDue()
  }
  const shown = [...authors].map(([name, { position, ...rest }]) => [name, { ...rest, position: String(position) }])
  return { status: 200, body: { json: { data: Object.fromEntries(shown) } } }
}
