import { describe, expect, test } from 'vitest'
import { isValidDocument } from '../../../src/odcs/read/check.ts'
import { readDocument } from '../../../src/odcs/read/readDocument.ts'
import { upgrade } from '../../../src/odcs/upgrade/upgrade.ts'
import type { JsonObject } from '../../../src/odcs/model/types.ts'
import { lostLeaves } from '../../../scripts/odcsLeaves.ts'
import { MINIMAL, V2, V30, V31 } from '../documents.ts'

function read(text: string): JsonObject {
  const result = readDocument(text, 'yaml')
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.document
}

function upgraded(text: string): JsonObject {
  const original = read(text)
  const { document } = upgrade(original)
  expect(isValidDocument('v3.1.0', document)).toBe(true)
  expect(lostLeaves(original, document).lost).toEqual([])
  return document
}

test('a valid v3.1.0 document comes back as it is', () => {
  const document = read(V31)
  expect(upgrade(document).document).toBe(document)
})

describe('v3.0', () => {
  const document = upgraded(V30)

  test('keeps the order of its members', () => {
    expect(Object.keys(document)).toEqual([
      'version',
      'apiVersion',
      'kind',
      'id',
      'status',
      'servers',
      'schema',
      'team',
      'roles',
      'slaProperties',
      'customProperties',
    ])
  })

  test('servers keep what their type does not know as custom properties', () => {
    expect(document['servers']).toEqual([
      {
        server: 'lake',
        type: 'athena',
        stagingDir: 's3://tmp2',
        schema: 'raw',
        customProperties: [
          { property: 'staging_dir', value: 's3://tmp' },
          { property: 'color', value: 'blue' },
        ],
      },
    ])
  })

  test('exclusive flags become bounds', () => {
    expect(document).toMatchObject({
      schema: [{ properties: [{ logicalTypeOptions: { exclusiveMinimum: 0, maximum: 150 } }, {}] }],
    })
  })

  test('a name that every object has is a rule like any other that nobody knows', () => {
    const text = `apiVersion: v3.0.1
kind: DataContract
id: odd
version: 1.0.0
status: active
schema:
  - name: tbl
    quality:
      - {rule: constructor, mustBe: 0}
`
    const odds = upgraded(text) as unknown as { schema: { quality: JsonObject[] }[] }
    const [odd] = odds.schema[0]?.quality ?? []
    expect(odd).toMatchObject({ type: 'text', customProperties: [{ property: 'rule', value: 'constructor' }, {}] })
  })

  test('rules get a metric, or become text with their members kept beside it', () => {
    const rules = (document['schema'] as { properties: { quality: JsonObject[] }[] }[])[0]?.properties[1]?.quality
    expect(rules?.[0]).toEqual({
      type: 'text',
      severity: 'error',
      customProperties: [
        { property: 'rule', value: 'nullCheck' },
        { property: 'type', value: 'library' },
        { property: 'frobnicate', value: 7 },
      ],
    })
    expect(rules?.[1]).toEqual({ metric: 'duplicateValues', rule: 'duplicateCount', mustBe: 0 })
    expect(rules?.[2]).toMatchObject({
      type: 'text',
      customProperties: [{ property: 'type', value: 'sql' }, { property: 'query' }],
    })
    expect(rules?.[3]).toEqual({
      type: 'custom',
      engine: 'soda',
      implementation: 'x: y',
      customProperties: [{ property: 'mustBe', value: 3 }],
    })
  })

  test('elements without customProperties keep what does not fit at the nearest one with', () => {
    expect(document['slaProperties']).toEqual([{ property: 'latency', value: 4, unit: 'd', element: 'tbl.age' }])
    expect(document['customProperties']).toEqual([{ property: 'slaProperties[0].note', value: 'internal' }])
    expect(document['roles']).toEqual([
      { role: 'r', firstLevelApprovers: 'Boss', customProperties: [{ property: 'level', value: 3 }] },
    ])
    expect(document['team']).toEqual([{ username: 'dan', role: 'owner', description: 'Keeper' }])
  })
})

describe('v2', () => {
  const document = upgraded(V2)

  test('members move to their new names', () => {
    expect(document).toMatchObject({
      apiVersion: 'v3.1.0',
      kind: 'DataContract',
      id: '53581432',
      dataProduct: 'my quantum',
      domain: 'seller',
      status: 'current',
      slaDefaultElement: 'tbl.at',
      slaProperties: [{ element: 'tbl.at', value: 4 }],
      team: { members: [{ username: 'daustin', role: 'Owner', description: 'Keeper' }] },
      support: [
        { channel: 'dl@example.org', tool: 'email', url: 'mailto:dl@example.org' },
        { channel: '#help', tool: 'slack' },
      ],
      servers: [{ type: 'bigquery', project: 'edw', dataset: 'views' }],
      price: { priceAmount: 9.95 },
    })
  })

  test('columns become properties', () => {
    expect(document['schema']).toMatchObject([
      {
        name: 'tbl',
        dataGranularityDescription: 'daily',
        customProperties: [{ property: 'priorTableName', value: 'old_tbl' }],
        properties: [
          {
            name: 'at',
            primaryKey: false,
            logicalType: 'timestamp',
            required: true,
            partitioned: true,
            examples: ['2022-10-03'],
            quality: [
              {
                name: 'nullCheck',
                type: 'custom',
                engine: 'Elevate',
                implementation: 'DQ.x',
                method: 'dataQuality',
                dimension: 'completeness',
                scheduler: 'cron',
              },
            ],
          },
        ],
      },
    ])
  })

  test.each([
    ['timestamp', 'timestamp'],
    ['array<int>', 'array'],
    ['vector', 'array'],
    ['BIGNUMERIC', 'number'],
    ['serial', 'integer'],
    ['time(6)', 'time'],
    ['variant', 'object'],
    ['interval', 'string'],
    ['longtext', 'string'],
    ['of our own', 'string'],
  ])('the type %s becomes %s', (logicalType, expected) => {
    const columns = [{ column: 'c', logicalType }]
    const { document: of } = upgrade({ quantumName: 'q', dataset: [{ table: 't', columns }] })
    expect(of['schema']).toMatchObject([{ properties: [{ name: 'c', logicalType: expected }] }])
  })

  test('what has no place is kept at the top, nulls are dropped', () => {
    const kept = Object.fromEntries(
      (document['customProperties'] as { property: string; value: unknown }[]).map(({ property, value }) => [
        property,
        value,
      ]),
    )
    expect(kept).toMatchObject({
      ref: null,
      datasetKind: 'virtualDataset',
      userConsumptionMode: 'Analytical',
      username: 'joe',
      type: 'tables',
      systemInstance: 'here',
    })
    expect(document['description']).toEqual({ purpose: 'Views' })
    expect(JSON.stringify(document)).not.toContain('s3cret')
  })
})

test.each([
  ['2022-11-15 02:59:43', '2022-11-15T02:59:43Z'],
  ['2023-09-28 20:24:49.331 UTC', '2023-09-28T20:24:49.331Z'],
  ['2022-11-15T02:59+0130', '2022-11-15T02:59:00+01:30'],
  ['2022-11-15', '2022-11-15T00:00:00Z'],
  ['last autumn', undefined],
  ['2022-13-45 02:59:43', undefined],
])('a moment written as %s is exported as RFC 3339, and the word as it was is kept', (text, moment) => {
  const kept = [{ property: 'contractCreatedTs', value: text }]
  for (const document of [V2, MINIMAL])
    expect(upgraded(`${document}contractCreatedTs: "${text}"\n`)).toMatchObject({
      ...(moment !== undefined && { contractCreatedTs: moment }),
      customProperties: document === V2 ? expect.arrayContaining(kept) : kept,
    })
  expect('contractCreatedTs' in upgraded(`${MINIMAL}contractCreatedTs: "${text}"\n`)).toBe(moment !== undefined)
})

test('a day of the team that has a time is exported as a day', () => {
  const document = upgraded(
    `${MINIMAL}team: {members: [{username: a, dateIn: 2022-08-02 10:00:00, dateOut: "2022-09-01"}]}\n`,
  )
  expect(document['team']).toEqual({
    members: [
      {
        username: 'a',
        dateIn: '2022-08-02',
        dateOut: '2022-09-01',
        customProperties: [{ property: 'dateIn', value: '2022-08-02 10:00:00' }],
      },
    ],
  })
})

test('a dataset written as a mapping of tables is read', () => {
  const document = upgraded(
    'uuid: u\nversion: "1"\nstatus: x\nstandardVersion: 2.2.0\ndataset:\n  tables:\n  - table: t\n    columns:\n    - {column: c, primary: true, nullable: false}\n',
  )
  expect(document['schema']).toEqual([{ name: 't', properties: [{ name: 'c', primaryKey: true, required: true }] }])
})

test('a top-level quality list becomes rules of the chosen object', () => {
  const text = `${MINIMAL}schema: [{name: a}, {name: b}]\nquality:\n- {type: text, description: d}\n`
  const document = read(text)
  expect(upgrade(document, { objectName: 'B' }).document).toMatchObject({
    schema: [{ name: 'a' }, { name: 'b', quality: [{ type: 'text', description: 'd' }] }],
  })
  const unchosen = upgrade(document).document
  expect(unchosen).not.toHaveProperty('quality')
  expect(unchosen['customProperties']).toEqual([{ property: 'quality', value: [{ type: 'text', description: 'd' }] }])
})

test('the leaf check notices a lost, a moved and a retyped value', () => {
  const document = read(V31)
  const { tenant: _tenant, ...without } = document
  expect(lostLeaves(document, without).lost).toEqual(['/tenant'])
  expect(lostLeaves(document, { ...document, version: 1 }).lost).toEqual(['/version'])
})

describe('a rule with parts that v3.1.0 does not take', () => {
  const rule = '{type: text, description: d, PART}'
  const old = `apiVersion: v3.0.2\nkind: DataContract\nid: parts\nversion: "1"\nstatus: active\nschema:\n  - name: o\n    quality: [${rule}]\n    properties:\n      - {name: p, logicalType: integer, quality: [${rule}]}\n`

  test.each([
    ['customProperties: [{property: ticket}]', [{ property: 'ticket', value: null }]],
    ['customProperties: [{value: 1}]', [{ property: 'customProperties[0]', value: { value: 1 } }]],
  ])('keeps %s at its place, and the columns stay', (part, customProperties) => {
    const quality = [expect.objectContaining({ type: 'text', description: 'd', customProperties })]
    expect(upgraded(old.replaceAll('PART', part))['schema']).toEqual([
      { name: 'o', quality, properties: [{ name: 'p', logicalType: 'integer', quality }] },
    ])
  })

  test('keeps an authoritative definition of v2 without a type, and the columns stay', () => {
    const part = 'authoritativeDefinitions: [{url: https://a}]'
    const text = `uuid: u\nversion: "1"\nstatus: x\ndataset: [{table: t, columns: [{column: c}], quality: [{code: q, ${part}}]}]\n`
    const customProperties = [{ property: 'authoritativeDefinitions[0]', value: { url: 'https://a' } }]
    expect(upgraded(text)['schema']).toMatchObject([{ properties: [{ name: 'c' }], quality: [{ customProperties }] }])
  })
})

test('members of a team without a user name are kept as custom properties', () => {
  const team = 'team: [{name: Anna, role: owner}, {username: bob}, {role: steward}]\n'
  expect(upgraded(`${MINIMAL.replace('v3.1.0', 'v3.0.2')}${team}`)).toMatchObject({
    team: [{ username: 'bob' }],
    customProperties: [
      { property: 'team[2]', value: { role: 'steward' } },
      { property: 'team[0]', value: { name: 'Anna', role: 'owner' } },
    ],
  })
})

test.each([
  ['team: [{username: c}]\nstakeholders: [{username: d}]', { team: { members: [{ username: 'd' }] } }],
  ['stakeholders: [{username: d}]\nteam: [{username: c}]', { team: { members: [{ username: 'd' }] } }],
  ['support: none\nproductDl: a@b.c', { support: [{ channel: 'a@b.c' }] }],
  ['support: [{channel: a}]\nproductFeedbackUrl: b', { support: [{ channel: 'a' }, { url: 'b' }] }],
])('of what a member of v2 and another one say, the latter is kept as it is: %j', (members, expected) => {
  expect(upgraded(`uuid: u\nversion: "1"\nstatus: x\ndataset: []\n${members}\n`)).toMatchObject(expected)
})

test.each([
  ['primaryKey: true, isPrimaryKey: "no"', { primaryKey: false }],
  ['required: false, isNullable: false', { required: true }],
  ['unique: true, isUnique: false', { unique: false }],
  ['isPrimary: true, isPrimaryKey: false', { primaryKey: true }],
  ['isPrimaryKey: perhaps, primaryKey: true', { primaryKey: true }],
])('the same goes for a column: %s', (members, expected) => {
  const odd = `{properties: none, table: t, columns: [{name: {}, column: b}]}`
  const document = upgraded(
    `uuid: u\nversion: "1"\nstatus: x\ndataset: [{table: s, columns: [{column: c, ${members}}]}, ${odd}]\n`,
  )
  expect(document['schema']).toMatchObject([
    { properties: [{ name: 'c', ...expected }] },
    { name: 't', properties: [{ name: 'b' }] },
  ])
})

test('a v2 rule keeps what its members of v3 say beside those of v2', () => {
  const rule = 'scheduler: airflow, schedule: daily, scheduleCronExpression: 0 20 * * *'
  const tool = 'engine: soda, toolName: Elevate, toolRuleName: DQ'
  const text = `uuid: u\nversion: "1"\nstatus: x\ndataset: [{table: t, quality: [{code: q, ${rule}}, {code: r, ${tool}}]}]\n`
  expect(upgraded(text)['schema']).toMatchObject([
    { quality: [{ schedule: '0 20 * * *', scheduler: 'cron' }, { type: 'text' }] },
  ])
})

test('a rule that says how many values are valid is prose in v3.1.0, which only counts the invalid ones', () => {
  const text = `${MINIMAL.replace('v3.1.0', 'v3.0.2')}schema:\n  - name: o\n    quality: [{rule: validValues, validValues: [a], arguments: {validValues: [b]}, mustBeGreaterThan: 95, unit: percent}]\n`
  expect(upgraded(text)['schema']).toMatchObject([{ quality: [{ type: 'text', unit: 'percent' }] }])
})

test.each([
  'dataset: []\nsourceSystem: {toString: null}',
  'dataset: [{table: t, columns: [{column: c, logicalType: {toString: 1}, isNullable: {toString: 1}}]}]',
  'dataset: []\nroles: [{role: r, firstLevelApprovers: [{toString: 1}, [{toString: 1}]]}]',
  'dataset: []\nslaProperties: [{property: latency, value: 1, unit: {toString: 1}}]',
])('a mapping where a text is expected is kept: %j', (members) => {
  upgraded(`uuid: u\nversion: "1"\nstatus: x\n${members}\n`)
})

test('approvers of a role that are a list are one text, and the list is kept', () => {
  const text = `uuid: u\nversion: "1"\nstatus: x\ndataset: []\nroles: [{role: r, firstLevelApprovers: [ann, ben]}]\n`
  const customProperties = [{ property: 'firstLevelApprovers', value: ['ann', 'ben'] }]
  expect(upgraded(text)['roles']).toEqual([{ role: 'r', firstLevelApprovers: 'ann, ben', customProperties }])
})

test('a mapping is not a version of a document', () => {
  expect(readDocument('{apiVersion: {toString: 1}, kind: DataContract}', 'yaml')).toMatchObject({
    problems: [
      { path: '/apiVersion', message: expect.stringContaining('the version "{"toString":1}" is not supported') },
    ],
  })
})

test('objects that v3.1.0 cannot hold, and no custom property in their place, are a problem', () => {
  const { unfit } = upgrade({ ...read(MINIMAL), schema: [{ name: 'o' }, { physicalName: 'p' }] })
  expect(unfit).toEqual({ path: '/schema/1', message: expect.stringContaining('cannot be kept') })
})

test('a relationship that does not fit takes none of those after it along, however much of it is wrong', () => {
  const relationships = [
    { from: 5, to: 7, type: null },
    { from: 'a.b', to: 'c.d' },
    { from: 8, to: 9 },
  ]
  const { document } = upgrade({ ...read(MINIMAL), schema: [{ name: 'a', relationships }] })
  expect(isValidDocument('v3.1.0', document)).toBe(true)
  expect(document['schema']).toEqual([
    {
      name: 'a',
      relationships: [relationships[1]],
      customProperties: [
        { property: 'relationships[2]', value: { from: 8, to: 9 } },
        { property: 'relationships[0]', value: { from: 5, to: 7 } },
      ],
    },
  ])
})
