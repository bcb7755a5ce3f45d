import { expect, it } from 'vitest'
import { changesBetween } from '../../console/src/time/changes.ts'

const membersOf = (before: object, after: object) => changesBetween(before, after).map(({ member }) => member)

it('What only says that an entity was changed is no difference of it', () => {
  expect(membersOf({ version: 0.1, updatedBy: 'ann' }, { version: 0.2, updatedBy: 'ben' })).toEqual([])
  expect(membersOf({ deleted: false }, { deleted: true })).toEqual(['deleted'])
})

it('Members within others differ by whatever they are called', () => {
  for (const name of ['owner', 'version', 'id', 'domain', 'deleted', 'votes'])
    expect([name, ...membersOf({ extension: { [name]: 'one' } }, { extension: { [name]: 'two' } })]).toEqual([
      name,
      'extension',
    ])
})

it('A column is told from one within another that has the name of both', () => {
  const columns = (ofDotted: string, ofNested: string) => ({
    columns: [
      { name: 'a.b', dataType: ofDotted },
      { name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: ofNested }] },
    ],
  })
  const itemsOf = (before: object, after: object) => changesBetween(before, after).flatMap(({ items }) => items)
  expect(itemsOf(columns('INT', 'INT'), columns('TEXT', 'INT'))).toHaveLength(1)
  expect(itemsOf(columns('INT', 'INT'), columns('INT', 'TEXT'))).toHaveLength(1)
})
