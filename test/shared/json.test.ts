import fc from '../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { canonicalJson, isObject, jsonLength, sameJson, type Json } from '../../src/shared/json.ts'

const json = (): fc.Arbitrary<Json> => fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<Json>
/** The same value with the keys of every object in another order. */
const turned = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(turned)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toReversed()
      .map((key) => [key, turned(value[key] as Json)]),
  )
}

describe('canonical JSON', () => {
  test.each<[string, Json, string]>([
    [
      'sorts by UTF-16 code units',
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 },
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    ],
    ['sorts keys that look like numbers as text', { '10': 1, '9': 2, '1a': 3 }, '{"10":1,"1a":3,"9":2}'],
    ['sorts at every depth', { b: [{ d: 1, c: { f: 1, e: [] } }], a: {} }, '{"a":{},"b":[{"c":{"e":[],"f":1},"d":1}]}'],
    [
      'writes numbers as ECMAScript does',
      [JSON.parse('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0, 1e21, 123456789012345680000],
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,123456789012345680000]',
    ],
    [
      'escapes only what must be',
      '\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028\b\t\f',
      '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028\\b\\t\\f"',
    ],
    ['escapes unpaired surrogates', ['\ud800', '\ud83d\ude00'], '["\\ud800","\ud83d\ude00"]'],
    ['writes literals', [null, true, false], '[null,true,false]'],
    ['keeps the order of arrays', [3, 1, 2], '[3,1,2]'],
  ])('%s', (_, value, text) => expect(canonicalJson(value)).toBe(text))

  test('keeps a member named __proto__', () => {
    const value = JSON.parse('{"z":1,"__proto__":{"b":1,"a":2}}') as Json
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":2,"b":1},"z":1}')
  })

  test('reads back as the same value', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('is the same for equal values whatever the order of their keys', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value))
        expect(sameJson(turned(value), value)).toBe(true)
      }),
    )
  })

  test('differs when the values do', () => {
    fc.assert(
      fc.property(json(), json(), (a, b) => {
        expect(canonicalJson(a) === canonicalJson(b)).toBe(sameJson(a, b))
      }),
    )
  })
})

describe('the length of JSON', () => {
  test('is that of its text where nothing must be escaped', () => {
    const plain = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('\\'))
    fc.assert(fc.property(plain, (value) => jsonLength(value as Json) === JSON.stringify(value).length))
  })
})
