import { defaultsOf } from '../../../src/kinds/perKind.ts'
import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../../../src/shared/json.ts'
import { kindNamed, kinds } from '../../../src/kinds/registry/kinds.ts'
import { createSchema, entitySchema } from '../../../src/kinds/request/openApiSchemas.ts'
import { readRequest, readRequestInSlices } from '../../../src/kinds/request/requestSchema.ts'
import { prepare, sampleFor } from '../samples.ts'
import { parsed, problemsIn } from '../support.ts'

/** Members that the OpenAPI document knows of a component. */
const documented = (schema: z.ZodType, io: 'input' | 'output', title: string): string[] => {
  const { $defs } = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: 'any' })
  return Object.keys($defs?.[title]?.properties ?? {})
}

const someId = '5c2f3a5e-0d8c-4b8f-9c1d-2f7f5a0c9b11'

describe.each(kinds.map((kind) => [kind.name, kind] as const))('requests of %s', (name, kind) => {
  const { parents } = prepare(name, 1, 'full')
  const { minimal, full } = sampleFor(name, 1, parents)
  const settable = Object.entries(kind.fields).filter(([, field]) => !field.readOnly)

  it('have a sample with every member that can be set', () => {
    const members = settable.map(([member]) => member).toSorted()
    expect(Object.keys(full).toSorted()).toEqual([...members, 'name'].toSorted())
    expect(Object.keys(parsed(name, full).values).toSorted()).toEqual(members)
  })

  it('name every unknown member, at once', () =>
    expect(problemsIn(name, { ...full, colour: 1, 'a/b': 2 })).toEqual([
      '/colour: unknown member',
      '/a~1b: unknown member',
    ]))

  it('cannot set what the catalog sets', () => {
    for (const member of [
      'id',
      'version',
      'href',
      ...Object.keys(kind.fields).filter((each) => kind.fields[each]?.readOnly),
    ]) {
      expect(problemsIn(name, { ...minimal, [member]: 'x' })).toEqual([
        `/${member}: is set by the catalog: leave it out`,
      ])
    }
  })

  it('may say null of what the catalog sets, which says nothing', () => {
    const nothing = Object.fromEntries(['votes', ...Object.keys(kind.computed)].map((member) => [member, null]))
    for (const mode of ['create', 'upsert'] as const)
      expect(parsed(name, { ...minimal, ...nothing }, mode)).toEqual(parsed(name, minimal, mode))
  })

  it('must have what is required', () => {
    const required = settable.filter(([, field]) => field.required).map(([member]) => member)
    expect(problemsIn(name, {}).toSorted()).toEqual(
      ['/name: is required', ...required.map((member) => `/${member}: is required`)].toSorted(),
    )
  })

  it('take null for absent on create', () => {
    const nothing = Object.fromEntries(
      settable.filter(([member]) => !(member in minimal)).map(([member]) => [member, null]),
    )
    expect(parsed(name, { ...nothing, ...minimal })).toEqual(parsed(name, minimal))
  })

  it('clear with null on upsert, but not what is required, nor what is fixed: null says that there is none', () => {
    for (const [member, field] of settable) {
      const { problems, values, cleared } = readRequest(kind, { ...minimal, [member]: null }, 'upsert')
      expect(problems).toEqual(field.required ? [{ path: `/${member}`, message: 'cannot be cleared' }] : [])
      expect(values).not.toHaveProperty(member)
      expect(cleared).toEqual(field.required || field.fixed ? [] : [member])
    }
  })

  it('may leave out all that a patch leaves alone, and clear with null what is not required', () => {
    for (const [member, field] of settable) {
      const one = Object.fromEntries(Object.entries(full).filter(([other]) => other === member))
      expect(Object.keys(parsed(name, one, 'patch').values)).toEqual(Object.keys(one))
      const { problems, values, cleared } = readRequest(kind, { [member]: null }, 'patch')
      const isKept = field.required || field.fixed
      expect(problems).toEqual(isKept ? [{ path: `/${member}`, message: 'cannot be cleared' }] : [])
      expect({ values, cleared }).toEqual({ values: {}, cleared: isKept ? [] : [member] })
    }
  })

  it('refuse every wrong type with a path into it', () => {
    for (const [member] of settable) {
      const problems = problemsIn(name, {
        ...minimal,
        [member]: member === 'displayName' ? 5 : (Number.NaN as unknown as Json),
      })
      expect(problems.some((problem) => problem.startsWith(`/${member}`))).toBe(true)
    }
  })

  it('are described by the schema of the OpenAPI document', () => {
    expect(createSchema(kind).safeParse(full).error).toBeUndefined()
    expect(createSchema(kind).safeParse({ ...full, colour: 1 }).success).toBe(false)
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    const members = expect.arrayContaining(settable.map(([member]) => member)) as unknown
    expect(documented(createSchema(kind), 'input', `Create${title}`)).toEqual(members)
    expect(documented(entitySchema(kind), 'output', title)).toEqual(members)
  })

  it('survive any JSON', () =>
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom('name', ...settable.map(([member]) => member)),
        (value, member) => {
          for (const mode of ['create', 'upsert', 'patch'] as const)
            readRequest(kind, { ...minimal, [member]: value as Json }, mode)
        },
      ),
      { numRuns: examples(150) },
    ))
})

describe('names', () => {
  it.each([
    ['', 'must not be empty'],
    ['x'.repeat(257), 'must have at most 256 characters'],
    ['😀'.repeat(257), 'must have at most 256 characters'],
    ['a::b', 'must not have :: in it'],
    ['a\tb', 'must have no control characters'],
    ['a\u0085b', 'must have no control characters'],
    [5, 'must be a string'],
    [null, 'is required'],
  ])('%j is none', (name, message) =>
    expect(problemsIn('domain', { name: name as Json })).toEqual([`/name: ${message}`]),
  )

  it.each(['a', 'x'.repeat(256), '😀'.repeat(256), 'with space', 'dots.and "quotes"', 'naïve 名前', 'a:b'])(
    '%j is one',
    (name) => expect(parsed('domain', { name }).name).toBe(name),
  )
})

describe('other words for a member', () => {
  it('stand for lists: a single value becomes one', () => {
    expect(parsed('domain', { name: 'a', owner: 'ann', domain: { id: someId } }).values).toEqual({
      owners: [{ fullyQualifiedName: 'ann' }],
      domains: [{ id: someId }],
    })
    expect(parsed('domain', { name: 'a', owner: null }, 'upsert').cleared).toEqual(['owners'])
  })

  it('stands beside it where only one of the two has a value', () => {
    expect(parsed('domain', { name: 'a', owner: null, owners: null }, 'upsert').cleared).toEqual(['owners'])
    expect(parsed('domain', { name: 'a', owner: 'ann', owners: null }, 'upsert')).toMatchObject({
      cleared: [],
      values: { owners: [{ fullyQualifiedName: 'ann' }] },
    })
    expect(parsed('domain', { name: 'a', owner: null, owners: ['ann'] }, 'upsert')).toMatchObject({
      cleared: [],
      values: { owners: [{ fullyQualifiedName: 'ann' }] },
    })
  })

  it('cannot be used beside it', () =>
    expect(problemsIn('domain', { name: 'a', owner: 'ann', owners: ['bob'] })).toEqual([
      '/owner: stands for owners, which is given too',
    ]))

  it('names one, never a list', () =>
    expect(problemsIn('table', { name: 'a', databaseSchema: 's', owner: [], domain: ['Sales'] })).toEqual([
      '/owner: must be one reference, not a list: that is owners',
      '/domain: must be one reference, not a list: that is domains',
    ]))

  it('are the ones that problems name', () =>
    expect(problemsIn('domain', { name: 'a', owner: { id: 'x' }, domain: 5 })).toEqual([
      '/owner/id: must be a UUID',
      '/domain: must be a fully qualified name or a reference {"id": …, "type": …}',
    ]))
})

describe('references', () => {
  const owners = (...list: Json[]) => parsed('domain', { name: 'a', owners: list }).values['owners']

  it('are names, ids, or whole objects out of an answer', () =>
    expect(
      owners(
        'ann',
        { id: someId },
        { id: someId, type: 'user' },
        { fullyQualifiedName: 'ann', type: 'user' },
        {
          id: someId,
          type: 'team',
          name: 'a',
          fullyQualifiedName: 'a',
          displayName: 'A',
          deleted: false,
          href: 'x',
          description: 'y',
        },
      ),
    ).toEqual([
      { fullyQualifiedName: 'ann' },
      { id: someId },
      { id: someId, type: 'user' },
      { type: 'user', fullyQualifiedName: 'ann' },
      { id: someId, type: 'team', fullyQualifiedName: 'a' },
    ]))

  it('must say who is meant, and nothing else', () =>
    expect(
      problemsIn('domain', {
        name: 'a',
        owners: ['', {}, { name: 'ann', type: 5 }, { id: 'ann', $where: '1' }, null, [1]],
      }),
    ).toEqual([
      '/owners/0: must be a fully qualified name of 1 to 3072 characters',
      '/owners/1: must have an id or a fullyQualifiedName',
      '/owners/2/type: must be a string',
      '/owners/2: must have an id or a fullyQualifiedName',
      '/owners/3/$where: unknown member',
      '/owners/3/id: must be a UUID',
      '/owners/4: must be a fully qualified name or a reference {"id": …, "type": …}',
      '/owners/5: must be a fully qualified name or a reference {"id": …, "type": …}',
    ]))

  it('references to tags are names or labels; a label says which kind it is of', () =>
    expect(
      parsed('domain', {
        name: 'a',
        tags: [
          'PII.Sensitive',
          { tagFQN: 'a.b' },
          { fullyQualifiedName: 'c.d' },
          {
            tagFQN: 'x',
            name: 'x',
            description: '',
            style: {},
            source: 'Glossary',
            labelType: 'Manual',
            state: 'Confirmed',
          },
          { tagFQN: 'y', source: 'constructor' },
        ],
      }).values['tags'],
    ).toEqual([
      { fullyQualifiedName: 'PII.Sensitive' },
      { fullyQualifiedName: 'a.b' },
      { fullyQualifiedName: 'c.d' },
      { fullyQualifiedName: 'x', type: 'glossaryTerm' },
      { fullyQualifiedName: 'y' },
    ]))
})

describe('what no member takes', () => {
  const raw = (text: string): unknown => JSON.parse(text)
  it.each([
    ['"extension": {"a": {"__proto__": {}}}', '/extension/a/__proto__: this name is reserved'],
    ['"extension": {"a": [{"$sealed": "x"}]}', '/extension/a/0/$sealed: this name is reserved'],
    ['"description": "a\\u0000b"', '/description: must have no NUL and no lone surrogate in it'],
    ['"displayName": "a\\ud800b"', '/displayName: must have no NUL and no lone surrogate in it'],
    ['"extension": {"\\ud800": 1}', '/extension/\ufffd: this name is reserved'],
    [
      `"extension": {"a": ${'['.repeat(120)}${']'.repeat(120)}}`,
      `/extension/a${'/0'.repeat(98)}: is nested more than 100 levels deep`,
    ],
    ['"__proto__": {"name": "a"}', '/__proto__: this name is reserved'],
  ])('%s', (member, problem) => expect(problemsIn('domain', raw(`{"name": "a", ${member}}`))).toEqual([problem]))

  it('leaves objects as they are', () => expect(({} as JsonObject)['name']).toBeUndefined())

  it.each([null, [], 'a', 5, true])('the body %j', (body) =>
    expect(problemsIn('domain', body)).toEqual([': must be an object']),
  )
})

describe('words', () => {
  it('words that are known are taken in any case', () => {
    expect(parsed('domain', { name: 'a', domainType: 'aggregate', entityStatus: 'in review' }).values).toEqual({
      domainType: 'Aggregate',
      entityStatus: 'In Review',
    })
    expect(parsed('databaseService', { name: 'a', serviceType: 'postgres' }).values).toEqual({
      serviceType: 'Postgres',
    })
  })

  it('words of an open list may be others', () =>
    expect(parsed('databaseService', { name: 'a', serviceType: 'HomeGrown' }).values).toEqual({
      serviceType: 'HomeGrown',
    }))

  it('words of a closed list may not be others', () =>
    expect(problemsIn('dataContract', { name: 'a', entity: 'b', entityStatus: 'Unprocessed' })).toEqual([
      '/entityStatus: must be one of Draft, Active, Deprecated',
    ]))
})

it('numbers have bounds', () => {
  const topic = (members: JsonObject) => problemsIn('topic', { name: 'a', service: 's', ...members })
  expect(topic({ partitions: 0 })).toEqual(['/partitions: must be at least 1'])
  expect(topic({ partitions: 1.5 })).toEqual(['/partitions: must be a whole number'])
  expect(topic({ retentionSize: -2 })).toEqual(['/retentionSize: must be at least -1'])
  expect(parsed('topic', { name: 'a', service: 's', retentionTime: 2 ** 63 }).values['retentionTime']).toBe(2 ** 63)
})

it('an object is no text, whatever its length', () => {
  for (const length of [1, 9999, { toString: 1 }]) {
    const owner = ['ann', { length }]
    const body = { name: 'a', service: 's', sourceUrl: { length }, cleanupPolicies: [{ length }], owners: owner }
    expect(problemsIn('topic', body)).toEqual([
      '/sourceUrl: must be a string',
      '/cleanupPolicies/0: must be a string',
      '/owners/1/length: unknown member',
      '/owners/1: must have an id or a fullyQualifiedName',
    ])
  }
})

it('what nests says how far in the mistake is', () =>
  expect(
    problemsIn('table', {
      name: 'a',
      databaseSchema: 's',
      columns: [{ name: 'x', dataType: 'STRUCT', children: [{ dataType: 'INT', size: 1 }] }],
      tableConstraints: [{ constraintType: 'UNIQUE', columns: [] }],
    }),
  ).toEqual([
    '/columns/0/children/0/name: is required',
    '/columns/0/children/0/size: unknown member',
    '/tableConstraints/0/columns: must not be empty',
  ]))

it('defaults are those of the kind', () => {
  expect(defaultsOf(kindNamed('topic'))).toEqual({ entityStatus: 'Unprocessed', partitions: 1, retentionSize: -1 })
  expect(defaultsOf(kindNamed('dataContract'))).toEqual({ entityStatus: 'Draft' })
})

it.each([
  ['id', 'must be a UUID'],
  ['type', 'must be a string'],
  ['fullyQualifiedName', 'must be a fully qualified name'],
  ['unheardOf', 'unknown member'],
])('null as the %s of a reference is refused by its path', (member, message) => {
  const reference = { id: someId, fullyQualifiedName: 'ann', [member]: null }
  const table = { name: 'a', databaseSchema: 'a.b.c' }
  const column = { name: 'c', dataType: 'INT', description: null, tags: [reference] }
  const paths = ['/owners/1', '/domain', '/tags/0', '/columns/0/tags/0']
  expect(
    problemsIn('table', {
      ...table,
      owners: ['ben', reference],
      domain: reference,
      tags: [reference],
      columns: [column],
    }),
  ).toEqual(paths.map((path) => `${path}/${member}: ${message}`))
})

it('null inside of a member is like absent, but open objects keep it', () => {
  const columns = [
    {
      name: 'x',
      dataType: 'STRUCT',
      description: null,
      tags: null,
      extension: { a: null },
      children: [{ name: 'y', dataType: 'INT', displayName: null }],
    },
  ]
  expect(parsed('table', { name: 'a', databaseSchema: 's', columns }).values['columns']).toEqual([
    { name: 'x', dataType: 'STRUCT', extension: { a: null }, children: [{ name: 'y', dataType: 'INT' }] },
  ])
  expect(columns[0]).toHaveProperty('description', null)
  expect(
    problemsIn('table', { name: 'a', databaseSchema: 's', columns: [{ name: null, dataType: 'INT' }, null] }),
  ).toEqual(['/columns/0/name: is required', '/columns/1: must be an object'])
})

it('long lists are read some items at a time, and every problem stands where its item does', async () => {
  const columns = Array.from({ length: 1200 }, (_, at) => ({
    name: `c${at}`,
    dataType: at === 999 ? 'nothing' : 'INT',
    description: at % 2 === 0 ? null : 'x',
    ...(at === 300 && { unknown: 1 }),
    ...(at === 1199 && { children: [{ name: 'y', dataType: 'INT', displayName: 5 }] }),
  }))
  const table = { name: 'a', databaseSchema: 's', columns }
  const { problems, unreadable } = await readRequestInSlices(kindNamed('table'), table, 'upsert')
  expect(problems.map(({ path }) => path)).toEqual([
    '/columns/300/unknown',
    '/columns/999/dataType',
    '/columns/1199/children/0/displayName',
  ])
  expect([...unreadable]).toEqual(['columns'])
  const right = { ...table, columns: columns.filter((_, at) => ![300, 999, 1199].includes(at)) }
  const { values } = await readRequestInSlices(kindNamed('table'), right, 'upsert')
  expect(values['columns']).toEqual(
    right.columns.map(({ description, ...column }) => (description === null ? column : { ...column, description })),
  )
})
