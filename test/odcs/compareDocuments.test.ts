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
  compareDocuments(old, now).map(({ subject, message }) => `${subject}: ${message}`)
const before = document([property('id', { required: true, unique: true, primaryKey: true }), property('note')])

it.each<[string, JsonObject, string[]]>([
  ['nothing', before, []],
  [
    'a property that is gone',
    document([property('id', { required: true, unique: true, primaryKey: true })]),
    ['orders.note: the property is gone'],
  ],
  [
    'another type',
    document([
      property('id', { required: true, unique: true, primaryKey: true }),
      property('note', { logicalType: 'date' }),
    ]),
    ['orders.note: was STRING and is DATE'],
  ],
  [
    'what is no longer promised',
    document([property('id'), property('note')]),
    [
      'orders.id: may be null now',
      'orders.id: need not be unique any more',
      'orders.id: is not in the primary key any more',
    ],
  ],
  [
    'a new property',
    document([property('id', { required: true, unique: true, primaryKey: true }), property('note'), property('at')]),
    [],
  ],
  ['another object', { ...before, schema: [{ name: 'sales' }] }, ['orders: the schema object is gone']],
  [
    'a slower service',
    { ...before, slaProperties: [{ property: 'latency', value: 9, unit: 'h' }] },
    ['latency: was 4 h and is 9 h'],
  ],
  ['another status', { ...before, status: 'deprecated' }, []],
])('a comparison tells what is broken by %s', (_, after, told) => {
  expect(differences(before, after)).toEqual(told)
})

const array = (items: JsonObject | undefined, more: JsonObject = {}): JsonObject =>
  document([property('tags', { logicalType: 'array', ...(items !== undefined && { items }), ...more })])
const text = { logicalType: 'string' }

it.each<[string, JsonObject, JsonObject, string[]]>([
  ['the items of an array', array(text), array({ logicalType: 'integer' }), ['orders.tags[]: was STRING and is INT']],
  [
    'the items of items',
    array({ logicalType: 'array', items: text }),
    array({ logicalType: 'array', items: { logicalType: 'date' } }),
    ['orders.tags[][]: was STRING and is DATE'],
  ],
  [
    'a member of the items',
    array({ logicalType: 'object', properties: [property('a', { required: true })] }),
    array({ logicalType: 'object', properties: [property('a')] }),
    ['orders.tags[].a: may be null now'],
  ],
  [
    'the physical type of items',
    array(undefined, { physicalType: 'text[]' }),
    array(undefined, { physicalType: 'int[]' }),
    ['orders.tags[]: was TEXT and is INT'],
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
    ['availability, o.id: was 99 and is 50'],
  ],
  [
    'of one of two drivers',
    levels(available(99, { driver: 'analytics' }), available(95, { driver: 'regulatory' })),
    levels(available(98, { driver: 'analytics' }), available(95, { driver: 'regulatory' })),
    ['availability, analytics: was 99 and is 98'],
  ],
  [
    'that stands twice',
    levels(available(99), available(95)),
    levels(available(90)),
    ['availability: was 99 and is 90', 'availability: the service level is gone'],
  ],
  [
    'with the same percentage in other words',
    levels(available(99.9, { unit: '%' }), available(95, { element: 'o.id' })),
    levels({ property: 'av', value: '99.9', unit: 'percent' }, { property: 'av', value: '95%', element: 'o.id' }),
    [],
  ],
  [
    'with other words about it',
    levels(available(99, { description: 'a', scheduler: 'cron', schedule: '0 1 * * *' })),
    levels(available(99, { description: 'b', schedule: '0 2 * * *' })),
    [],
  ],
  [
    'of the default element',
    { ...levels(available(99)), slaDefaultElement: 'o.id' },
    levels(available(90, { element: 'o.id' })),
    ['availability, o.id: was 99 and is 90'],
  ],
  [
    'with another second value',
    levels({ property: 'retention', value: 3, valueExt: 5, unit: 'y' }),
    levels({ property: 'retention', value: 3, valueExt: 4, unit: 'y' }),
    ['retention: was 3 5 y and is 3 4 y'],
  ],
  [
    'of the same duration in another unit',
    levels({ property: 'latency', value: 4, unit: 'h' }, { property: 'retention', value: '1', unit: 'd' }),
    levels({ property: 'latency', value: 240, unit: 'min' }, { property: 'retention', value: 25, unit: 'h' }),
    ['retention: was 1 d and is 25 h'],
  ],
  [
    'of the same months, or of a fraction of an hour, in another unit',
    levels({ property: 'retention', value: 12, unit: 'mo' }, { property: 'latency', value: 1.1, unit: 'h' }),
    levels({ property: 'retention', value: 1, unit: 'y' }, { property: 'latency', value: 66, unit: 'min' }),
    [],
  ],
  [
    'of days instead of months, of which none has a number of days',
    levels({ property: 'retention', value: 12, unit: 'mo' }, { property: 'latency', value: 1, unit: 'mo' }),
    levels({ property: 'retention', value: 360, unit: 'd' }, { property: 'latency', value: 30, unit: 'd' }),
    ['retention: was 12 mo and is 360 d', 'latency: was 1 mo and is 30 d'],
  ],
  [
    'under synonyms',
    levels({ property: 'Latency', value: 4 }, { property: 'tr', value: 1 }, available(1)),
    levels({ property: 'ly', value: 5 }, { property: 'timeToRepair', value: '1' }, available(1)),
    ['Latency: was 4 and is 5'],
  ],
])('a comparison tells what is broken by a service level %s', (_, old, now, told) =>
  expect(differences(old, now)).toEqual(told),
)

const column = (more: JsonObject): JsonObject => document([property('c', more)])
const rule = (more: JsonObject): JsonObject => ({ metric: 'nullValues', mustBe: 0, ...more })
const limited = (logicalTypeOptions: JsonObject): JsonObject => column({ logicalTypeOptions })

it.each<[string, JsonObject, JsonObject, string[]]>([
  [
    'a quality rule that is gone',
    column({ quality: [rule({}), rule({ name: 'few' })] }),
    column({ quality: [rule({})] }),
    ['orders.c, few: the quality rule is gone'],
  ],
  ['a quality rule that is new', column({}), column({ quality: [rule({})] }), []],
  [
    'a quality rule that demands something else',
    column({ quality: [rule({})] }),
    column({ quality: [rule({ mustBe: 9, description: 'few' })] }),
    ['orders.c, nullValues: mustBe was 0 and is 9'],
  ],
  [
    'a quality rule with another operator',
    column({ quality: [{ metric: 'nullValues', mustBe: 0 }] }),
    column({ quality: [{ metric: 'nullValues', mustBeLessThan: 5 }] }),
    ['orders.c, nullValues: mustBe is gone'],
  ],
  [
    'a quality rule of an object',
    { schema: [{ name: 'orders', quality: [{ metric: 'rowCount', mustBeGreaterThan: 1 }] }] },
    { schema: [{ name: 'orders' }] },
    ['orders, rowCount: the quality rule is gone'],
  ],
  [
    'another description of a rule without a name',
    column({ quality: [{ type: 'custom', engine: 'soda', implementation: 'x', description: 'a' }] }),
    column({ quality: [{ type: 'custom', engine: 'soda', implementation: 'x', description: 'b' }] }),
    [],
  ],
  [
    'another demand in words',
    column({ quality: [{ type: 'text', description: 'never empty' }] }),
    column({ quality: [{ type: 'text', description: 'rarely empty' }] }),
    ['orders.c, never empty: description was never empty and is rarely empty'],
  ],
  [
    'no change of rules of one metric in another order',
    column({ quality: [rule({}), rule({ mustBe: 5, unit: 'percent' })] }),
    column({ quality: [rule({ mustBe: 5, unit: 'percent' }), rule({})] }),
    [],
  ],
  [
    'one of several rules of one metric that is gone, whichever',
    column({ quality: [rule({ mustBe: 5 }), rule({}), rule({ mustBe: 6 })] }),
    column({ quality: [rule({ mustBe: 6 }), rule({ mustBe: 0, description: 'a' })] }),
    ['orders.c, nullValues: the quality rule is gone'],
  ],
  [
    'a physical type that is new',
    column({ logicalType: 'integer' }),
    column({ logicalType: 'integer', physicalType: 'bigint' }),
    [],
  ],
  [
    'a new physical type of another sort, and one that is gone',
    document([property('c', { logicalType: 'integer' }), property('d', { physicalType: 'varchar(20)' })]),
    document([property('c', { logicalType: 'integer', physicalType: 'decimal' }), property('d')]),
    ['orders.c: was INT and is DECIMAL', 'orders.d: was VARCHAR and is STRING'],
  ],
  [
    'a column added to the primary key',
    column({}),
    column({ primaryKey: true }),
    ['orders.c: is in the primary key now'],
  ],
  [
    'another position in the primary key',
    column({ primaryKey: true, primaryKeyPosition: 1 }),
    column({ primaryKey: true, primaryKeyPosition: 2 }),
    ['orders.c: primaryKeyPosition was 1 and is 2'],
  ],
  ['no position outside the primary key', column({ primaryKeyPosition: -1 }), column({}), []],
  ['what is promised in addition', column({ required: false }), column({ required: true, unique: true }), []],
  [
    'another logical type of the same physical type',
    column({ logicalType: 'number', physicalType: 'numeric' }),
    column({ logicalType: 'string', physicalType: 'numeric' }),
    ['orders.c: logicalType was number and is string'],
  ],
  [
    'another size',
    column({ physicalType: 'numeric(10,2)' }),
    column({ physicalType: 'numeric(5,1)' }),
    ['orders.c: physicalType was numeric(10,2) and is numeric(5,1)'],
  ],
  [
    'a size that is no longer promised',
    column({ physicalType: 'varchar(9)' }),
    column({ physicalType: 'varchar' }),
    ['orders.c: physicalType was varchar(9) and is varchar'],
  ],
  [
    'another spelling of the same type',
    column({ physicalType: 'numeric(10,2)' }),
    column({ physicalType: 'NUMERIC(10, 2)' }),
    [],
  ],
  [
    'another limit, and one that is gone',
    limited({ maxLength: 9, minLength: 1 }),
    limited({ maxLength: 5 }),
    ['orders.c: maxLength was 9 and is 5', 'orders.c: minLength is gone'],
  ],
  ['limits that are gone', limited({ minimum: 0 }), column({}), ['orders.c: minimum is gone']],
  ['a new limit', column({}), limited({ maxLength: 5 }), []],
  [
    'other texts',
    column({ description: 'a', tags: ['a'], examples: [1] }),
    column({ description: 'b', examples: [2], classification: 'public' }),
    [],
  ],
  [
    'other members of an object',
    { schema: [{ name: 'orders', physicalName: 'a' }] },
    { schema: [{ name: 'orders', physicalName: 'b' }] },
    [],
  ],
  ['any other member of the contract', { price: { priceAmount: 1 } }, { price: { priceAmount: 2 } }, []],
])('a comparison tells what is broken by %s', (_, old, now, told) => expect(differences(old, now)).toEqual(told))
