import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/odcs/model/types.ts'
import { readYaml } from '../../src/odcs/text/readYaml.ts'
import { editYaml } from '../../src/odcs/text/yamlEdit.ts'

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
