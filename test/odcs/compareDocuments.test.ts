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
const differences = (old: JsonObject, now: JsonObject): string[] =>
  compareDocuments(old, now).map(({ breaking, subject, message }) => `${breaking ? '! ' : ''}${subject}: ${message}`)
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
    ['! latency: was 4 h and is 9 h'],
  ],
  ['another status', { ...before, status: 'deprecated' }, ['status: is another one']],
])('a comparison tells %s', (_, after, told) => {
  expect(differences(before, after)).toEqual(told)
})

const array = (items: JsonObject | undefined, more: JsonObject = {}): JsonObject =>
  document([property('tags', { logicalType: 'array', ...(items !== undefined && { items }), ...more })])
const text = { logicalType: 'string' }

it.each<[string, JsonObject, JsonObject, string[]]>([
  ['the items of an array', array(text), array({ logicalType: 'integer' }), ['! orders.tags[]: was STRING and is INT']],
  [
    'the items of items',
    array({ logicalType: 'array', items: text }),
    array({ logicalType: 'array', items: { logicalType: 'date' } }),
    ['! orders.tags[][]: was STRING and is DATE'],
  ],
  [
    'a member of the items',
    array({ logicalType: 'object', properties: [property('a', { required: true })] }),
    array({ logicalType: 'object', properties: [property('a')] }),
    ['! orders.tags[].a: may be null now'],
  ],
  [
    'the physical type of items',
    array(undefined, { physicalType: 'text[]' }),
    array(undefined, { physicalType: 'int[]' }),
    ['! orders.tags[]: was TEXT and is INT'],
  ],
  ['items whose type was not promised', array(undefined), array(text), []],
])('a comparison tells another type of %s', (_, old, now, told) => expect(differences(old, now)).toEqual(told))

const levels = (...slaProperties: JsonObject[]): JsonObject => ({ slaProperties })
const available = (value: number, more: JsonObject = {}): JsonObject => ({ property: 'availability', value, ...more })

it.each<[string, JsonObject, JsonObject, string[]]>([
  [
    'of one of two elements',
    levels(available(99, { element: 'o.id' }), available(95, { element: 'o.tags' })),
    levels(available(95, { element: 'o.tags' }), available(50, { element: 'o.id' })),
    ['! availability, o.id: was 99 and is 50'],
  ],
  [
    'of one of two drivers',
    levels(available(99, { driver: 'analytics' }), available(95, { driver: 'regulatory' })),
    levels(available(98, { driver: 'analytics' }), available(95, { driver: 'regulatory' })),
    ['! availability, analytics: was 99 and is 98'],
  ],
  [
    'that stands twice',
    levels(available(99), available(95)),
    levels(available(90)),
    ['! availability: was 99 and is 90', '! availability: the service level is gone'],
  ],
  [
    'of the default element',
    { ...levels(available(99)), slaDefaultElement: 'o.id' },
    levels(available(90, { element: 'o.id' })),
    ['! availability, o.id: was 99 and is 90'],
  ],
  [
    'with another second value',
    levels({ property: 'retention', value: 3, valueExt: 5, unit: 'y' }),
    levels({ property: 'retention', value: 3, valueExt: 4, unit: 'y' }),
    ['! retention: was 3 5 y and is 3 4 y'],
  ],
  [
    'of the same duration in another unit',
    levels({ property: 'latency', value: 4, unit: 'h' }, { property: 'retention', value: '1', unit: 'd' }),
    levels({ property: 'latency', value: 240, unit: 'min' }, { property: 'retention', value: 25, unit: 'h' }),
    ['! retention: was 1 d and is 25 h'],
  ],
  [
    'under synonyms',
    levels({ property: 'Latency', value: 4 }, { property: 'tr', value: 1 }, available(1)),
    levels({ property: 'ly', value: 5 }, { property: 'timeToRepair', value: '1' }, available(1)),
    ['! Latency: was 4 and is 5'],
  ],
])('a comparison tells a service level %s', (_, old, now, told) => expect(differences(old, now)).toEqual(told))
