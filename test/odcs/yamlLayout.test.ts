import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/odcs/model/types.ts'
import { readYaml } from '../../src/odcs/text/readYaml.ts'
import { editYaml } from '../../src/odcs/text/yamlEdit.ts'
import { writeYaml } from '../../src/odcs/text/yamlTokens.ts'

const edit = (source: string, to: JsonObject): string | undefined =>
  editYaml(source, readYaml(source).value as JsonObject, to)

test('a text with aliases keeps its comments: what they stand for takes their place where it has to', () => {
  const source = '# Ours.\nname: &n orders # of the shop\nother: *n\nlist: &l [a]\nsame: *l\n'
  const lists = { list: ['a'], same: ['a'] }
  expect(edit(source, { name: 'sales', other: 'orders', ...lists })).toBe(
    '# Ours.\nname: sales # of the shop\nother: orders\nlist: [a]\nsame: [a]\n',
  )
  expect(edit(source, { name: 'orders', other: 'orders', list: ['a'], same: ['a', 'b'] })).toBe(
    '# Ours.\nname: orders # of the shop\nother: orders\nlist: [a]\nsame: [a, b]\n',
  )
})

test('a text keeps the line ends of Windows, also where something is added', () => {
  const source = '# Ours.\r\nname: orders\r\ntext: |\r\n  one\r\n  two\r\n'
  expect(edit(source, { name: 'orders', text: 'one\ntwo\n', more: 1 })).toBe(`${source}more: 1\r\n`)
})

test('a new member leaves all other values as they are written, which readers of YAML 1.1 may understand otherwise', () => {
  const values = [
    '0056500000019',
    '0o17',
    '0017',
    '0x1F',
    '1e3',
    '1.10',
    '+1',
    '~',
    'yes',
    'NO',
    'Null',
    '12:30',
    '2024-01-02',
    '=',
  ]
  const source = `# head
on: yes
examples: [${values.join(', ')}]
list:
${values.map((value) => `  - ${value} # kept\n`).join('')}text: one
  two, [three]
`
  const from = readYaml(source).value as JsonObject
  const edited = editYaml(source, from, { ...from, description: 'no' })
  expect(edited).toBe(`${source.replace('one\n  two', 'one two')}description: "no"\n`)
})

describe('what readers of YAML 1.1 would refuse or read otherwise is written as both understand it', () => {
  test.each<[Json, string]>([
    ['select\t1', '"select\\t1"'],
    ['=', '"="'],
    ['a\u2028b', '"a\\u2028b"'],
    ['a\u0085b\n', '"a\\u0085b\\n"'],
    ['a\u007fb', '"a\\u007fb"'],
    ['a\ufeffb', '"a\\ufeffb"'],
    ['one\n\ttwo\n', '|\n  one\n  \ttwo'],
    ['yes', '"yes"'],
    [1e-7, '1.0e-7'],
    [-1e21, '-1.0e+21'],
    [1.5e-9, '1.5e-9'],
  ])('%j', (value, written) => {
    expect(writeYaml({ a: value })).toBe(`a: ${written}\n`)
    expect(readYaml(`a: ${written}\n`).value).toEqual({ a: value })
    expect(edit('# ours\na: 1\n', { a: 1, b: value })).toContain(`b: ${written}`)
  })

  test('names of members, too', () => {
    expect(writeYaml({ 'a\tb': 1, '\u0085': 2 })).toBe('"a\\tb": 1\n"\\u0085": 2\n')
  })
})
