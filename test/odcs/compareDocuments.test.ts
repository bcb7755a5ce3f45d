import { expect, it } from 'vitest'
import { compareDocuments } from '../../src/odcs/compareDocuments.ts'
import type { JsonObject } from '../../src/odcs/model/types.ts'

const property = (name: string, more: JsonObject = {}): JsonObject => ({ name, logicalType: 'string', ...more })
const document = (properties: JsonObject[], more: JsonObject = {}): JsonObject => ({
  status: 'active',
  schema: [{ name: 'orders', properties }],
  slaProperties: [{ property: 'latency', value: 4, unit: 'h' }],
  ...more,
})
const before = document([property('id', { required: true, unique: true, primaryKey: true }), property('note')])

it.each<[string, JsonObject, string[]]>([
  ['nothing', before, []],
  [
    'a property that is gone',
    document([property('id', { required: true, unique: true, primaryKey: true })]),
    ['! orders.note: the property is gone'],
  ],
  [
    'another type',
    document([
      property('id', { required: true, unique: true, primaryKey: true }),
      property('note', { logicalType: 'date' }),
    ]),
    ['! orders.note: was STRING and is DATE'],
  ],
  [
    'what is no longer promised',
    document([property('id'), property('note')]),
    [
      '! orders.id: may be null now',
      '! orders.id: need not be unique any more',
      '! orders.id: is not in the primary key any more',
    ],
  ],
  [
    'a new property',
    document([property('id', { required: true, unique: true, primaryKey: true }), property('note'), property('at')]),
    ['orders.at: the property is new'],
  ],
  [
    'another object',
    { ...before, schema: [{ name: 'sales' }] },
    ['! orders: the schema object is gone', 'sales: the schema object is new'],
  ],
  [
    'a slower service',
    { ...before, slaProperties: [{ property: 'latency', value: 9, unit: 'h' }] },
    ['! latency: was 4 "h" and is 9 "h"'.replaceAll('"', '')],
  ],
  ['another status', { ...before, status: 'deprecated' }, ['status: is another one']],
])('a comparison tells %s', (_, after, told) => {
  const changes = compareDocuments(before, after)
  expect(changes.map(({ breaking, subject, message }) => `${breaking ? '! ' : ''}${subject}: ${message}`)).toEqual(told)
})
