import fc from '../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import { nameFromText, nameProblem } from '../../src/shared/entityName.ts'
import { ancestorFqns, buildFqn, childFqn, entityId, isUuid, readFqn, splitFqn } from '../../src/kinds/names.ts'

const part = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
  fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', '.', '"', ' ', 'é') }),
)
const parts = fc.array(part, { minLength: 1, maxLength: 6 })

describe('fully qualified names', () => {
  it('give back the names that they were built of', () =>
    fc.assert(
      fc.property(parts, (names) => {
        expect(splitFqn(buildFqn(names))).toEqual(names)
      }),
    ))

  it('are different for different names', () =>
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(buildFqn(a) === buildFqn(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
      }),
    ))

  it('grow by one name at a time', () =>
    fc.assert(
      fc.property(parts, part, (names, name) => {
        expect(childFqn(buildFqn(names), name)).toBe(buildFqn([...names, name]))
      }),
    ))

  it('have everything above them as ancestors, nearest last', () =>
    fc.assert(
      fc.property(parts, (names) => {
        expect(ancestorFqns(buildFqn(names))).toEqual(
          names.slice(0, -1).map((_, index) => buildFqn(names.slice(0, index + 1))),
        )
      }),
    ))

  it.each(['', '.', 'a.', '.a', 'a..b', '"a', 'a"b', '"a"b', '"a".', '""a', '""', 'a.""'])('%s is none', (text) =>
    expect(splitFqn(text)).toBeUndefined(),
  )

  it('are read in canonical quoting where they are no longer than any can be', () => {
    expect(readFqn('"a"."b.c"')).toBe('a."b.c"')
    expect(readFqn('a..b')).toBeUndefined()
    expect(readFqn('a'.repeat(3072))).toHaveLength(3072)
    expect(readFqn('a'.repeat(3073))).toBeUndefined()
  })

  it('names are only split into what builds the same again', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '.', '"') }), (text) => {
        const names = splitFqn(text)
        if (names !== undefined) expect(splitFqn(buildFqn(names))).toEqual(names)
      }),
    ))
})

describe('names from texts of others', () => {
  it('are what can be a name, whatever the text', () =>
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 600, unit: fc.constantFrom('a', ':', '\0', '😀', '\ud83d', '\n') }),
        (text) => {
          const name = nameFromText(text)
          expect(nameProblem(name)).toBeUndefined()
          expect(name.isWellFormed()).toBe(true)
        },
      ),
    ))

  it.each([
    ['a:::b::c:d', 'a:b:c:d'],
    ['a\0\nb ', 'a  b '],
    ['\ud800x', '\ufffdx'],
    ['😀'.repeat(300), '😀'.repeat(256)],
  ])('%j is %j', (text, name) => expect(nameFromText(text)).toBe(name))
})

describe('ids', () => {
  it('follow from kind and name, and are UUIDs', () =>
    fc.assert(
      fc.property(part, part, (a, b) => {
        expect(isUuid(entityId('table', a))).toBe(true)
        expect(entityId('table', a) === entityId('table', b)).toBe(a === b)
        expect(entityId('table', a)).not.toBe(entityId('topic', a))
      }),
    ))

  it('never change: streams are named by them', () =>
    expect(entityId('table', 'svc.db.schema.orders')).toBe('bdef2172-bd23-57ab-916b-582b00d897f9'))
})
