import { describe, expect, it } from 'vitest'
import { etag, ifMatch, ifNoneMatch, matches, notModified } from '../../../src/api/http/preconditions.ts'

describe('entity tags', () => {
  it('are strong and hold the revision', () => {
    expect(etag(0n)).toBe('"0"')
    expect(etag(12345678901234567890n)).toBe('"12345678901234567890"')
  })
})

describe('If-Match', () => {
  it.each([
    [undefined, undefined],
    ['*', '*'],
    [' * ', '*'],
    ['"3"', ['3']],
    ['"3","4" , "5"', ['3', '4', '5']],
    ['W/"3"', []],
    ['W/"3", "4"', ['4']],
    ['"abc"', []],
    ['"03"', []],
    ['""', []],
    ['"9223372036854775807"', ['9223372036854775807']],
  ])('%j names %j', (header, condition) => {
    const read = ifMatch(header === undefined ? {} : { 'if-match': header })
    expect(Array.isArray(read) ? read.map(String) : read).toEqual(condition)
  })

  it.each(['', ' ', '3', '"3', '3"', '"3" "4"', 'w/"3"', '*, "3"', '"3"; "4"', Array(101).fill('"1"').join(',')])(
    'refuses %j',
    (header) => {
      expect(() => ifMatch({ 'if-match': header })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
    },
  )

  it('matches what exists at a named revision', () => {
    expect(matches([3n, 4n], 4n)).toBe(true)
    expect(matches([3n], 4n)).toBe(false)
    expect(matches('*', 4n)).toBe(true)
    expect(matches('*', undefined)).toBe(false)
    expect(matches([], 0n)).toBe(false)
  })
})

describe('If-None-Match', () => {
  it('compares weakly', () => {
    expect(ifNoneMatch({ 'if-none-match': 'W/"3"' })).toEqual([3n])
    expect(notModified({ 'if-none-match': 'W/"3"' }, 3n)).toBe(true)
    expect(notModified({ 'if-none-match': '"1", "3"' }, 3n)).toBe(true)
    expect(notModified({ 'if-none-match': '*' }, 3n)).toBe(true)
    expect(notModified({ 'if-none-match': '"2"' }, 3n)).toBe(false)
    expect(notModified({}, 3n)).toBe(false)
  })
})
