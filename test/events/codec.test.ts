import { describe, expect, test } from 'vitest'
import {
  codec,
  decodeParsed,
  UnsupportedSchemaVersion,
  EventFormatError,
  type RawEvent,
} from '../../src/events/codec.ts'
import { schemaVersion, type NewEvent } from '../../src/events/events.ts'
import { nameUuid } from '../../src/shared/uuids.ts'
import { created, newEvent } from '../support/events.ts'

const place = { stream: 'thing-1', revision: 3n, position: 17n }
const raw = (event: NewEvent, changes: Partial<RawEvent> = {}): RawEvent => ({
  ...place,
  ...codec.encode(event),
  ...changes,
})
const withVersion = (event: NewEvent, version: unknown): Partial<RawEvent> => ({
  metadata: JSON.stringify({ ...event.metadata, schemaVersion: version }),
})

describe('the codec', () => {
  test('gives an event back as it was, with its place', () => {
    const event = created({ a: [1, { b: 'ü👍' }], c: null })
    expect(codec.decode(raw(event))).toEqual({ ...event, ...place })
  })

  test('revives an event that is parsed already', () => {
    const event = created({ a: 1 })
    const { id, type, metadata } = event
    const revived = decodeParsed({ ...place, id, type, data: event.data, metadata: { ...metadata } })
    expect(revived).toEqual({ ...event, ...place })
  })

  test.each(['Teleported', 'toString', '', 'created'])('refuses the unknown type %j and says where', (type) => {
    const decode = () => codec.decode(raw(created(), { type }))
    expect(decode).toThrow(EventFormatError)
    expect(decode).toThrow(`Event ${type} at position 17 (thing-1, revision 3) cannot be read: its type is unknown.`)
  })

  test('refuses a schema version of the future and says what to do', () => {
    const event = created()
    const decode = () => codec.decode(raw(event, withVersion(event, 4)))
    expect(decode).toThrow(UnsupportedSchemaVersion)
    expect(decode).toThrow('has schema version 4, and this version reads up to 3. Start the newer version')
  })

  test.each([undefined, null, 0, '1', 1.5])('refuses the schema version %j', (version) => {
    const event = created()
    expect(() => codec.decode(raw(event, withVersion(event, version)))).toThrow('no schemaVersion')
  })

  test.each([
    ['data', '{"name":', 'its data is not JSON'],
    ['data', '[]', 'its data is not a JSON object'],
    ['metadata', 'x', 'its metadata is not JSON'],
    ['metadata', 'null', 'no schemaVersion'],
  ])('refuses %s %j', (part, text, reason) => {
    expect(() => codec.decode(raw(created(), { [part]: text }))).toThrow(reason)
  })
})

describe('an event that does not say whether it was inherited', () => {
  const stream = 'thing-11111111-1111-5111-8111-111111111111'
  const time = '2026-11-22T10:00:00.000Z'
  const dataOf = (schemaVersion: number, type: 'SoftDeleted' | 'Restored' | 'HardDeleted', idOf: string) => {
    const event = newEvent({ type, data: { deletion: 'd' } }, { id: nameUuid(`event:${idOf}`) })
    const metadata = { ...event.metadata, schemaVersion, time, causationId: 'of the parent' }
    return codec.decode({ ...raw(event), stream, metadata: JSON.stringify(metadata) }).data
  }

  test.each([
    [1, '0'],
    [2, `${stream}:3`],
    [2, `${stream}:3:${time}`],
  ])('of schema version %i tells it by its id', (version, end) => {
    for (const type of ['SoftDeleted', 'Restored', 'HardDeleted'] as const) {
      const told = (idOf: string) => dataOf(version, type, idOf)
      expect(told(`of the parent:11111111-1111-5111-8111-111111111111:${end}`)).toEqual({
        deletion: 'd',
        inherited: true,
      })
      expect(told(`of another:11111111-1111-5111-8111-111111111111:${end}`)).toEqual({ deletion: 'd' })
      expect(told(`of the parent:22222222-1111-5111-8111-111111111111:${end}`)).toEqual({ deletion: 'd' })
      expect(told(`of the parent:${end}`)).toEqual({ deletion: 'd' })
    }
  })

  test('of the present schema version was not', () => {
    const id = `of the parent:11111111-1111-5111-8111-111111111111:${stream}:3:${time}`
    expect(dataOf(schemaVersion, 'Restored', id)).toEqual({ deletion: 'd' })
  })
})
