import { describe, expect, it } from 'vitest'
import { mayChangeNumbers, isChangedNumber } from '../../src/shared/json.ts'
import fc from '../support/fastCheck.ts'

describe('isChangedNumber', () => {
  it.each([
    '9007199254740993',
    '-12345678901234567890',
    '36028797018963968',
    '36028797018963968.0',
    '9007199254740993.0',
    '123456789012345678.25',
    '3.14159265358979323846',
    '1.0000000000000001',
    '1e-400',
    '0.1000000000000000055511151231257827',
    '12345678901234567.8e1',
  ])('%s is', (literal) => expect(isChangedNumber(literal)).toBe(true))

  it.each([
    '0',
    '-0',
    '0e-400',
    '0.00000000000000000000',
    '9007199254740991',
    '9007199254740992',
    '123456789012345680000',
    '1000000000000000000000',
    '1e21',
    '12345678901234567e3',
    '1.50',
    '1.500000000000000000000',
    '-00.5',
    '+1.5',
    '.5',
    '5.',
    '5e-324',
    '0.10000000000000001',
    '1.7976931348623157e308',
    '1e400',
    '.inf',
    '0x1f',
  ])('%s is not', (literal) => expect(isChangedNumber(literal)).toBe(false))

  it('no number is that a double was written as', () =>
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const texts = [
          String(value),
          value.toExponential(),
          ...(Number.isInteger(value) ? [] : [value.toPrecision(17)]),
        ]
        expect(texts.filter(isChangedNumber)).toEqual([])
        expect(mayChangeNumbers(`[${texts.join(', ')}]`)).toBe(false)
      }),
    ))
})

it('mayChangeNumbers finds them as values of JSON', () => {
  for (const literal of ['9007199254740993', '1.2345678901234567890', '-1.5E-0324', `0.${'0'.repeat(400)}1`])
    expect([mayChangeNumbers(`{"a": ${literal}}`), mayChangeNumbers(`{"a":"${literal}"}`)]).toEqual([true, false])
})
