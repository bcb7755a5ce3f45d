import { describe, expect, it } from 'vitest'
import { checkPromises, maxPromises, type PromiseSubject } from '../../src/odcs/promises.ts'
import { checkSemantics } from '../../src/odcs/semantics.ts'

const check = (subject: Partial<PromiseSubject>) =>
  checkPromises({
    contract: {},
    contractVersion: 0.1,
    assetVersion: 0.2,
    tests: [],
    isTested: () => false,
    semantics: [],
    assetColumns: [],
    ...subject,
  })

const outcomes = (result: ReturnType<typeof check>) =>
  (result['promises'] as { promise: string; outcome: string; reason?: string }[]).map(({ promise, outcome, reason }) =>
    reason === undefined ? `${promise}: ${outcome}` : `${promise}: ${outcome}, ${reason}`,
  )

const id = { name: 'id', dataType: 'BIGINT', required: true, unique: true, primaryKey: true }

describe('the promises of a contract', () => {
  it('are kept when all of it was looked at', () => {
    const result = check({
      contract: { schema: [id] },
      assetColumns: [{ name: 'id', dataType: 'INT', constraints: ['PRIMARY_KEY'] }],
    })
    expect(outcomes(result)).toEqual([
      'id exists: passed',
      'id is BIGINT: passed',
      'id is required: passed',
      'id is unique: passed',
      'id is the primary key: passed',
    ])
    expect(result).toMatchObject({
      status: 'Success',
      message: 'The asset keeps what is promised.',
      contractVersion: 0.1,
      assetVersion: 0.2,
      counts: { passed: 5, failed: 0, notChecked: 0, total: 5 },
    })
  })

  it('are not kept in full as long as something was not checked', () => {
    const result = check({
      contract: {
        schema: [{ ...id, dataType: 'UNKNOWN' }],
        sla: { latency: 'PT4H' },
        semantics: [{ name: 'in words', rule: 'be good' }],
        qualityRules: [{ path: '/schema/0/quality/0', column: 'id', rule: { metric: 'nullValues', mustBe: 0 } }],
      },
      tests: [{ testCase: 't.rows' }],
      semantics: checkSemantics([{ name: 'in words', rule: 'be good' }], '{}'),
      assetColumns: [{ name: 'id', dataType: 'INT' }],
    })
    expect(outcomes(result)).toEqual([
      'id exists: passed',
      'id is UNKNOWN: notChecked, the contract does not say which type',
      'id is required: notChecked, the asset has no constraint that says so',
      'id is unique: notChecked, the asset has no constraint that says so',
      'id is the primary key: notChecked, the asset has no constraint that says so',
      't.rows: notChecked, no result has been reported',
      'id: nullValues: notChecked, no test case of this name stands for the rule',
      'latency: notChecked, the catalog does not measure it',
      'in words: notChecked, it has no rule in JSON Logic',
    ])
    expect(result).toMatchObject({
      status: 'PartialSuccess',
      message:
        '1 of 9 promises were checked and are kept. Not checked: id is UNKNOWN, id is required, id is unique and 5 more.',
    })
  })

  it('have an outcome each, also where two rules have one name', () => {
    const semantics = [true, false, true].map((rule) => ({ name: 'a', rule: JSON.stringify({ '!!': rule }) }))
    const result = check({ contract: { semantics }, semantics: checkSemantics(semantics, '{}') })
    expect(outcomes(result)).toEqual(['a: passed', 'a: failed, it does not hold', 'a: passed'])
    expect(result).toMatchObject({
      counts: { passed: 2, failed: 1, total: 3 },
      semanticsValidation: { passed: 2, failed: 1, total: 3, failedRules: [{ ruleName: 'a' }], skippedRules: [] },
    })
  })

  it('are those of the imported document too that the contract has no member for', () => {
    expect(outcomes(check({ levels: ['retention', 'generalAvailability'] }))).toEqual([
      'retention: notChecked, the catalog does not measure it',
      'generalAvailability: notChecked, the catalog does not measure it',
    ])
  })

  it.each([
    ['a missing column', { contract: { schema: [id] }, assetColumns: [{ name: 'no' }] }, 'id exists'],
    [
      'another type',
      { contract: { schema: [{ name: 'id', dataType: 'DATE' }] }, assetColumns: [{ name: 'id', dataType: 'INT' }] },
      'id is DATE',
    ],
    [
      'a column that may be null',
      {
        contract: { schema: [{ name: 'id', dataType: 'INT', required: true }] },
        assetColumns: [{ name: 'id', dataType: 'INT', constraints: ['NULL'] }],
      },
      'id is required',
    ],
    [
      'another primary key',
      {
        contract: { schema: [{ name: 'a', dataType: 'INT', primaryKey: true }] },
        assetColumns: [
          { name: 'a', dataType: 'INT' },
          { name: 'b', constraints: ['PRIMARY_KEY'] },
        ],
      },
      'a is the primary key',
    ],
    [
      'a nested column',
      {
        contract: { schema: [{ name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: 'INT' }] }] },
        assetColumns: [{ name: 'a', dataType: 'STRUCT', children: [{ name: 'c' }] }],
      },
      'a.b exists',
    ],
    ['a failed test', { tests: [{ testCase: 't', result: { status: 'Failed' as const } }] }, 't'],
  ])('fail by %s', (_, subject, promise) => {
    const result = check(subject)
    expect(result).toMatchObject({ status: 'Failed', message: `The asset does not keep what is promised: ${promise}.` })
    expect(result['counts']).toMatchObject({ failed: 1 })
  })

  it('are kept by one of several fields that have the name', () => {
    const assetColumns = [
      { name: 'id', dataType: 'STRING' },
      { name: 'id', dataType: 'INT' },
    ]
    const promised = (dataType: string) =>
      outcomes(check({ contract: { schema: [{ name: 'id', dataType }] }, assetColumns }))
    expect(promised('INT')).toEqual(['id exists: passed', 'id is INT: passed'])
    expect(promised('DATE')).toEqual(['id exists: passed', 'id is DATE: failed, it is STRING'])
  })

  it('tell of a nested column nothing about the primary key of the asset', () => {
    const nested = (column: object) => ({ name: 'a', dataType: 'STRUCT', children: [{ name: 'b', ...column }] })
    const result = check({
      contract: { schema: [nested({ dataType: 'INT', primaryKey: true })] },
      assetColumns: [nested({ dataType: 'INT' }), { name: 'id', constraints: ['PRIMARY_KEY'] }],
    })
    expect(outcomes(result)).toContain('a.b is the primary key: notChecked, the asset has no constraint that says so')
  })

  it('go by the result of a test; an aborted or missing one was not checked, and a composite key is not unique', () => {
    const constraints = ['PRIMARY_KEY']
    const result = check({
      contract: { schema: [{ name: 'a', dataType: 'INT', unique: true }] },
      tests: [
        { testCase: 't', result: { status: 'Success' } },
        { testCase: 'u', result: { status: 'Aborted', message: 'no connection' } },
        { testCase: 'v', missing: 'the test case is gone' },
      ],
      assetColumns: [
        { name: 'a', dataType: 'INT', constraints },
        { name: 'b', dataType: 'INT', constraints },
      ],
    })
    expect(outcomes(result).slice(2)).toEqual([
      'a is unique: notChecked, the asset has no constraint that says so',
      't: passed',
      'u: notChecked, no connection',
      'v: notChecked, the test case is gone',
    ])
  })

  /** The outcome of the type of a column that the asset has so. */
  const typed = (promised: object, asset: object) =>
    outcomes(
      check({
        contract: { schema: [{ name: 'a', dataType: 'ARRAY', ...promised }] },
        assetColumns: [{ name: 'a', ...asset }],
      }),
    )[1]

  it.each([
    ['STRING', { arrayDataType: 'VARCHAR' }, 'passed'],
    ['STRING', { arrayDataType: 'INT' }, 'failed, it is ARRAY<INT>'],
    ['STRING', { dataTypeDisplay: 'array<long>' }, 'failed, it is array<long>'],
    ['STRUCT', { dataTypeDisplay: 'array<Line>', children: [{ name: 'b' }] }, 'passed'],
    ['STRING', {}, 'notChecked, the catalog does not know the type of its items'],
    ['UNKNOWN', { arrayDataType: 'INT' }, 'notChecked, the contract does not say which type its items have'],
  ])('compare the type of the items of an array: %s and %j', (items, asset, outcome) => {
    expect(typed({ arrayDataType: items }, { dataType: 'ARRAY', ...asset })).toBe(`a is ARRAY<${items}>: ${outcome}`)
  })

  it.each([
    ['STRING', 'GEOMETRY', 'notChecked, STRING and GEOMETRY cannot be compared'],
    ['GEOMETRY', 'GEOMETRY', 'passed'],
    ['STRING', 'JSON', 'notChecked, STRING and JSON cannot be compared'],
    ['STRUCT', 'JSON', 'passed'],
    ['STRING', 'BYTEA', 'notChecked, STRING and BYTEA cannot be compared'],
    ['VARCHAR', 'BYTEA', 'failed, it is BYTEA'],
    ['STRING', 'UUID', 'passed'],
  ])('are not broken by types that cannot be compared: %s and %s', (promised, is, outcome) => {
    expect(typed({ dataType: promised }, { dataType: is })).toBe(`a is ${promised}: ${outcome}`)
  })

  it('do not say that what may be null is required', () => {
    const contract = { schema: [{ name: 'a', dataType: 'INT', constraint: 'NULL', required: true }] }
    const result = check({ contract, assetColumns: [{ name: 'a', dataType: 'INT', constraints: ['NULL'] }] })
    expect(outcomes(result)).toEqual(['a exists: passed', 'a is INT: passed'])
  })

  it('of a very large contract are all counted, and those that are not kept listed first', () => {
    const columns = Array.from({ length: maxPromises }, (_, index) => ({ name: `c${index}`, dataType: 'INT' }))
    const result = check({
      contract: { schema: [...columns, { name: 'gone', dataType: 'INT' }] },
      assetColumns: columns,
    })
    expect(result['counts']).toEqual({ passed: 2 * maxPromises, failed: 1, notChecked: 0, total: 2 * maxPromises + 1 })
    expect(outcomes(result)).toHaveLength(maxPromises)
    expect(outcomes(result)[0]).toBe('gone exists: failed, the asset has no such column or field')
  })

  it('can be none at all', () => {
    expect(check({})).toMatchObject({
      status: 'Success',
      message: 'The contract promises nothing that can be checked.',
    })
  })
})
