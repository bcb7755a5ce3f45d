import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { parseSearchQuery, type SearchExpression } from '../../../src/projections/search/query.ts'

const parsed = (q: string): SearchExpression | undefined => {
  const result = parseSearchQuery(q)
  if ('error' in result) throw new Error(`${q}: column ${result.error.column}: ${result.error.message}`)
  return result.expression
}

const text = (...words: string[]): Extract<SearchExpression, { type: 'text' }> => ({
  type: 'text',
  words,
  prefix: false,
  joined: false,
})

const quoted = (...words: string[]) => ({ ...text(...words), quoted: true as const })

describe('parseSearchQuery', () => {
  test.each<[string, SearchExpression | undefined]>([
    ['', undefined],
    ['  \t ', undefined],
    ['*', undefined],
    ['(*)', undefined],
    ['Order', text('order')],
    ['a b', { type: 'and', of: [text('a'), text('b')] }],
    ['a AND b', { type: 'and', of: [text('a'), text('b')] }],
    ['a b OR c', { type: 'or', of: [{ type: 'and', of: [text('a'), text('b')] }, text('c')] }],
    ['a (b OR c)', { type: 'and', of: [text('a'), { type: 'or', of: [text('b'), text('c')] }] }],
    ['a NOT b', { type: 'and', of: [text('a'), { type: 'not', of: text('b') }] }],
    ['a -b', { type: 'and', of: [text('a'), { type: 'not', of: text('b') }] }],
    ['a - b', { type: 'and', of: [text('a'), text('b')] }],
    ['-(a b)', { type: 'not', of: { type: 'and', of: [text('a'), text('b')] } }],
    ['and or not', { type: 'and', of: [text('and'), text('or'), text('not')] }],
    ['"AND"', quoted('and')],
    ['\\AND', text('and')],
    ['"a b"', quoted('a', 'b')],
    ['"a \\" b"', quoted('a', 'b')],
    ['a_b', { ...text('a', 'b'), joined: true }],
    ['aB-c', { ...text('a', 'b', 'c'), joined: true }],
    ['a\\-b', { ...text('a', 'b'), joined: true }],
    ['ord*', { ...text('ord'), prefix: true }],
    ['a_ord*', { ...text('a', 'ord'), joined: true, prefix: true }],
    ['or*', { ...text('or'), prefix: true, parts: ['name', 'displayName'] }],
    ['description:or*', { ...text('or'), prefix: true, parts: ['description'] }],
    ['NAME:a', { ...text('a'), parts: ['name'] }],
    ['tag:a', { ...text('a'), parts: ['tags'] }],
    ['tags.tagFQN:a', { ...text('a'), parts: ['tags'] }],
    ['columns.name:a', { ...text('a'), parts: ['columns'] }],
    ['owners.name.keyword:a', { ...text('a'), parts: ['owners'] }],
    ['displayName.keyword:a', { ...text('a'), parts: ['displayName'] }],
    ['"columns.a_b:a"', quoted('columns', 'a', 'b', 'a')],
    ['a || b', { type: 'or', of: [text('a'), text('b')] }],
    ['a && b', { type: 'and', of: [text('a'), text('b')] }],
    ['"||" a', text('a')],
    ['+a ~/b', { type: 'and', of: [text('a'), text('b')] }],
    ['"a~"', quoted('a')],
    ['a\\~', text('a')],
    ['name:"a b"', { ...quoted('a', 'b'), parts: ['name'] }],
    ['name: a', { ...text('a'), parts: ['name'] }],
    [
      'name:(a OR b)',
      {
        type: 'or',
        of: [
          { ...text('a'), parts: ['name'] },
          { ...text('b'), parts: ['name'] },
        ],
      },
    ],
    ['kind:Table', { type: 'term', term: 'ktable' }],
    ['validation:failed', { type: 'term', term: 'cfailed' }],
    ['entityStatus:"In Review"', { type: 'term', term: 'sinreview' }],
    ['name:', text('name')],
    ['12:30', { ...text('12', '30'), joined: true }],
    ['!!!', { type: 'or', of: [] }],
    ['a !!!', text('a')],
  ])('%s', (q, expression) => {
    expect(parsed(q)).toEqual(expression)
  })

  test.each([
    ['"open', 1, 'quote'],
    ['a "open', 3, 'quote'],
    ['(a', 1, 'not closed'],
    ['a (b', 3, 'not closed'],
    ['a)', 2, 'closes nothing'],
    ['()', 2, 'Expected a word before )'],
    ['AND a', 1, 'Expected'],
    ['a AND', 6, 'Expected a word after AND'],
    ['a OR', 5, 'word after OR'],
    ['a OR OR b', 6, 'Expected'],
    ['NOT', 4, 'word after NOT'],
    ['a*b', 1, 'end of a word'],
    ['name:*', 6, 'beginning'],
    ['!*', 1, 'beginning'],
    ['kind:a*', 6, 'does not take'],
    ['a kind:tabel', 8, 'no kind "tabel", only team, user,'],
    ['kind:""', 6, 'no kind'],
    ['kind:(table OR tabel)', 16, 'no kind "tabel"'],
    ['validation:passed', 12, 'no validation "passed", only Success,'],
    ['nothing:a', 1, 'no field "nothing"'],
    ['a constructor:b', 3, 'no field "constructor"'],
    ['http://x', 1, 'no field "http"'],
    ['fqns:a', 1, 'Fields are name, displayName, fqn, service,'],
    ['name:(tags:a)', 7, 'inside another'],
    ['columns.email:a', 1, 'no field "columns.email", only "columns"'],
    ['a columns.customer_id:b', 3, 'no field "columns.customer_id", only "columns"'],
    ['columns.email.tags:a', 1, 'no field "columns.email.tags", only "tags"'],
    ['name.keyword.keyword:a', 1, 'no field "name.keyword.keyword", only "name"'],
    ['kind.x:table', 1, 'no field "kind.x", only "kind"'],
    ['nosuch.x:a', 1, 'no field "nosuch.x". Fields are'],
    ['|| a', 1, 'Expected a word before OR'],
    ['a~', 1, 'quotes'],
    ['b a~2', 3, 'quotes'],
    ['"a b"~3', 6, 'quotes'],
    ['a^0.5', 1, 'quotes'],
    ['x'.repeat(1001), 1001, 'longer'],
    ['a '.repeat(51), 101, 'more than 50'],
    ['('.repeat(21) + 'a' + ')'.repeat(21), 21, 'nested'],
    ['-'.repeat(21) + 'a', 22, 'nested'],
    [`"${'a '.repeat(101)}"`, 1, 'more than 100'],
  ])('%s is malformed at column %i', (q, column, words) => {
    const result = parseSearchQuery(q)
    expect(result).toHaveProperty('error')
    if (!('error' in result)) return
    expect(result.error.message).toContain(words)
    expect(result.error.column).toBe(column)
  })

  test('any text gives an expression or an error with a column within it', () => {
    const piece = fc.constantFrom(
      'a',
      'b*',
      '"',
      '(',
      ')',
      ' ',
      '-',
      'AND',
      'OR',
      'NOT',
      'name:',
      '\\',
      '*',
      ':',
      '||',
      '~',
      '.x_y:',
      '\u0000',
      '\ud800',
      '😀',
      'é',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (q) => {
          const result = parseSearchQuery(q)
          if (!('error' in result)) return
          expect(result.error.column).toBeGreaterThan(0)
          expect(result.error.column).toBeLessThanOrEqual(q.length + 1)
        },
      ),
      { numRuns: examples(2000) },
    )
  })
})
