import { describe, expect, it } from 'vitest'
import { fieldsOfSchema } from '../../src/kinds/schemaText/readSchemaText.ts'
import { SchemaTextError } from '../../src/kinds/schemaText/node.ts'
import { limits } from '../../src/shared/limits.ts'
import type { Json, JsonObject } from '../../src/shared/json.ts'
import { atThisPace, processorTimeAtBest } from '../support/processorTime.ts'

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const named = <T>(prefix: string, count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, (index) => [`${prefix}${index}`, make(index)]))

const record = (name: string, fields: Json[]): Json => ({ type: 'record', name, fields })

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` })

/** Each is small, or at most one body, and would take seconds, gigabytes or for ever to expand. */
const hostile: readonly [string, string, Json | string][] = [
  [
    'JSON',
    'definitions that all refer to each other under allOf',
    {
      allOf: times(6, (at) => ref(`d${at}`)),
      $defs: named('d', 6, () => ({ allOf: times(6, (at) => ref(`d${at}`)) })),
    },
  ],
  [
    'JSON',
    'a ladder of choices',
    { ...ref('d0'), $defs: named('d', 38, (at) => ({ oneOf: [ref(`d${at + 1}`), ref(`d${at + 1}`)] })) },
  ],
  [
    'JSON',
    'many uses of a definition with many properties under allOf',
    { allOf: times(20_000, () => ref('wide')), $defs: { wide: { properties: named('p', 5000, () => ({})) } } },
  ],
  [
    'JSON',
    'a ladder of records of either kind',
    {
      ...ref('d0'),
      $defs: named('d', 38, (at) => ({ type: 'object', oneOf: [ref(`d${at + 1}`), ref(`d${at + 1}`)] })),
    },
  ],
  [
    'JSON',
    'records whose alternatives are each other',
    {
      ...ref('d0'),
      $defs: named('d', 12, () => ({
        properties: named('p', 12, (at) => ref(`d${at}`)),
        oneOf: times(12, (at) => ref(`d${at}`)),
      })),
    },
  ],
  ['JSON', 'an id within 60,000 ids', `${'{"$id":"a/","x":'.repeat(60_000)}{}${'}'.repeat(60_000)}`],
  [
    'JSON',
    'a long id and many references to what it stands for',
    { $id: `http://x.org/${'i'.repeat(400_000)}`, properties: named('p', 9000, (at) => ({ $ref: `x${at}#/y` })) },
  ],
  [
    'JSON',
    'many anchors and as many references to none of them',
    {
      properties: named('p', 9000, () => ({ $ref: '#nowhere' })),
      $defs: named('d', 15_000, (at) => ({ $anchor: `a${at}` })),
    },
  ],
  [
    'JSON',
    'a long reference that is used again and again',
    {
      properties: named('p', 9000, () => ref('far')),
      $defs: { far: { $ref: `#/$defs/${'a/'.repeat(200_000)}` } },
    },
  ],
  [
    'JSON',
    'a long list of types that is used again and again',
    { properties: named('p', 9000, () => ref('many')), $defs: { many: { type: times(80_000, () => 'string') } } },
  ],
  ['JSON', 'more properties than a schema may have', { properties: named('p', 40_000, () => ({})) }],
  [
    'Avro',
    'a large union that is used again and again',
    [
      record('U', [{ name: 'u', type: times(3000, (at) => `some.long.name.Type${at}`) }]),
      record(
        'R',
        times(1500, (at): Json => ({ name: `f${at}`, type: 'U' })),
      ),
    ],
  ],
  [
    'Avro',
    'a long description that is used again and again',
    [
      record('U', [{ name: 'u', type: 'int', doc: 'd'.repeat(500_000) }]),
      record(
        'R',
        times(2000, (at): Json => ({ name: `f${at}`, type: 'U' })),
      ),
    ],
  ],
  [
    'Avro',
    'a long logical type that is used again and again',
    [
      record('U', [{ name: 'u', type: { type: 'int', logicalType: 'l'.repeat(500_000) } }]),
      record(
        'R',
        times(5000, (at): Json => ({ name: `f${at}`, type: 'U' })),
      ),
    ],
  ],
  [
    'Avro',
    'a long namespace that is used again and again',
    [
      {
        ...(record(
          'U',
          times(9000, (at): Json => ({ name: `f${at}`, type: 'V' })),
        ) as JsonObject),
        namespace: 'n'.repeat(500_000),
      },
    ],
  ],
  ['Avro', 'a type within 45,000 types', `${'{"type":'.repeat(45_000)}"int"${'}'.repeat(45_000)}`],
  [
    'Protobuf',
    'many messages with fields of types that it does not have',
    `syntax = "proto3"; ${times(1500, (at) => `message M${at} { foo.Bar${at} b = 1; X${at} c = 2; }`).join('\n')}`,
  ],
  [
    'Protobuf',
    'messages that all use each other',
    `syntax = "proto3"; ${times(60, (m) => `message M${m} { ${times(60, (f) => `M${f} f${f} = ${f + 1};`).join('')} }`).join('\n')}`,
  ],
]

const sizeOf = (fields: readonly JsonObject[]): number =>
  fields.reduce((sum, field) => sum + 1 + sizeOf((field['children'] ?? []) as JsonObject[]), 0)

describe('A schema text that costs far more to expand than to send', () => {
  it.each(hostile)('is read in part or refused: %s with %s', (type, _, schema) => {
    const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
    const read = (): void => {
      try {
        const fields = fieldsOfSchema(type, text) ?? []
        expect(sizeOf(fields)).toBeLessThanOrEqual(limits.schemaFields.value)
        expect(JSON.stringify(fields).length).toBeLessThan(4 * 1024 * 1024)
      } catch (error) {
        expect(error).toBeInstanceOf(SchemaTextError)
      }
    }
    expect(processorTimeAtBest(read)).toBeLessThan(atThisPace(2000))
  })
})
