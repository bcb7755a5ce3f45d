import fc from '../../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/shared/json.ts'
import { columnDataTypes } from '../../../src/shared/columnTypes.ts'
import { brokenColumns } from '../../../src/kinds/members/assetColumns.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { breaks, created, derived, parsed, problemsIn, problemsOf } from '../support.ts'

const table = (columns: JsonObject[]) =>
  created('table', { databaseSchema: 'a.b.c', columns })['columns'] as JsonObject[]

const nested = (depth: number): JsonObject => ({
  name: `level${depth}`,
  dataType: 'STRUCT',
  ...(depth > 1 && { children: [nested(depth - 1)] }),
})

describe('columns', () => {
  it('get FQNs and places, at any depth', () =>
    expect(
      table([
        { name: 'id', dataType: 'int' },
        {
          name: 'a.b',
          dataType: 'struct',
          ordinalPosition: 7,
          fullyQualifiedName: 'old',
          children: [{ name: 'c', dataType: 'array', arrayDataType: 'varchar' }],
        },
      ]),
    ).toEqual([
      { name: 'id', dataType: 'INT', fullyQualifiedName: 'svc.one.id', ordinalPosition: 1 },
      {
        name: 'a.b',
        dataType: 'STRUCT',
        ordinalPosition: 7,
        fullyQualifiedName: 'svc.one."a.b"',
        children: [
          {
            name: 'c',
            dataType: 'ARRAY',
            arrayDataType: 'VARCHAR',
            fullyQualifiedName: 'svc.one."a.b".c',
            ordinalPosition: 1,
          },
        ],
      },
    ]))

  it('without a position stand after the one before them, at a place that no other has', () => {
    const places = (...given: (number | undefined)[]) =>
      table(
        given.map((ordinalPosition, index) => ({
          name: `c${index}`,
          dataType: 'INT',
          ...(ordinalPosition !== undefined && { ordinalPosition }),
        })),
      ).map((column) => column['ordinalPosition'])
    expect(places(undefined, 1, undefined)).toEqual([2, 1, 3])
    expect(places(2, 3, undefined)).toEqual([2, 3, 4])
    expect(places(0, undefined, 2, undefined)).toEqual([0, 1, 2, 3])
    const largest = Number.MAX_SAFE_INTEGER
    const counted = 2 ** 53 - 2 ** 15
    expect(places(largest, undefined, undefined)).toEqual([largest, counted + 1, counted + 2])
  })

  it('have data types of the vocabulary, in any case', () => {
    for (const dataType of columnDataTypes) {
      expect(
        parsed('table', { name: 'a', databaseSchema: 'b', columns: [{ name: 'x', dataType: dataType.toLowerCase() }] })
          .values['columns'],
      ).toEqual([{ name: 'x', dataType }])
    }
    const columns = [
      { name: 'x', dataType: 'words' },
      { name: 'y', dataType: 'integer' },
    ]
    const [unlike, like] = problemsIn('table', { name: 'a', databaseSchema: 'b', columns })
    expect(unlike).toMatch(/^\/columns\/0\/dataType: must be one of NUMBER, TINYINT, .* HIERARCHYID$/)
    expect(like).toBe(
      `/columns/1/dataType: is not one of the ${columnDataTypes.length} allowed values; did you mean INT?`,
    )
  })

  it('do not have the same name twice on one level', () => {
    const twice = [
      { name: 'x', dataType: 'INT' },
      { name: 'y', dataType: 'INT' },
      { name: 'x', dataType: 'INT' },
    ]
    expect(problemsOf('table', { columns: twice })).toEqual(['/columns/2/name: x comes twice on this level'])
    expect(
      problemsOf('table', {
        columns: [
          { name: 'x', dataType: 'STRUCT', children: twice },
          { name: 'X', dataType: 'INT' },
        ],
      }),
    ).toEqual(['/columns/0/children/2/name: x comes twice on this level'])
  })

  it('nest up to 32 levels', () => {
    expect(problemsOf('table', { columns: [nested(32)] })).toEqual([])
    expect(problemsOf('table', { columns: [nested(33)] })).toEqual([
      `/columns${'/0/children'.repeat(32)}: is nested more than 32 levels deep`,
    ])
  })

  it('have names as entities do', () =>
    expect(
      problemsIn('container', {
        name: 'a',
        service: 'b',
        dataModel: {
          columns: [
            { name: 'a::b', dataType: 'INT' },
            { name: '', dataType: 'INT' },
          ],
        },
      }),
    ).toEqual(['/dataModel/columns/0/name: must not have :: in it', '/dataModel/columns/1/name: must not be empty']))

  it('are completed once: what was completed stays as it is', () => {
    const nodes = (depth: number): fc.Arbitrary<JsonObject[]> => {
      const node = fc.record(
        {
          name: fc.constantFrom('a', 'b', 'c', 'd.e'),
          dataType: fc.constantFrom('INT', 'STRUCT'),
          description: fc.string(),
          ...(depth > 0 && { children: nodes(depth - 1) }),
        },
        { requiredKeys: ['name', 'dataType'] },
      )
      return fc.uniqueArray(node, { selector: (each) => each.name, maxLength: 4 }) as fc.Arbitrary<JsonObject[]>
    }
    fc.assert(
      fc.property(nodes(3), (columns) => {
        const once = derived('table', { columns })
        expect(derived('table', once, { before: once })).toEqual(once)
        expect(breaks('table', once, derived('table', { columns }))).toBe(false)
      }),
    )
  })
})

describe('a change of columns', () => {
  const column = (name: string, dataType: string, more: JsonObject = {}) => ({ name, dataType, ...more })
  const before = {
    columns: [
      column('a', 'INT'),
      column('b', 'STRUCT', { children: [column('c', 'INT')] }),
      column('d', 'ARRAY', { arrayDataType: 'INT' }),
    ],
  }
  const [a, b, d] = before.columns as unknown as [JsonObject, JsonObject, JsonObject]

  it.each<[string, JsonObject[], boolean]>([
    ['a column is gone', [a, b], true],
    ['a nested column is gone', [a, column('b', 'STRUCT'), d], true],
    ['a data type is another', [column('a', 'BIGINT'), b, d], true],
    ['a nested data type is another', [a, column('b', 'STRUCT', { children: [column('c', 'TEXT')] }), d], true],
    ['what an array holds is another', [a, b, column('d', 'ARRAY', { arrayDataType: 'TEXT' })], true],
    ['a column is new', [a, b, d, column('e', 'INT')], false],
    ['the order is another', [d, b, a], false],
    ['a description is another', [{ ...a, description: 'x' }, b, d], false],
  ])('breaks readers or not: %s', (_, columns, expected) => expect(breaks('table', before, { columns })).toBe(expected))

  it('names the columns that it breaks, and the types of the items of arrays', () =>
    expect(
      brokenColumns(before, { columns: [column('b', 'STRUCT'), column('d', 'ARRAY', { arrayDataType: 'TEXT' })] }),
    ).toEqual([
      { column: 'a', from: 'INT', to: undefined, change: 'removed' },
      { column: 'b.c', from: 'INT', to: undefined, change: 'removed' },
      { column: 'd', from: 'ARRAY<INT>', to: 'ARRAY<TEXT>', change: 'typeChanged' },
    ]))

  it('names the fields of a record, also of one that has another name now', () => {
    const schema = (name: string, ...children: JsonObject[]) => ({
      messageSchema: { schemaFields: [column(name, 'RECORD', { children })] },
    })
    const [id, removed] = [column('id', 'INT'), { column: 'id', from: 'INT', to: undefined, change: 'removed' }]
    expect(brokenColumns(schema('Order', id), schema('Order', column('sum', 'INT')))).toEqual([removed])
    expect(brokenColumns(schema('Order', id), schema('Invoice', id))).toEqual([])
    expect(brokenColumns(schema('Order', id), schema('Invoice', column('sum', 'INT')))).toEqual([removed])
    const two = {
      messageSchema: { schemaFields: ['Order', 'Paid'].map((each) => column(each, 'RECORD', { children: [id] })) },
    }
    expect(brokenColumns(two, schema('Invoice', id))).toEqual([removed, removed])
    expect(breaks('topic', schema('Order', id), schema('Invoice', column('sum', 'INT')))).toBe(true)
  })

  it('knows the type of items, values and alternatives of a schema from its text, and that of records from their fields', () => {
    const schema = (dataType: string, dataTypeDisplay: string, ...children: JsonObject[]) => ({
      messageSchema: {
        schemaFields: [column('R', 'RECORD', { children: [column('a', dataType, { dataTypeDisplay, children })] })],
      },
    })
    const changed = (from: string, to: string) => [{ column: 'a', from, to, change: 'typeChanged' }]
    const [ints, strings, id] = [schema('ARRAY', 'array<int>'), schema('ARRAY', 'array<string>'), column('id', 'INT')]
    expect(brokenColumns(ints, strings)).toEqual(changed('array<int>', 'array<string>'))
    expect(brokenColumns(ints, ints)).toEqual([])
    expect(brokenColumns(ints, schema('ARRAY', 'array<Item>', id))).toEqual(changed('array<int>', 'ARRAY'))
    expect(brokenColumns(schema('ARRAY', 'array<Item>', id), schema('ARRAY', 'array<Line>', id))).toEqual([])
    expect(breaks('topic', schema('MAP', 'map<int>'), schema('MAP', 'map<string>'))).toBe(true)
    expect(breaks('topic', schema('UNION', 'union<int, string>'), schema('UNION', 'union<int, bytes>'))).toBe(true)
    expect(breaks('topic', schema('STRING', 'uuid'), schema('STRING', 'email'))).toBe(false)
    const table = (dataTypeDisplay: string) => ({ columns: [column('a', 'ARRAY', { dataTypeDisplay })] })
    expect(breaks('table', table('int[]'), table('integer[]'))).toBe(false)
  })

  it('breaks nobody by what is read otherwise from the same text, but by fields that do not follow from it', () => {
    const schema = (schemaType: string, dataType: string, schemaText = '{}') => ({
      messageSchema: { schemaType, schemaText, schemaFields: [column('a', dataType)] },
    })
    expect(breaks('topic', schema('Avro', 'BYTES'), schema('Avro', 'DECIMAL'))).toBe(false)
    expect(breaks('topic', schema('Avro', 'BYTES'), schema('Avro', 'DECIMAL', '[]'))).toBe(true)
    expect(breaks('topic', schema('Other', 'BYTES'), schema('Other', 'DECIMAL'))).toBe(true)
    const untyped = (dataType: string) => ({
      messageSchema: { ...schema('', dataType).messageSchema, schemaType: null },
    })
    expect(breaks('topic', untyped('BYTES'), untyped('DECIMAL'))).toBe(true)
  })

  it('compares requests with requests, and responses with responses', () => {
    const schemas = {
      requestSchema: { schemaFields: [column('id', 'INT')] },
      responseSchema: { schemaFields: [column('id', 'STRING')] },
    }
    expect(brokenColumns(schemas, { ...schemas, description: 'new' })).toEqual([])
    expect(brokenColumns(schemas, { responseSchema: schemas.responseSchema })).toHaveLength(1)
  })

  it('breaks readers when all are gone, not when none were there', () => {
    expect(breaks('table', before, {})).toBe(true)
    expect(breaks('table', {}, before)).toBe(false)
    expect(breaks('container', { dataModel: before }, { dataModel: { isPartitioned: true } })).toBe(true)
    expect(breaks('searchIndex', { fields: before.columns }, { fields: [a, b] })).toBe(true)
    expect(
      breaks('mlmodel', { mlFeatures: [column('a', 'numerical')] }, { mlFeatures: [column('a', 'categorical')] }),
    ).toBe(true)
  })
})

describe('table constraints', () => {
  const columns = [
    { name: 'id', dataType: 'INT' },
    { name: 'a.b', dataType: 'STRUCT', children: [{ name: 'c', dataType: 'INT' }] },
  ]
  const constrained = (...names: string[]): Json => [{ constraintType: 'UNIQUE', columns: names }]

  it('name columns that are there, nested ones by their path', () =>
    expect(problemsOf('table', { columns, tableConstraints: constrained('id', 'a.b', '"a.b".c') })).toEqual([]))

  it('name none that are not', () => {
    expect(problemsOf('table', { columns, tableConstraints: constrained('id', 'c', 'ID') })).toEqual([
      '/tableConstraints/0/columns/1: there is no column c',
      '/tableConstraints/0/columns/2: there is no column ID',
    ])
    expect(problemsOf('table', { tableConstraints: constrained('id') })).toEqual([
      '/tableConstraints/0/columns/0: there is no column id',
    ])
  })
})

describe('tags of columns', () => {
  const { nested: visit } = kindNamed('table').fields['columns'] as {
    nested: NonNullable<import('../../../src/kinds/defineKind.ts').Field['nested']>
  }
  const tag = (id: string) => ({ id, type: 'tag', fullyQualifiedName: id })
  const columns = [
    { name: 'x', tags: [tag('a'), tag('b')], children: [{ name: 'y', tags: [tag('c')] }] },
    { name: 'z' },
  ]

  it('are visited with their paths, and replaced', () => {
    const seen: string[] = []
    const result = visit(columns, (reference, path) => {
      seen.push(`${path} ${String(reference['id'])}`)
      return reference['id'] === 'b' ? undefined : { tagFQN: reference['id'] as string }
    })
    expect(seen).toEqual(['/0/tags/0 a', '/0/tags/1 b', '/0/children/0/tags/0 c'])
    expect(result).toEqual([
      { name: 'x', tags: [{ tagFQN: 'a' }], children: [{ name: 'y', tags: [{ tagFQN: 'c' }] }] },
      { name: 'z' },
    ])
  })

  it('stand once each, and not at all when none is left', () => {
    expect(visit(columns, () => tag('same'))).toMatchObject([{ tags: [tag('same')] }, {}])
    expect(visit(columns, () => undefined)).toEqual([{ name: 'x', children: [{ name: 'y' }] }, { name: 'z' }])
  })

  it('stand beside terms of their names', () => {
    const label = ({ id }: JsonObject) => ({ tagFQN: 'same', source: id as string })
    expect(visit(columns, label)).toMatchObject([{ tags: [label({ id: 'a' }), label({ id: 'b' })] }, {}])
  })

  it('cost nothing where there are none', () => {
    const bare = [{ name: 'x', children: [{ name: 'y' }] }]
    expect(visit(bare, () => undefined)).toBe(bare)
  })

  it('are found in containers and schemas too', () => {
    const seen: string[] = []
    const note = (_: JsonObject, path: string) => {
      seen.push(path)
      return undefined
    }
    kindNamed('container').fields['dataModel']?.nested?.({ columns }, note)
    kindNamed('topic').fields['messageSchema']?.nested?.({ schemaFields: columns }, note)
    expect(seen.filter((path) => path.endsWith('c') || path.includes('children'))).toEqual([
      '/columns/0/children/0/tags/0',
      '/schemaFields/0/children/0/tags/0',
    ])
  })
})

it('names at all depths are searched', () =>
  expect(
    kindNamed('table').behaviour.searchFields?.of({
      columns: [{ name: 'a', displayName: 'Shown', children: [{ name: 'b' }] }, { name: 'c' }],
    }),
  ).toEqual([
    { path: 'columns.a', names: ['a', 'Shown'] },
    { path: 'columns.a.b', names: ['b'] },
    { path: 'columns.c', names: ['c'] },
  ]))
