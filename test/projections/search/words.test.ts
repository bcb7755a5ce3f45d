import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { facetTerm, gap, nameKey, searchTerms, sortName, wordsOf } from '../../../src/projections/search/words.ts'
import { limits } from '../../../src/shared/limits.ts'
import { makeRow } from '../../support/rows.ts'

describe('wordsOf', () => {
  test.each<[string, string[], string[]]>([
    ['', [], []],
    ['Plain words, here.', ['plain', 'words', 'here'], []],
    ['customerId', ['customer', 'id'], ['customerid']],
    ['HTTPServer2Go', ['http', 'server2', 'go'], ['httpserver2go']],
    ['order_item-id', ['order', 'item', 'id'], ['orderitemid']],
    ['__x__', ['x'], []],
    ['2024Orders v2', ['2024', 'orders', 'v2'], ['2024orders']],
    ['a.b.c', ['a', 'b', 'c'], []],
    ["it's", ['it', 's'], []],
    ['Crème BRÛLÉE ﬁ ①', ['creme', 'brulee', 'fi', '1'], []],
    ['straßenName', ['strassen', 'name'], ['strassenname']],
    ['Größe GRÖSSE GRÖẞE', ['grosse', 'grosse', 'grosse'], []],
    ['ΟΔΟΣ οδος', ['οδοσ', 'οδοσ'], []],
    ['北京 大学x', ['北', '京', '大', '学', 'x'], []],
    ['バス パス', ['ハ\u3099', 'ス', 'ハ\u309a', 'ス'], []],
    ['मिल मूल', ['मिल', 'मूल'], []],
    ['เสือ คำ', [...'เสือ', ...'ค\u0e4dา'], []],
    ['ລາວ ខ្មែរ မြန်မာ', [...'ລາວ', ...'ខ្មែរ', ...'မြန်မာ'], []],
    ['שָׁלוֹם مُحَمَّد Й', ['שלום', 'محمد', 'и'], []],
    ['ПриветМир', ['привет', 'мир'], ['приветмир']],
    ['🎈 !!!', [], []],
    ['x'.repeat(300), ['x'.repeat(128)], []],
  ])('%s', (text, words, joined) => {
    expect(wordsOf(text)).toEqual({ words, joined })
  })

  test('takes a long text without spaces', () => expect(wordsOf('ก'.repeat(200_000)).words).toHaveLength(200_000))

  test('words of ASCII texts do not depend on what else stands in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '1', '_', '-', ' ', '.') }), (text) => {
        const { words, joined } = wordsOf(`${text} é`)
        expect({ words: words.slice(0, -1), joined }).toEqual(wordsOf(text))
      }),
      { numRuns: examples(1000) },
    )
  })

  test('no word looks like a gap or holds anything but letters and digits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { words, joined } = wordsOf(text)
        for (const word of [...words, ...joined]) expect(word).toMatch(/^[^\s_"*()A-Z]+$/u)
      }),
      { numRuns: examples(1000) },
    )
  })

  test('cutting words again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { words } = wordsOf(text)
        expect(wordsOf(words.join(' ')).words).toEqual(words)
      }),
      { numRuns: examples(1000) },
    )
  })
})

test('names compare by their words alone', () => {
  expect(new Set(['Customer Orders', 'customer_orders', 'customerOrders', 'CUSTOMER-ORDERS'].map(nameKey))).toEqual(
    new Set(['customerorders']),
  )
  expect(sortName(makeRow('+++'))).toBe('+++')
})

test('searchTerms tells where words stand, which follow each other, and what the entity is called', () => {
  const row = makeRow('s.orderItems', {
    displayName: 'Items',
    description: 'two words',
    tags: ['T.x'],
    kind: 'Odd',
    entityStatus: 'In Review',
  })
  expect(searchTerms(row)).toEqual([
    'norder',
    'nitems',
    gap,
    'aitems',
    gap,
    'norderitems',
    gap,
    'ps',
    'porder',
    'pitems',
    gap,
    'porderitems',
    gap,
    'lt',
    'lx',
    'dtwo',
    'dwords',
    '_orderitems',
    '_items',
    '_sorderitems',
    'kodd',
    facetTerm('entityStatus', 'In Review'),
    'sinreview',
    gap,
  ])
})

test('searchTerms leaves out further different words of a text, and nothing else', () => {
  const words = Array.from({ length: 100_000 }, (_, at) => `q${at}`)
  const row = makeRow('s.name', { kind: 'Odd', tags: ['T.x'], description: `${words.join(' ')} name q0` })
  const terms = searchTerms(row)
  expect(new Set(terms).size).toBe(limits.searchedWords.value)
  expect(terms).toEqual(expect.arrayContaining(['nname', 'lx', 'dq0', 'dq80000', '_name', 'kodd']))
  expect(terms.slice(terms.indexOf('_name') - 3, terms.indexOf('_name'))).toEqual([gap, gap, 'dq0'])
})
