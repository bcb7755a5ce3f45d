import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/shared/json.ts'
import type { Members } from '../../src/events/events.ts'
import { readEntityLink } from '../../src/kinds/definitions/dataQuality.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'
import {
  asJson,
  breaks,
  created,
  derived,
  draftOf,
  fact,
  factsOf,
  outline,
  problemsOf,
  reference,
  said,
} from './support.ts'

describe('messages of a topic', () => {
  const text = (fields: Json[]) => JSON.stringify({ type: 'record', name: 'Order', fields })
  const topic = (messageSchema: JsonObject, before?: Members) =>
    derived('topic', { messageSchema }, { before })['messageSchema'] as JsonObject
  const simple = text([{ name: 'id', type: 'string', doc: 'Number' }])

  it('have the fields of their schema, with FQNs', () =>
    expect(
      created('topic', { service: 'svc', messageSchema: { schemaType: 'avro', schemaText: simple } })['messageSchema'],
    ).toEqual({
      schemaType: 'Avro',
      schemaText: simple,
      schemaFields: [
        {
          name: 'Order',
          dataType: 'RECORD',
          fullyQualifiedName: 'svc.one.Order',
          children: [{ name: 'id', dataType: 'STRING', description: 'Number', fullyQualifiedName: 'svc.one.Order.id' }],
        },
      ],
    }))

  it('have the given fields when there is no text to read', () => {
    const given = { schemaType: 'Other', schemaText: '???', schemaFields: [{ name: 'a', dataType: 'STRING' }] }
    expect(topic(given)).toEqual({
      ...given,
      schemaFields: [{ name: 'a', dataType: 'STRING', fullyQualifiedName: 'svc.one.a' }],
    })
    expect(outline(topic({ schemaType: 'Avro', schemaFields: given.schemaFields })['schemaFields'])).toEqual([
      'a STRING',
    ])
  })

  it('say what is wrong with their schema', () =>
    expect(problemsOf('topic', { messageSchema: { schemaType: 'Protobuf', schemaText: 'message A {' } })).toEqual([
      expect.stringMatching(/^\/messageSchema\/schemaText: is not a Protobuf schema: .*line 1/),
    ]))

  it('keep what people wrote on fields, but not what an old text said', () => {
    const first = topic({ schemaType: 'Avro', schemaText: simple })
    const described = structuredClone(first) as { schemaFields: { children: JsonObject[] }[] } & JsonObject
    Object.assign(described.schemaFields[0]?.children[0] as JsonObject, {
      displayName: 'Id',
      tags: [asJson(reference('tag', 'a.b'))],
    })
    const second = topic(described, { messageSchema: first })
    expect(second).toEqual(described)
    const newer = text([
      { name: 'id', type: 'long', doc: 'Another' },
      { name: 'sum', type: 'double' },
    ])
    const third = topic({ ...second, schemaText: newer }, { messageSchema: second })
    expect((third['schemaFields'] as JsonObject[])[0]?.['children']).toMatchObject([
      { name: 'id', dataType: 'LONG', description: 'Another', displayName: 'Id', tags: [{ id: 'tag:a.b' }] },
      { name: 'sum', dataType: 'DOUBLE' },
    ])
    expect(breaks('topic', { messageSchema: second }, { messageSchema: third })).toBe(true)
  })

  it('keep what people wrote on fields of a record that has another name', () => {
    const schema = (title: string, ...names: string[]) => ({
      schemaType: 'JSON',
      schemaText: JSON.stringify({
        title,
        description: title,
        properties: Object.fromEntries(names.map((name) => [name, {}])),
      }),
    })
    const described = [
      { name: 'id', dataType: 'UNKNOWN', description: 'Said.', tags: [asJson(reference('tag', 'a.b'))] },
    ]
    const schemaFields = [{ name: 'Event 1.0', dataType: 'RECORD', displayName: 'Event', children: described }]
    const before = { messageSchema: topic({ ...schema('Event 1.0', 'id', 'sum'), schemaFields }) }
    const after = topic({ ...before.messageSchema, ...schema('Event 1.1', 'id', 'sum') }, before)
    expect(after['schemaFields']).toMatchObject([
      { name: 'Event 1.1', displayName: 'Event', description: 'Event 1.1', children: [described[0], { name: 'sum' }] },
    ])
    expect(breaks('topic', before, { messageSchema: after })).toBe(false)
    expect(breaks('topic', before, { messageSchema: topic(schema('Event 1.1', 'id')) })).toBe(true)
  })

  it('are the same when the same is sent again', () => {
    const once = topic({ schemaType: 'Avro', schemaText: simple })
    expect(topic(once, { messageSchema: once })).toEqual(once)
    expect(topic({ schemaType: 'Avro', schemaText: simple }, { messageSchema: once })).toEqual(once)
  })

  it('requests and responses of an endpoint are read the same way', () => {
    const schema = {
      schemaType: 'JSON',
      schemaText: '{"title":"A","type":"object","properties":{"x":{"type":"string"}}}',
    }
    const members = derived('apiEndpoint', {
      requestSchema: schema,
      responseSchema: { schemaFields: [{ name: 'y', dataType: 'INT' }] },
    })
    expect(members).toMatchObject({
      requestSchema: {
        schemaFields: [{ name: 'A', fullyQualifiedName: 'svc.one.requestSchema.A', children: [{ name: 'x' }] }],
      },
      responseSchema: { schemaFields: [{ name: 'y', fullyQualifiedName: 'svc.one.responseSchema.y' }] },
    })
    expect(problemsOf('apiEndpoint', { responseSchema: { ...schema, schemaText: '[]' } })).toEqual([
      '/responseSchema/schemaText: is not a JSON Schema: it must be an object',
    ])
  })
})

describe('an entity link', () => {
  it.each<[string, string, string[]]>([
    ['<#E::table::svc.db.schema.orders>', 'svc.db.schema.orders', []],
    ['<#E::table::svc."a.b".s.t::columns::id>', 'svc."a.b".s.t', ['id']],
    ['<#E::table::a.b::columns::address.city>', 'a.b', ['address', 'city']],
    ['<#E::table::a.b::columns::"a.b".c>', 'a.b', ['a.b', 'c']],
    ['<#E::table::a.b::columns::odd"name>', 'a.b', ['odd"name']],
    ['<#E::table::a>b::columns::c>d>', 'a>b', ['c>d']],
  ])('%s', (link, table, column) => expect(readEntityLink(link)).toEqual({ table, column }))

  it.each([
    '',
    'orders',
    '<#E::table::>',
    '<#E::table>',
    '#E::table::a',
    '<#E::table::a::columns::>',
    '<#E::topic::a>',
    '<#E::table::a::b>',
    '<#E::table::a::columns>',
    '<#E::table::a::columns::b::tags>',
    '<#E::table::::columns::b>',
    '<#E::table::a::columns::b::columns::c>',
  ])('%s is none', (link) => expect(typeof readEntityLink(link)).toBe('string'))
})

describe('a test case', () => {
  const table = fact('table', 'svc.t', {
    columns: [
      { name: 'id', dataType: 'INT' },
      { name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: 'INT' }] },
    ],
  })
  const definition = fact('testDefinition', 'between', {
    parameterDefinition: [{ name: 'least', required: true }, { name: 'most' }],
  })
  const members = (column: string | undefined, ...parameterValues: JsonObject[]): Members => ({
    entityLink: `<#E::table::svc.t${column === undefined ? '' : `::columns::${column}`}>`,
    testDefinition: asJson(definition.reference),
    parameterValues,
  })
  const least = { name: 'least', value: '1' }
  const problems = (value: Members, before?: Members) =>
    problemsOf('testCase', value, { parent: table, before }, factsOf(table, definition))
  const { behaviour } = kindNamed('testCase')

  it('stands below its table, or below the column', () => {
    const parent = { input: { fullyQualifiedName: 'svc.t' }, kinds: ['table'], path: '/entityLink' }
    expect(behaviour.place?.(members(undefined))).toEqual({ parent, between: [] })
    expect(behaviour.place?.(members('a.b'))).toEqual({ parent, between: ['a', 'b'] })
    expect(said(behaviour.place?.({ entityLink: 'orders' }) as [])).toEqual([
      '/entityLink: must be <#E::table::TABLE_FQN> or <#E::table::TABLE_FQN::columns::COLUMN>',
    ])
    expect(derived('testCase', members('a.b'), { parent: table })['entityFQN']).toBe('svc.t.a.b')
  })

  it('is about a column that is there', () => {
    expect(problems(members('a.b', least))).toEqual([])
    expect(problems(members('c', least))).toEqual(['/entityLink: table svc.t has no column c'])
    expect(problems(members('a.c', least))).toEqual([
      '/entityLink: table svc.t has no column a.c; a name that has a dot of its own stands in double quotes',
    ])
    expect(problems(members('c', least), members('c', least))).toEqual([])
  })

  it('gives the parameters that its definition asks for', () => {
    expect(problems(members('id', least, { name: 'most', value: '2' }))).toEqual([])
    expect(problems(members('id', { name: 'most', value: '2' }))).toEqual([
      '/parameterValues: test definition between requires parameter least',
    ])
    expect(problems(members('id', least, { name: 'mean', value: '2' }))).toEqual([
      '/parameterValues/1/name: test definition between has no parameter mean; it has least, most',
    ])
    expect(problems(members('id', least, least))).toEqual(['/parameterValues/1/name: least comes twice'])
  })

  it('asks for its definition only when that matters', () => {
    const asked = (value: Members, before?: Members) =>
      behaviour.needs?.(draftOf(value, { before, parent: table }), factsOf(table))
    expect(asked(members('id', least))).toEqual([definition.reference.id])
    expect(asked(members('id', least), members('id', least))).toEqual([])
    expect(asked(members('id'), members('id', least))).toEqual([definition.reference.id])
  })

  it('may give anything to a definition that declares nothing', () =>
    expect(
      problemsOf(
        'testCase',
        members('id', { name: 'x', value: '1' }),
        { parent: table },
        factsOf(fact('testDefinition', 'between')),
      ),
    ).toEqual([]))
})

describe('a contract', () => {
  const table = fact('table', 'svc.t', { columns: [{ name: 'id', dataType: 'INT' }] })
  const schema = (...names: string[]) => ({ schema: names.map((name) => ({ name, dataType: 'INT' })) })

  it('promises only columns that the asset has', () => {
    expect(problemsOf('dataContract', schema('id'), { parent: table })).toEqual([])
    expect(problemsOf('dataContract', schema('id', 'x', 'y'), { parent: table })).toEqual([
      '/schema/1/name: table svc.t has no column or field x',
      '/schema/2/name: table svc.t has no column or field y',
    ])
    expect(problemsOf('dataContract', schema('x'), { parent: table, before: schema('x') })).toEqual([])
    expect(problemsOf('dataContract', schema('x'), { parent: fact('dashboard', 'svc.d') })).toEqual([])
  })

  it('names fields of messages with or without their record', () => {
    const topic = fact('topic', 'svc.t', {
      messageSchema: {
        schemaFields: [{ name: 'Order', dataType: 'RECORD', children: [{ name: 'id', dataType: 'INT' }] }],
      },
    })
    expect(problemsOf('dataContract', schema('id', 'Order'), { parent: topic })).toEqual([])
    expect(problemsOf('dataContract', schema('sum'), { parent: topic })).toHaveLength(1)
  })

  it('of the object of one message names fields of no other', () => {
    const message = (name: string, field: string) => ({
      name,
      dataType: 'RECORD',
      children: [{ name: field, dataType: 'INT' }],
    })
    const schemaFields = [message('Created', 'id'), message('Deleted', 'at')]
    const topic = fact('topic', 'svc.t', { messageSchema: { schemaFields } })
    const about = (objectName: string) => ({ ...schema('id', 'at'), odcs: { objectName } })
    expect(problemsOf('dataContract', about('orders'), { parent: topic })).toEqual([])
    expect(problemsOf('dataContract', about('deleted'), { parent: topic })).toEqual([
      '/schema/0/name: topic svc.t has no column or field id',
    ])
  })

  it('loses the tests of rules of nested columns that it promises no more, and keeps all others', () => {
    const nested = (...names: string[]) => ({
      schema: [
        { name: 'a', dataType: 'STRUCT', children: names.map((name) => ({ name, dataType: 'ARRAY' })) },
        { name: 'id', dataType: 'INT' },
      ],
    })
    const rules = ['a.b', 'a.c', 'a.c.deeper', 'id'].map((column) => ({ column, rule: { name: 'r' } }))
    const tests = ['a.b.r', 'a.c.r', 'a.c.deeper.r', 'id.r', 'a.b.another'].map((name) => `svc.t.${name}`)
    const qualityExpectations = tests.map((name) => asJson(reference('testCase', name)))
    const kept = derived(
      'dataContract',
      { ...nested('c'), qualityRules: rules, qualityExpectations },
      { before: nested('b', 'c'), parent: table },
    )['qualityExpectations'] as JsonObject[]
    expect(kept.map(({ fullyQualifiedName }) => fullyQualifiedName)).toEqual(tests.slice(1))
  })

  it('has columns without FQNs, and none twice', () => {
    expect(
      derived('dataContract', {
        schema: [
          {
            name: 'a',
            dataType: 'STRUCT',
            fullyQualifiedName: 'x.a',
            children: [{ name: 'b', dataType: 'INT', fullyQualifiedName: 'x.a.b' }],
          },
        ],
      }),
    ).toEqual({ schema: [{ name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: 'INT' }] }] })
    expect(problemsOf('dataContract', schema('id', 'id'), { parent: table })).toEqual([
      '/schema/1/name: id comes twice on this level',
    ])
  })

  it('breaks when it promises less', () => {
    expect(breaks('dataContract', schema('id', 'x'), schema('id'))).toBe(true)
    expect(breaks('dataContract', schema('id'), schema('id', 'x'))).toBe(false)
  })
})

describe('what stands below another of its kind', () => {
  it.each([
    ['container', 'service'],
    ['glossaryTerm', 'glossary'],
    ['tag', 'classification'],
  ])('%s names the same %s', (kind, member) => {
    const root = (name: string) => ({ [member]: asJson(reference('root', name)) })
    const parent = fact(kind, 'a.p', root('a'))
    expect(problemsOf(kind, root('a'), { parent })).toEqual([])
    expect(problemsOf(kind, root('b'), { parent })).toEqual([`/${member}: must be a, as ${kind} a.p is in that one`])
    expect(problemsOf(kind, root('b'), { parent: fact('root', 'b') })).toEqual([])
  })

  it('a team does not stand above itself', () => {
    const team = (name: string, ...parents: string[]) =>
      fact('team', name, { parents: parents.map((each) => asJson(reference('team', each))) })
    const others = [team('b', 'c'), team('c', 'a'), team('d')]
    const members = (...parents: string[]) => team('a', ...parents).members
    const problems = (parent: string, facts = factsOf(team('a'), ...others)) =>
      problemsOf('team', members(parent), { fullyQualifiedName: 'a' }, facts)
    expect(problems('d')).toEqual([])
    expect(problems('b')).toEqual(['/parents: a would be its own ancestor'])
    expect(problems('a')).toEqual(['/parents: a would be its own ancestor'])
    expect(kindNamed('team').behaviour.needs?.(draftOf(members('b')), factsOf(...others))).toEqual(['team:a'])
    const { reference: former, ...rest } = team('a')
    expect(problems('b', factsOf({ ...rest, reference: { ...former, life: 3 } }, ...others))).toEqual([])
    expect(problems('b', factsOf(...others))).toEqual([])
  })
})

describe('tags that exclude each other', () => {
  const tag = (name: string, above: JsonObject, members: Members = {}) => fact('tag', name, { ...above, ...members })
  const under = (kind: string, name: string) => ({ [kind === 'tag' ? 'parent' : kind]: asJson(reference(kind, name)) })
  const facts = factsOf(
    fact('classification', 'Tier', { mutuallyExclusive: true }),
    tag('Tier.1', under('classification', 'Tier')),
    tag('Tier.2', under('classification', 'Tier')),
    tag('Tier.1.a', { ...under('classification', 'Tier'), ...under('tag', 'Tier.1') }),
    fact('classification', 'PII', { mutuallyExclusive: false }),
    tag('PII.x', under('classification', 'PII'), { mutuallyExclusive: true }),
    tag('PII.x.1', { ...under('classification', 'PII'), ...under('tag', 'PII.x') }),
    tag('PII.x.2', { ...under('classification', 'PII'), ...under('tag', 'PII.x') }),
    tag('PII.y', under('classification', 'PII')),
    fact('glossary', 'G', { mutuallyExclusive: true }),
    fact('glossaryTerm', 'G.a', under('glossary', 'G')),
    fact('glossaryTerm', 'G.b', under('glossary', 'G')),
  )
  const tags = (...names: string[]): Json =>
    names.map((name) => asJson(reference(name.startsWith('G') ? 'glossaryTerm' : 'tag', name)))
  const problems = (members: Members, before?: Members) => problemsOf('table', members, { before }, facts)

  it.each([
    [['Tier.1'], []],
    [['Tier.1', 'PII.x', 'PII.y', 'G.a'], []],
    [
      ['Tier.1', 'Tier.2'],
      ['/tags/1: cannot stand beside /tags/0: both are below one mutually exclusive classification'],
    ],
    [
      ['Tier.1.a', 'Tier.1'],
      ['/tags/1: cannot stand beside /tags/0: both are below one mutually exclusive classification'],
    ],
    [['PII.x.1', 'PII.x'], []],
    [
      ['PII.x.1', 'PII.y', 'PII.x.2'],
      ['/tags/2: cannot stand beside /tags/0: both are below one mutually exclusive tag'],
    ],
    [['G.a', 'G.b'], ['/tags/1: cannot stand beside /tags/0: both are below one mutually exclusive glossary']],
  ])('%j', (names, expected) => expect(problems({ tags: tags(...names) })).toEqual(expected))

  it('are refused on one column, not on two', () => {
    const columns = (...lists: string[][]): Members => ({
      columns: lists.map((list, index) => ({ name: `c${index}`, dataType: 'INT', tags: tags(...list) })),
    })
    expect(problems(columns(['Tier.1'], ['Tier.2']))).toEqual([])
    expect(problems(columns(['PII.y'], ['Tier.1', 'Tier.2']))).toEqual([
      '/columns/1/tags/1: cannot stand beside /columns/1/tags/0: both are below one mutually exclusive classification',
    ])
  })

  it('are looked at when they change, not when something else does', () => {
    const members = { tags: tags('Tier.1', 'Tier.2') }
    expect(problems({ ...members, description: 'x' }, members)).toEqual([])
    expect(problems(members, { tags: tags('Tier.1') })).toHaveLength(1)
  })

  it('belong to a column wherever it stands, in whatever order', () => {
    const column = (name: string, ...list: string[]) => ({ name, dataType: 'INT', tags: tags(...list) })
    const before = { columns: [column('k', 'Tier.1', 'Tier.2'), column('m', 'PII.y')] }
    expect(problems({ columns: [column('m', 'PII.y'), column('k', 'Tier.2', 'Tier.1')] }, before)).toEqual([])
    expect(problems({ columns: [column('k', 'Tier.2')] }, before)).toEqual([])
    expect(problems({ columns: [column('k2', 'Tier.1', 'Tier.2'), column('m', 'PII.y')] }, before)).toEqual([
      '/columns/0/tags/1: cannot stand beside /columns/0/tags/0: both are below one mutually exclusive classification',
    ])
  })

  it('are looked up with everything above them', () => {
    const { behaviour } = kindNamed('table')
    const draft = draftOf({ tags: tags('PII.x.1', 'PII.y') })
    expect(behaviour.needs?.(draft, factsOf())).toEqual(['tag:PII.x.1', 'tag:PII.y'])
    expect(
      behaviour.needs?.(
        draft,
        factsOf(
          tag('PII.x.1', { ...under('classification', 'PII'), ...under('tag', 'PII.x') }),
          tag('PII.y', under('classification', 'PII')),
        ),
      ),
    ).toEqual(['classification:PII', 'tag:PII.x'])
    expect(behaviour.needs?.(draft, facts)).toEqual([])
    expect(behaviour.needs?.(draftOf({ tags: tags('PII.y') }), factsOf())).toEqual([])
  })
})

it('features of a model have FQNs', () =>
  expect(
    created('mlmodel', { service: 'svc', mlFeatures: [{ name: 'age', dataType: 'Numerical' }] })['mlFeatures'],
  ).toEqual([{ name: 'age', dataType: 'numerical', fullyQualifiedName: 'svc.one.age' }]))

it('a feature of a model is numerical or categorical', () =>
  expect(
    readRequest(
      kindNamed('mlmodel'),
      { name: 'm', service: 's', mlFeatures: [{ name: 'f', dataType: 'INT' }] },
      'create',
    ).problems,
  ).toEqual([{ path: '/mlFeatures/0/dataType', message: expect.stringContaining('numerical, categorical') }]))

it('synonyms of a term are searched', () =>
  expect(kindNamed('glossaryTerm').behaviour.searchFields?.of({ synonyms: ['client'] })).toEqual([
    { path: 'synonyms', names: ['client'] },
  ]))

it.each(['ann ', ' ann', 'ann\u00A0', 'a\u0301nn'])(
  'a new user may have no blanks at the ends of its name and no letters in parts (%j); one that is there stays',
  (name) => {
    const problem = '/name: must have no blanks at its ends, and be in Unicode form NFC: no two users may look the same'
    expect(problemsOf('user', {}, { name })).toEqual([problem])
    expect(problemsOf('user', {}, { name, before: {} })).toEqual([])
    expect(problemsOf('user', {}, { name: name.normalize('NFC').trim() })).toEqual([])
  },
)

it.each(['ann\u200B', '\u202Eann', 'a\u00ADnn', 'ann\u{E0041}', 'ann\u3164'])(
  'a new user may have no invisible characters in its name (%j); one that is there stays',
  (name) => {
    const problem = '/name: must have no invisible characters: no two users may look the same'
    expect(problemsOf('user', {}, { name })).toEqual([problem])
    expect(problemsOf('user', {}, { name, before: {} })).toEqual([])
    expect(problemsOf('team', {}, { name })).toEqual([])
  },
)
