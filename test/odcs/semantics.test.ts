import { describe, expect, it } from 'vitest'
import { checkSemantics } from '../../src/odcs/semantics.ts'
import { limits } from '../../src/shared/limits.ts'
import type { JsonObject } from '../../src/odcs/model/types.ts'

const asset: JsonObject = {
  name: 'orders',
  tableType: 'Regular',
  owners: [{ name: 'ann', type: 'user' }],
  columns: [
    { name: 'id', dataType: 'INT', description: 'The key.' },
    { name: 'note', dataType: 'TEXT' },
  ],
}

const rule = (logic: unknown, more: JsonObject = {}): JsonObject => ({
  name: 'the rule',
  rule: typeof logic === 'string' ? logic : JSON.stringify(logic),
  ...more,
})

describe('the semantics of a contract', () => {
  it.each([
    ['a value', { '==': [{ var: 'tableType' }, 'Regular'] }],
    ['something that is there', { '!!': [{ var: 'owners' }] }],
    ['an item of a list', { some: [{ var: 'columns' }, { '==': [{ var: 'dataType' }, 'INT'] }] }],
    ['nothing that is missing', { '!': [{ missing: ['name', 'tableType'] }] }],
  ])('hold when their rule finds %s', (_, logic) => {
    expect(checkSemantics([rule(logic)], JSON.stringify(asset))).toEqual([{ ruleName: 'the rule', outcome: 'passed' }])
  })

  it('fail with the name of the rule when it does not hold', () => {
    const logic = { all: [{ var: 'columns' }, { '!!': [{ var: 'description' }] }] }
    expect(checkSemantics([rule(logic)], JSON.stringify(asset))).toEqual([
      { ruleName: 'the rule', outcome: 'failed', reason: 'it does not hold' },
    ])
  })

  it.each([
    ['are not enabled', rule({ '==': [1, 2] }, { enabled: false })],
    ['are in words', rule('Every order has a customer.')],
    ['have no rule', { name: 'the rule' }],
  ])('are not checked when they %s', (_, semantic) => {
    expect(checkSemantics([semantic], JSON.stringify(asset))).toMatchObject([{ outcome: 'notChecked' }])
  })

  it('are not checked, and have not failed, when they have too many parts', () => {
    const logic = { and: Array.from({ length: limits.ruleParts.value }, () => true) }
    expect(checkSemantics([rule(logic)], JSON.stringify(asset))).toEqual([
      { ruleName: 'the rule', outcome: 'notChecked', reason: 'it has more than 200 parts' },
    ])
  })

  it.each([
    ['an operator that makes texts grow', { cat: ['a', 'b'] }, /not an operator here/],
    [
      'a loop over a growing value',
      { reduce: [{ var: 'columns' }, { var: 'accumulator' }, 0] },
      /not an operator here/,
    ],
    ['a member of every object', { constructor: [] }, /not an operator here/],
    ['a loop in a loop', { some: [{ var: 'columns' }, { some: [{ var: 'x' }, true] }] }, /may not stand inside/],
    [
      'a loop far inside a loop',
      { all: [{ var: 'columns' }, { '!': [{ some: [{ var: 'x' }, true] }] }] },
      /may not stand inside/,
    ],
  ])('fail with a reason for %s, and are not evaluated', (_, logic, reason) => {
    const [failed] = checkSemantics([rule(logic)], JSON.stringify(asset))
    expect(failed).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(reason) as string })
  })
})
