import fc from '../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/shared/json.ts'
import { fieldsOfSchema } from '../../src/kinds/schemaText/readSchemaText.ts'
import { SchemaTextError } from '../../src/kinds/schemaText/node.ts'
import { limits } from '../../src/shared/limits.ts'
import { outline, parsed } from './support.ts'

const avro = (schema: Json) =>
  outline(fieldsOfSchema('Avro', typeof schema === 'string' ? schema : JSON.stringify(schema)))
/** A record of Avro with these fields. */
const record = (name: string, fields: Readonly<Record<string, Json>>, more: JsonObject = {}): JsonObject => ({
  type: 'record',
  name,
  ...more,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
})

const json = (schema: Json) => outline(fieldsOfSchema('JSON', JSON.stringify(schema)))
const proto = (text: string) => outline(fieldsOfSchema('Protobuf', text))

const count = (fields: readonly JsonObject[]): number =>
  fields.reduce((sum, field) => sum + 1 + count((field['children'] ?? []) as JsonObject[]), 0)

describe('Avro', () => {
  it('gives one root with the record’s fields', () =>
    expect(
      fieldsOfSchema(
        'Avro',
        JSON.stringify({
          namespace: 'org.shop',
          name: 'Customer',
          type: 'record',
          doc: 'Who buys',
          fields: [
            { name: 'id', type: 'int', doc: 'Number' },
            { name: 'email', type: ['null', 'string'], default: null },
          ],
        }),
      ),
    ).toEqual([
      {
        name: 'Customer',
        dataType: 'RECORD',
        description: 'Who buys',
        children: [
          { name: 'id', dataType: 'INT', description: 'Number' },
          { name: 'email', dataType: 'STRING', dataTypeDisplay: 'union<null, string>' },
        ],
      },
    ]))

  it('reads nested records, arrays, maps, enums, fixed and logical types', () =>
    expect(
      avro(
        record('Order', {
          id: { type: 'string', logicalType: 'uuid' },
          placed: { type: 'long', logicalType: 'timestamp-micros' },
          day: { type: 'int', logicalType: 'date' },
          total: { type: 'bytes', logicalType: 'decimal', precision: 12, scale: 2 },
          lines: { type: 'array', items: record('Line', { sku: 'string', count: 'int' }) },
          prices: { type: 'map', values: 'double' },
          by_sku: { type: 'map', values: 'Line' },
          status: { type: 'enum', name: 'Status', symbols: ['NEW', 'PAID'] },
          hash: { type: 'fixed', name: 'Md5', size: 16 },
          address: ['null', record('Address', { city: 'string' })],
          payment: [record('Card', { number: 'string' }), 'string', 'Address'],
        }),
      ),
    ).toEqual([
      {
        'Order RECORD': [
          'id STRING (uuid)',
          'placed TIMESTAMP (timestamp-micros)',
          'day DATE',
          'total BYTES (decimal(12,2))',
          { 'lines ARRAY (array<Line>)': ['sku STRING', 'count INT'] },
          'prices MAP (map<double>)',
          { 'by_sku MAP (map<Line>)': ['sku STRING', 'count INT'] },
          'status ENUM',
          'hash FIXED',
          { 'address RECORD (union<null, Address>)': ['city STRING'] },
          {
            'payment UNION (union<Card, string, Address>)': [
              { 'Card RECORD': ['number STRING'] },
              { 'Address RECORD': ['city STRING'] },
            ],
          },
        ],
      },
    ]))

  it('finds named types in their namespaces, also those that come later', () =>
    expect(
      avro([
        record('A', { b: 'B', c: 'y.C', d: 'C' }, { namespace: 'x' }),
        record('x.B', { n: 'int' }),
        record('C', { m: 'long' }, { namespace: 'y' }),
      ]),
    ).toEqual([
      { 'A RECORD': [{ 'b RECORD (B)': ['n INT'] }, { 'c RECORD (C)': ['m LONG'] }, 'd UNKNOWN (C)'] },
      { 'B RECORD': ['n INT'] },
      { 'C RECORD': ['m LONG'] },
    ]))

  it('takes an empty namespace for none', () =>
    expect(
      avro(
        record(
          'R',
          {
            x: record('In', { q: 'int' }, { namespace: '' }),
            y: 'a.In',
            z: { type: 'array', items: record('a.b.In', { p: 'long', own: 'In' }) },
          },
          { namespace: 'a' },
        ),
      ),
    ).toEqual([
      {
        'R RECORD': [
          { 'x RECORD': ['q INT'] },
          'y UNKNOWN (a.In)',
          { 'z ARRAY (array<In>)': ['p LONG', 'own RECORD (In)'] },
        ],
      },
    ]))

  it('ignores logical types that are not valid, and shows those that it does not know', () => {
    const decimal = (more: JsonObject): JsonObject => ({ type: 'bytes', logicalType: 'decimal', ...more })
    expect(
      avro(
        record('R', {
          none: decimal({}),
          wide: decimal({ precision: 4, scale: 9 }),
          half: decimal({ precision: 4, scale: 0.5 }),
          whole: decimal({ precision: 4 }),
          fixed: { type: 'fixed', name: 'F', size: 8, logicalType: 'decimal', precision: 9, scale: 9 },
          day: { type: 'string', logicalType: 'date' },
          at: { type: 'int', logicalType: 'timestamp-millis' },
          id: { type: 'fixed', name: 'U', size: 16, logicalType: 'uuid' },
          own: { type: 'string', logicalType: 'toString' },
        }),
      ),
    ).toEqual([
      {
        'R RECORD': [
          'none BYTES',
          'wide BYTES',
          'half BYTES',
          'whole BYTES (decimal(4,0))',
          'fixed FIXED (decimal(9,9))',
          'day STRING',
          'at INT',
          'id FIXED (uuid)',
          'own STRING (toString)',
        ],
      },
    ])
  })

  it('tolerates what other subjects define', () =>
    expect(avro(record('A', { money: 'com.acme.Money', all: { type: 'array', items: 'com.acme.Money' } }))).toEqual([
      { 'A RECORD': ['money UNKNOWN (com.acme.Money)', 'all ARRAY (array<com.acme.Money>)'] },
    ]))

  it('does not follow types into themselves', () =>
    expect(
      avro(record('Node', { value: 'int', next: ['null', 'Node'], all: { type: 'array', items: 'Node' } })),
    ).toEqual([{ 'Node RECORD': ['value INT', 'next RECORD (union<null, Node>)', 'all ARRAY (array<Node>)'] }]))

  it('takes schemas that are not records', () => {
    expect(avro('"string"')).toEqual(['string STRING'])
    expect(avro('string')).toEqual(['string STRING'])
    expect(avro({ type: 'enum', name: 'Status', symbols: [] })).toEqual(['Status ENUM'])
    expect(avro({ type: { type: 'record', name: 'Inner', fields: [] } })).toEqual(['Inner RECORD'])
  })

  it.each([
    ['{', 'is not JSON: Expected'],
    ['', 'is not JSON: Unexpected end'],
    ['5', 'must be a type, a union or a record'],
    ['{"type":"record","name":"A"}', 'record A has no fields'],
    ['{"type":"record","fields":[]}', 'a record without a name'],
    ['{"type":"record","name":"A","fields":[{"type":"int"}]}', 'record A has a field without a name'],
    ['{"type":"record","name":"A","fields":[{"name":"x"}]}', 'field A.x has no type'],
    ['{"type":"record","name":"A","fields":[{"name":"x","type":{"type":"array"}}]}', 'an array without items'],
    ['{"name":"A"}', 'an object without a type, A'],
    ['[5]', '5 is not a type'],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => fieldsOfSchema('Avro', text)).toThrow(SchemaTextError)
    expect(() => fieldsOfSchema('Avro', text)).toThrow(message)
  })

  it('reads what nests very deep', () => {
    const deep = `${'{"type":"array","items":'.repeat(5000)}"int"${'}'.repeat(5000)}`
    expect(avro(deep)).toHaveLength(1)
  })
})

describe('names and words that no member takes', () => {
  const name = `a\0b::c${'😀'.repeat(300)}`
  const said = 'half \ud800 and \0'

  it.each([
    [
      'Avro',
      { type: 'record', name, doc: said, fields: [{ name, type: { type: 'string', logicalType: said }, doc: said }] },
    ],
    ['Avro', { type: 'record', name: 'org.', fields: [] }],
    [
      'JSON',
      { title: name, description: said, properties: { [name]: { type: 'string', format: said, description: said } } },
    ],
    ['JSON', { title: '', type: 'object' }],
  ])('are mended in %s', (type, schema) => {
    const schemaText = JSON.stringify(schema)
    const schemaFields = fieldsOfSchema(type, schemaText) ?? []
    parsed('topic', { messageSchema: { schemaType: type, schemaText, schemaFields } }, 'patch')
  })
})

describe('JSON Schema', () => {
  it('gives one root with the properties', () =>
    expect(
      fieldsOfSchema(
        'JSON',
        JSON.stringify({
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          title: 'Person',
          description: 'Somebody',
          type: 'object',
          required: ['age'],
          properties: { age: { type: 'integer', description: 'In years', minimum: 0 }, name: { type: 'string' } },
        }),
      ),
    ).toEqual([
      {
        name: 'Person',
        dataType: 'RECORD',
        description: 'Somebody',
        children: [
          { name: 'age', dataType: 'INT', description: 'In years' },
          { name: 'name', dataType: 'STRING' },
        ],
      },
    ]))

  it('reads formats, arrays, maps, enums, nullable types and unions', () =>
    expect(
      json({
        $id: 'https://example.org/schemas/order.schema.json',
        type: 'object',
        properties: {
          at: { type: 'string', format: 'date-time' },
          day: { type: 'string', format: 'date' },
          mail: { type: 'string', format: 'email' },
          price: { type: 'number' },
          paid: { type: 'boolean' },
          nothing: { type: 'null' },
          maybe: { type: ['string', 'null'] },
          either: { type: ['string', 'integer'] },
          status: { enum: ['new', 'paid'] },
          fixed: { const: 3 },
          any: {},
          yes: true,
          tags: { type: 'array', items: { type: 'string' } },
          lines: { items: { type: 'object', properties: { sku: { type: 'string' } } } },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          choice: { oneOf: [{ type: 'null' }, { type: 'integer' }] },
          payment: {
            anyOf: [{ title: 'Card', type: 'object', properties: { number: { type: 'string' } } }, { type: 'string' }],
          },
        },
      }),
    ).toEqual([
      {
        'order RECORD': [
          'at TIMESTAMP (date-time)',
          'day DATE',
          'mail STRING (email)',
          'price DOUBLE',
          'paid BOOLEAN',
          'nothing NULL',
          'maybe STRING',
          'either UNION',
          'status ENUM',
          'fixed INT',
          'any UNKNOWN',
          'yes UNKNOWN',
          'tags ARRAY (array<string>)',
          { 'lines ARRAY (array<record>)': ['sku STRING'] },
          'labels MAP (map<string>)',
          'choice INT',
          { 'payment UNION (union<record, string>)': [{ 'Card RECORD': ['number STRING'] }] },
        ],
      },
    ]))

  it('follows references inside the document, adds up allOf, and stops at itself', () =>
    expect(
      json({
        title: 'Tree',
        type: 'object',
        $defs: {
          node: {
            $anchor: 'n',
            type: 'object',
            properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
          },
          'a/b': { type: 'string' },
        },
        properties: {
          root: { $ref: '#/$defs/node' },
          again: { $ref: '#n' },
          odd: { $ref: '#/$defs/a~1b' },
          self: { $ref: '#' },
          far: { $ref: 'https://other.example.org/x.json' },
          missing: { $ref: '#/$defs/none' },
        },
        allOf: [{ properties: { extra: { type: 'boolean' } } }, { $ref: '#/$defs/node' }],
      }),
    ).toEqual([
      {
        'Tree RECORD': [
          'value INT',
          { 'next RECORD (node)': ['value INT', 'next RECORD (node)'] },
          'extra BOOLEAN',
          { 'root RECORD (node)': ['value INT', 'next RECORD (node)'] },
          { 'again RECORD (n)': ['value INT', 'next RECORD (node)'] },
          'odd STRING (a~1b)',
          'self RECORD (Tree)',
          'far UNKNOWN (https://other.example.org/x.json)',
          'missing UNKNOWN (#/$defs/none)',
        ],
      },
    ]))

  it('has a root for each alternative of a choice', () =>
    expect(
      json({
        oneOf: [{ $ref: '#/definitions/A' }, { title: 'B', type: 'object', properties: { y: { type: 'string' } } }],
        definitions: { A: { type: 'object', properties: { x: { type: 'string' } } } },
      }),
    ).toEqual([{ 'A RECORD': ['x STRING'] }, { 'B RECORD': ['y STRING'] }]))

  it('has the fields of all alternatives of a record, once', () => {
    const either = (...schemas: Json[]): JsonObject => ({ type: 'object', oneOf: schemas })
    const alternative = (properties: JsonObject): JsonObject => ({ properties })
    const [text, whole] = [{ type: 'string' }, { type: 'integer' }]
    expect(
      json({
        title: 'A',
        type: 'object',
        properties: {
          payment: either({ $ref: '#/$defs/Card' }, alternative({ iban: text })),
          event: {
            properties: { kind: { enum: ['a', 'b'] }, data: { type: 'object', properties: { id: text } }, at: {} },
            anyOf: [
              alternative({ kind: { const: 'a' }, data: alternative({ sum: whole }), value: text, same: whole }),
              alternative({ kind: { const: 'b' }, at: text, value: whole, same: { type: ['integer', 'null'] } }),
            ],
          },
          labels: { ...either({ required: ['x'] }), additionalProperties: text },
          loose: { type: ['object', 'string'], properties: { x: text } },
          later: JSON.parse(
            '{"type":"object","if":{"properties":{"x":{}}},"then":{"properties":{"y":{"type":"string"}}}}',
          ),
        },
        allOf: [{ oneOf: [alternative({ p: text })] }, { oneOf: [alternative({ q: text }), { $ref: '#' }] }],
        $defs: {
          Card: { allOf: [{ $ref: '#/$defs/Base' }], oneOf: [alternative({ number: text })] },
          Base: { $ref: '#/$defs/Root' },
          Root: alternative({ holder: text }),
        },
      }),
    ).toEqual([
      {
        'A RECORD': [
          { 'payment RECORD': ['holder STRING', 'number STRING', 'iban STRING'] },
          {
            'event RECORD': [
              'kind ENUM',
              { 'data RECORD': ['id STRING', 'sum INT'] },
              'at STRING',
              'value UNION (union<string, int>)',
              'same INT',
            ],
          },
          'labels MAP (map<string>)',
          { 'loose UNION': ['x STRING'] },
          { 'later RECORD': ['y STRING'] },
          'p STRING',
          'q STRING',
        ],
      },
    ])
  })

  it('takes no ids from data, but from properties that are called like keywords of data', () =>
    expect(
      json({
        title: 'E',
        examples: [{ id: '#d' }],
        properties: { p: { $ref: '#d' }, q: { $ref: '#e' }, default: { $id: '#e', type: 'integer' } },
        definitions: { d: { $id: '#d', type: 'boolean' } },
      }),
    ).toEqual([{ 'E RECORD': ['p BOOLEAN (d)', 'q INT (e)', 'default INT'] }]))

  it('adds up a reference and what stands beside it', () =>
    expect(
      json({
        title: 'A',
        $ref: '#/$defs/Base',
        oneOf: [{ properties: { y: { type: 'string' } } }, { properties: { z: { type: 'string' } } }],
        properties: {
          a: { $ref: '#/$defs/Base', properties: { x: { type: 'string' } } },
          b: { allOf: [{ $ref: '#/$defs/Chain', properties: { own: { type: 'string' } } }] },
          c: { $ref: '#/$defs/none', properties: { x: { type: 'string' } } },
        },
        $defs: { Chain: { $ref: '#/$defs/Base' }, Base: { type: 'object', properties: { id: { type: 'integer' } } } },
      }),
    ).toEqual([
      {
        'A RECORD': [
          'id INT',
          { 'a RECORD': ['id INT', 'x STRING'] },
          { 'b RECORD': ['id INT', 'own STRING'] },
          { 'c RECORD': ['x STRING'] },
          'y STRING',
          'z STRING',
        ],
      },
    ]))

  it.each<[string, JsonObject, Json[]]>([
    [
      'of draft 4',
      {
        id: 'http://x.org/order.json#',
        properties: {
          a: { $ref: 'http://x.org/order.json#/definitions/A' },
          b: { $ref: '#addr' },
          c: { $ref: 'order.json' },
        },
        definitions: { A: { type: 'integer' }, addr: { id: '#addr', type: 'boolean' } },
      },
      ['a INT (A)', 'b BOOLEAN (addr)', 'c RECORD (A)'],
    ],
    [
      'of a bundle',
      {
        $id: 'https://x.org/schemas/order',
        properties: { to: { $ref: '/schemas/address' }, state: { $ref: 'address#/definitions/state' } },
        $defs: {
          address: {
            $id: '/schemas/address',
            properties: {
              state: { $ref: '#/definitions/state' },
              zip: { $ref: '#zip' },
              all: { $ref: 'order#/$defs/n' },
            },
            definitions: { state: { enum: ['NY'] }, zip: { $anchor: 'zip', type: 'integer' } },
          },
          n: { type: 'number' },
        },
      },
      [{ 'to RECORD (address)': ['state ENUM', 'zip INT', 'all DOUBLE (n)'] }, 'state ENUM'],
    ],
    [
      'with ids that say nothing about where they are',
      {
        $id: 'urn:x:order',
        properties: {
          a: { $ref: '#/definitions/A' },
          b: { id: 'b', items: { $ref: '#/definitions/A' } },
          c: { $ref: 'c.json' },
        },
        definitions: { A: { $id: 'http://[', type: 'integer' } },
      },
      ['a INT (A)', 'b ARRAY (array<A>)', 'c UNKNOWN (c.json)'],
    ],
  ])('follows references by the ids %s', (_, schema, fields) =>
    expect(json({ title: 'A', type: 'object', ...schema })).toEqual([{ 'A RECORD': fields }]),
  )

  it.each([
    ['[]', 'must be an object'],
    ['null', 'must be an object'],
    ['{"a":', 'is not JSON'],
  ])('says what is wrong with %s', (text, message) => expect(() => fieldsOfSchema('JSON', text)).toThrow(message))

  it('keeps properties whatever they are called', () => {
    const fields = fieldsOfSchema(
      'JSON',
      '{"title":"A","type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"":{"type":"string"}}}',
    )
    expect(outline(fields)).toEqual([{ 'A RECORD': ['__proto__ STRING', 'constructor STRING'] }])
  })
})

describe('Protobuf', () => {
  it('gives a root for each message at the top', () =>
    expect(
      proto(`
      syntax = "proto3";
      package shop.v1;
      import "google/protobuf/timestamp.proto";
      import "common/address.proto";
      option java_package = "org.shop";
      message Order {
        string order_id = 1;
        google.protobuf.Timestamp placed_at = 2;
        google.protobuf.StringValue note = 3;
        repeated Line lines = 4;
        map<string, Money> totals = 5;
        oneof payment { Card card = 6; string iban = 7; }
        Status status = 8;
        common.Address address = 9;
        Order previous = 10;
        optional uint64 weight = 11;
        repeated double ratios = 12;
        .shop.v1.Money fee = 13;
        enum Status { NEW = 0; PAID = 1; }
        message Line { string sku = 1; sint32 count = 2; reserved 3 to 5; }
      }
      message Money { string currency = 1; int64 units = 2; bool net = 3; }
      message Card { bytes token = 1; float limit = 2; }
      service Orders { rpc Get (Money) returns (stream Order); }
    `),
    ).toEqual([
      {
        'Order RECORD': [
          'order_id STRING',
          'placed_at TIMESTAMP (google.protobuf.Timestamp)',
          'note STRING (google.protobuf.StringValue)',
          { 'lines ARRAY (array<Line>)': ['sku STRING', 'count INT (sint32)'] },
          { 'totals MAP (map<string, Money>)': ['currency STRING', 'units LONG (int64)', 'net BOOLEAN (bool)'] },
          { 'card RECORD (Card)': ['token BYTES', 'limit FLOAT'] },
          'iban STRING',
          'status ENUM (Status)',
          'address UNKNOWN (common.Address)',
          'previous RECORD (Order)',
          'weight LONG (uint64)',
          'ratios ARRAY (array<double>)',
          { 'fee RECORD (Money)': ['currency STRING', 'units LONG (int64)', 'net BOOLEAN (bool)'] },
        ],
      },
      { 'Money RECORD': ['currency STRING', 'units LONG (int64)', 'net BOOLEAN (bool)'] },
      { 'Card RECORD': ['token BYTES', 'limit FLOAT'] },
    ]))

  it('reads proto2, and takes comments for descriptions', () =>
    expect(
      fieldsOfSchema(
        'Protobuf',
        `
      syntax = "proto2";
      // A person.
      message Person {
        // Full name
        required string name = 1;
        optional int32 age = 2 [default = 3]; // in years
        extensions 100 to 199;
      }
    `,
      ),
    ).toEqual([
      {
        name: 'Person',
        dataType: 'RECORD',
        description: 'A person.',
        children: [
          { name: 'name', dataType: 'STRING', description: 'Full name' },
          { name: 'age', dataType: 'INT', dataTypeDisplay: 'int32', description: 'in years' },
        ],
      },
    ]))

  it.each([
    ['syntax = "proto3";\nmessage A { string a = 1 }', 'line 2'],
    ['message {', 'line 1'],
    ['{"type": "record"}', 'is not a Protobuf schema'],
    ['message A { oneof o { group G = 3 { } } }', 'with the schemaType Other the text is kept'],
    ['message A {'.repeat(20_000), 'depth'],
  ])('says what is wrong, and where: %s', (text, message) => {
    expect(() => fieldsOfSchema('Protobuf', text)).toThrow(SchemaTextError)
    expect(() => fieldsOfSchema('Protobuf', text)).toThrow(message)
  })

  it('names the fields of extensions with their scopes, so that none hides another', () =>
    expect(
      proto(`
      syntax = "proto2";
      message M { required int64 id = 1; extensions 100 to 199; }
      extend M { optional string bar = 126; }
      message Scope {
        message Inner { optional bool on = 1; }
        extend M { repeated Inner inner = 127; }
      }
      message Other { extend M { optional bool inner = 128; } }
    `),
    ).toEqual([
      {
        'M RECORD': [
          'id LONG (int64)',
          'bar STRING',
          { 'Scope.inner ARRAY (array<Inner>)': ['on BOOLEAN (bool)'] },
          'Other.inner BOOLEAN (bool)',
        ],
      },
      'Scope RECORD',
      'Other RECORD',
    ]))

  it('takes a text without messages', () => expect(proto('syntax = "proto3";')).toEqual([]))
})

describe('any text', () => {
  const survives = (type: string, text: string) => {
    try {
      const fields = fieldsOfSchema(type, text)
      expect(JSON.parse(JSON.stringify(fields))).toEqual(fields)
    } catch (error) {
      expect(error).toBeInstanceOf(SchemaTextError)
    }
  }
  const members =
    'type name namespace fields items values logicalType properties $ref oneOf allOf enum title __proto__ a'
  const schemaLike = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', maxDepth: 5 },
      fc.constantFrom<Json>('string', 'A', 'null', 5, null, true, [], {}, '#', '#/properties/a'),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(...members.split(' ')),
        fc.oneof(tie('schema'), fc.constantFrom<Json>('record', 'array', 'map', 'enum', 'object', 'toString')),
        { maxKeys: 5 },
      ),
    ),
  })).schema

  it('is read or refused', () => {
    fc.assert(
      fc.property(schemaLike, (schema) => {
        for (const type of ['Avro', 'JSON']) survives(type, JSON.stringify(schema))
      }),
      { numRuns: 1000 },
    )
    const tokens =
      'message A B { } string = 1 ; enum map < > , repeated oneof import "x" toString __proto__ // option ( )'
    const token = fc.constantFrom(...tokens.split(' '), '\n')
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (some) => survives('Protobuf', some.join(' '))),
      { numRuns: 1000 },
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const type of ['Avro', 'JSON', 'Protobuf']) survives(type, text)
      }),
    )
  })

  it('any text of another type is not read', () => {
    expect(fieldsOfSchema('Other', '{')).toBeUndefined()
    expect(fieldsOfSchema('None', '{')).toBeUndefined()
    expect(fieldsOfSchema('toString', '{')).toBeUndefined()
  })
})

it.each([
  ['Avro', '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}'],
  ['JSON', '{"type":"object","properties":{"id":{"type":"integer"}}}'],
  ['Protobuf', 'syntax = "proto3"; message Order { int64 id = 1; }'],
])('a byte order mark before %s is not part of it', (type, text) =>
  expect(fieldsOfSchema(type, `\ufeff${text}`)).toEqual(fieldsOfSchema(type, text)),
)

describe('what is too much', () => {
  const names = Array.from({ length: 9 }, (_, at) => `f${at}`)
  const fieldsOf = (type: Json) => Object.fromEntries(names.map((name) => [name, type]))
  const levels = Array.from({ length: 30 }, (_, level) => level)
  const last = levels.length - 1
  const definitions = levels.map((level): [string, Json] => {
    const type: Json = level === last ? { type: 'string' } : { $ref: `#/$defs/T${level + 1}` }
    return [`T${level}`, { type: 'object', properties: fieldsOf(type) }]
  })

  it.each<[string, Json]>([
    ['Avro', levels.map((level) => record(`T${level}`, fieldsOf(level === last ? 'int' : `T${level + 1}`)))],
    ['JSON', { title: 'A', $ref: '#/$defs/T0', $defs: Object.fromEntries(definitions) }],
  ])('keeps its first levels whole where the deeper ones are too many: %s', (type, schema) => {
    const [first = {}] = fieldsOfSchema(type, JSON.stringify(schema)) ?? []
    expect(count([first])).toBeLessThanOrEqual(limits.schemaFields.value)
    const children = first['children'] as JsonObject[]
    expect(children.map(({ name }) => name)).toEqual(names)
    expect(new Set(children.map((child) => count([child]))).size).toBe(1)
  })

  it('counts the root: one field too many leaves out the deeper levels', () => {
    const inner = record('I', Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`i${at}`, 'int'])))
    const fields = Array.from({ length: 100 }, (_, at): [string, Json] => [`f${at}`, at === 0 ? inner : 'I'])
    const [root = {}] = fieldsOfSchema('Avro', JSON.stringify(record('R', Object.fromEntries(fields)))) ?? []
    expect(count([root])).toBeLessThanOrEqual(limits.schemaFields.value)
    expect(root['children']).toHaveLength(100)
  })

  it('says how to keep the text when even its first level is too large', () => {
    const names = Array.from({ length: limits.schemaFields.value }, (_, at) => [`p${at}`, {}])
    expect(() => json({ properties: Object.fromEntries(names) })).toThrow(/more than 10000 fields.*schemaType Other/)
  })

  it('shows long types in short', () => {
    const u = Array.from({ length: 3000 }, (_, at) => `some.long.name.Type${at}`)
    const [root] = fieldsOfSchema('Avro', JSON.stringify(record('R', { u }))) ?? []
    const [field] = (root?.['children'] ?? []) as JsonObject[]
    const display = String(field?.['dataTypeDisplay'])
    expect(display).toMatch(/^union<some\.long\.name\.Type0, some\.long\.name\.Type1, .*…$/)
    expect(display.length).toBe(limits.schemaWord.value)
  })
})
