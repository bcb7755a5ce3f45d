import { expect, it } from 'vitest'
import { namesOf } from '../../console/src/lists/cells.ts'

it.each([
  ['ann|sales', 'ann, sales'],
  ['"a|b"|Privacy.Personal', '"a|b", Privacy.Personal'],
  ['shop."a""|b".c', 'shop."a""|b".c'],
  ['5" disks|x', '5" disks, x'],
])('the names of the cell %s are %s', (cell, names) => {
  expect(namesOf(cell)).toBe(names)
})
