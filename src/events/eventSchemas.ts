import { z } from 'zod'

const position = z
  .string()
  .regex(/^\d{1,19}$/)
  .describe('Place in the log')

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
    dataschema: z.string().describe('Names the JSON Schema of the data; /v1/events/schemas lists all'),
    position,
    entityid: z.uuid(),
    entityversion: z.string().describe('Version of the entity after the event, e.g. 0.3'),
    revision: z.string().describe('Number of the event in the stream of its entity, from 0 on'),
    schemaversion: z.string().describe('Version of the shape that the event was written in; the data is that of today'),
    actor: z.string().describe('Name of the user whose request caused it'),
    correlationid: z.string().describe('The request, or the recursive operation, that it belongs to'),
    machinetime: z.iso
      .datetime()
      .optional()
      .describe('What the clock of the machine said, where the log was ahead of it and `time` is the time of the log'),
    clientcorrelationid: z.string().optional().describe('`X-Correlation-ID` of the request, where it had one'),
    causationid: z.string().describe('The command or the event that caused it'),
    proposalid: z.uuid().optional().describe('The proposal that the actor accepted with it'),
    proposer: z.string().optional().describe('Name of the user who had proposed it'),
    traceparent: z.string().optional().describe('The span that it was made in, as W3C trace context'),
    hash: z
      .string()
      .length(64)
      .describe('SHA-256, in hex, of the event as the log has it: the entry of its leaf in the tree'),
    previoushash: z.string().length(64).optional().describe('`hash` of the event before it of the same entity'),
    leafindex: z
      .string()
      .regex(/^\d{1,16}$/)
      .optional()
      .describe(
        'The index of its leaf in the tree: the number of events before it in the log. Absent while the tree of a log ' +
          'in EventStoreDB is being built',
      ),
    data: z.record(z.string(), z.unknown()).describe('The change: see the schema of the event type'),
  })
  .meta({ id: 'CloudEvent', description: 'One event of the catalog as a CloudEvents 1.0 JSON object' })
