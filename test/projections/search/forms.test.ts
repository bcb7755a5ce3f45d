import { describe, expect, test } from 'vitest'
import { inflections } from '../../../src/projections/search/forms.ts'
import { keysNear, deletionKeys, nearest } from '../../../src/projections/search/similarWords.ts'
import fc from '../../support/fastCheck.ts'

test.each([
  ['order', ['orders']],
  ['orders', ['order']],
  ['category', ['categories']],
  ['categories', ['category', 'categorie']],
  ['address', ['addresses']],
  ['addresses', ['address', 'addresse']],
  ['box', ['boxes']],
  ['key', ['keys']],
  ['people', ['person', 'peoples']],
  ['status', ['statu', 'statuses']],
  ['quizzes', ['quiz', 'quizz', 'quizze']],
  ['id', []],
  ['v2', []],
  ['straße', []],
])('singular and plural of %s', (word, forms) => {
  expect(inflections(word)).toEqual(forms)
})

test.each([
  ['kpi', 'kpis'],
  ['gpu', 'gpus'],
  ['taxi', 'taxis'],
  ['cookie', 'cookies'],
  ['movie', 'movies'],
  ['tie', 'ties'],
  ['hero', 'heroes'],
  ['photo', 'photos'],
  ['person', 'persons'],
  ['person', 'people'],
  ['index', 'indexes'],
  ['index', 'indices'],
  ['shelf', 'shelves'],
  ['medium', 'media'],
])('%s and %s find each other', (one, many) => {
  expect(inflections(one)).toContain(many)
  expect(inflections(many)).toContain(one)
})

describe('typing errors', () => {
  test.each([
    ['custmer', 'customer'],
    ['cusotmer', 'customer'],
    ['customer', 'custoner'],
    ['oder', 'order'],
    ['ordre', 'order'],
    ['lifetme', 'lifetime'],
    ['shpments', 'shipment'],
    ['recomendatons', 'recommendations'],
    ['데이터웨어하우스', '데이타웨어하우스'].map((word) => word.normalize('NFKD')) as [string, string],
  ])('%s may mean %s', (typed, meant) => {
    expect(nearest(typed, [meant])).toEqual([meant])
    expect([...keysNear(typed)].some((key) => deletionKeys(meant).has(key))).toBe(true)
  })

  test.each([
    ['ord', 'ort'],
    ['order', 'border lines'],
    ['table', 'tariff'],
    ['customer', 'consumption'],
    ['tables', 'tablet1'],
    ['고객'.normalize('NFKD'), '고액'.normalize('NFKD')],
  ])('%s does not mean %s', (typed, other) => {
    expect(nearest(typed, [other])).toEqual([])
  })

  test('the nearest word comes first, and a word does not mean itself', () => {
    expect(nearest('customer', ['customer', 'costomers', 'customers'])).toEqual(['customers', 'costomers'])
  })

  test('two words that are near each other have a key in common, wherever the error is', () => {
    const letter = fc.constantFrom('a', 'b', 'c', 'd')
    fc.assert(
      fc.property(
        fc.array(letter, { minLength: 4, maxLength: 12 }),
        fc.nat(),
        letter,
        fc.nat(2),
        (word, at, other, how) => {
          const place = at % word.length
          const typed = word.toSpliced(place, how === 0 ? 0 : 1, ...(how === 1 ? [] : [other])).join('')
          const meant = word.join('')
          if (nearest(typed, [meant]).length === 0) return
          expect([...keysNear(typed)].some((key) => deletionKeys(meant).has(key))).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
