import { z } from 'zod'
import fc from '../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { cloudEventSchema } from '../../../src/events/eventSchemas.ts'
import { eventTypes, verbs } from '../../../src/events/verbs.ts'
import type { CatalogEvent, RecordedEvent } from '../../../src/events/events.ts'
import { exampleData, freshStream, recordedEvent } from '../../support/events.ts'
import { write } from './support.ts'

const eventMetadataSchema = z.strictObject({
  kind: z.string(),
  fullyQualifiedName: z.string(),
  version: z.int().min(1),
  user: z.string(),
  time: z.iso.datetime(),
  correlationId: z.string(),
  clientCorrelationId: z.string().optional(),
  machineTime: z.iso.datetime().optional(),
  causationId: z.string(),
  condition: z.looseObject({}).optional(),
  schemaVersion: z.int().min(1),
  previousHash: z.string().length(64).optional(),
  hash: z.string().length(64),
})

const recorded = (event: CatalogEvent, name = 'a.b'): RecordedEvent =>
  recordedEvent(event, { stream: freshStream('apple'), name, position: 12n })

test.each(eventTypes)('%s has a schema, and its CloudEvent is one', (type) => {
  const event = recorded({ type, data: exampleData[type] } as CatalogEvent)
  expect(verbs[type].schema.parse(event.data)).toEqual(event.data)
  expect(eventMetadataSchema.parse(event.metadata)).toEqual(event.metadata)
  const cloudEvent = cloudEventSchema.parse(JSON.parse(write(event, 11)))
  expect(cloudEvent).toMatchObject({
    id: event.id,
    source: '/api/v1/apples',
    type: `catalog.apple.${type}`,
    subject: 'a.b',
    dataschema: `urn:catalog:event:apple:${type}:1`,
    position: '12',
    entityid: event.stream.slice('apple-'.length),
    entityversion: '0.1',
    revision: '0',
    schemaversion: String(event.metadata.schemaVersion),
    actor: 'tester',
    data: event.data,
    correlationid: event.metadata.correlationId,
    causationid: event.metadata.causationId,
    hash: event.metadata.hash,
    leafindex: '11',
    time: event.metadata.time,
  })
})

test('any name survives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const event = recorded({ type: 'Created', data: { name, members: {} } }, name)
      expect(JSON.parse(write(event, undefined))).toMatchObject({ subject: name, data: { name } })
    }),
    { numRuns: 30 },
  )
})

test('sealed secrets are masked', () => {
  const event = recorded({
    type: 'Created',
    data: { name: 'n', members: { connection: { password: { $sealed: 'v1:x:y' } } } },
  })
  expect(JSON.parse(write(event, undefined))).toMatchObject({
    data: { name: 'n', members: { connection: { password: '********' } } },
  })
})
