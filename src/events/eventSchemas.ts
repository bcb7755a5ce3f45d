import { z } from 'zod'
import type { CatalogEvent, EventType } from './events.ts'

export type { EventType }

const reference = z
  .strictObject({
    id: z.uuid().describe('Id of the entity'),
    type: z.string().describe('Its kind'),
    fullyQualifiedName: z.string(),
    life: z
      .int()
      .exactOptional()
      .describe('Revision at which the life that is meant began; absent: the first life of its name'),
  })
  .meta({ id: 'Reference', description: 'An entity that the event refers to' })

const members = z
  .record(z.string(), z.json())
  .describe('Values by member name, as the kind defines them; references as {id, type, fullyQualifiedName}')

const deletion = z.strictObject({ deletion: z.uuid().describe('Shared by everything that one request deleted') })

/** The data of each type of event, as the log has it; consumers get the same with secrets masked. */
export const eventDataSchemas = {
  Created: z
    .strictObject({ name: z.string(), parent: reference.exactOptional(), members })
    .describe('Begins a life of the entity, with every value that it has'),
  Updated: z
    .strictObject({ set: members, unset: z.array(z.string()).describe('Names of the members that were cleared') })
    .describe('Members that changed, each with its new value whole'),
  SoftDeleted: deletion
    .extend({ inherited: z.literal(true).exactOptional().describe('It went with its parent, and comes back with it') })
    .describe('The entity is hidden until it is restored'),
  Restored: deletion.describe('Takes that deletion back'),
  HardDeleted: deletion.describe('Ends the life of the entity; a later Created begins the next'),
  Voted: z
    .strictObject({ user: reference, vote: z.enum(['votedUp', 'votedDown', 'unVoted']) })
    .describe('The vote that the user has now'),
  FollowerAdded: z.strictObject({ user: reference }).describe('The user follows the entity'),
  FollowerRemoved: z.strictObject({ user: reference }).describe('The user follows the entity no more'),
  AssetsAdded: z.strictObject({ assets: z.array(reference).min(1) }).describe('Assets that it has from now on'),
  AssetsRemoved: z.strictObject({ assets: z.array(reference).min(1) }).describe('Assets that it has no more'),
  PortsAdded: z
    .strictObject({ direction: z.enum(['input', 'output']), ports: z.array(reference).min(1) })
    .describe('Ports that it has from now on'),
  PortsRemoved: z
    .strictObject({ direction: z.enum(['input', 'output']), ports: z.array(reference).min(1) })
    .describe('Ports that it has no more'),
  Validated: z
    .strictObject({ result: z.record(z.string(), z.json()) })
    .describe('How a comparison of the contract with its asset went'),
} satisfies { [T in EventType]: z.ZodType<(CatalogEvent & { type: T })['data']> }

/** Every type of event. */
export const eventTypes = Object.keys(eventDataSchemas) as EventType[]

const position = z
  .string()
  .regex(/^\d{1,19}$/)
  .describe('Place in the log')

/** The metadata of every event, as the log has it. */
export const eventMetadataSchema = z.strictObject({
  kind: z.string(),
  fullyQualifiedName: z.string(),
  version: z.int().min(1).describe('In tenths: 0.1 is 1'),
  user: z.string(),
  time: z.iso.datetime(),
  correlationId: z.string(),
  causationId: z.string(),
  schemaVersion: z.int().min(1),
  previousHash: z.string().length(64).optional(),
  hash: z.string().length(64),
})

/** What consumers get: CloudEvents 1.0. */
export const cloudEventSchema = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: z.uuid().describe('Id of the event'),
    source: z.string().describe('/api/v1/<path of the kind>'),
    type: z
      .string()
      .regex(/^catalog\.[A-Za-z]+\.[A-Za-z]+$/)
      .describe('catalog.<kind>.<event type>'),
    subject: z.string().describe('Fully qualified name of the entity'),
    time: z.iso.datetime(),
    datacontenttype: z.literal('application/json'),
    position,
    entityid: z.uuid(),
    entityversion: z.string().describe('Version of the entity after the event, e.g. 0.3'),
    actor: z.string().describe('Name of the user whose request caused it'),
    correlationid: z.string().describe('The request, or the recursive operation, that it belongs to'),
    causationid: z.string().describe('The command or the event that caused it'),
    data: z.record(z.string(), z.unknown()).describe('The change: see the schema of the event type'),
  })
  .meta({ id: 'CloudEvent', description: 'One event of the catalog as a CloudEvents 1.0 JSON object' })
