import { expect, it } from 'vitest'
import { beside, changesBetween, lookAlike } from '../../console/src/time/changes.ts'
import { kindNamed } from '../../console/src/api/kinds.ts'
import type { Entity } from '../../console/src/api/types.ts'
import { partsOf, type Parts } from '../../console/src/entity/parts.ts'

const membersOf = (before: object, after: object) => changesBetween(before, after).map(({ member }) => member)

it('What only says that an entity was changed is not a difference of it', () => {
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

it('A tag is told from the term that has its name', () => {
  const tags = (['Classification', 'Glossary'] as const).map((source) => ({ tagFQN: 'both.x', source }))
  const [{ items } = { items: [] }] = changesBetween({ tags }, { tags: tags.slice(1) })
  expect(items).toMatchObject([{ before: tags[0], after: undefined }])
})

it('Values of two types that are shown with the same words are told apart', () => {
  for (const [before, after] of [
    [5, '5'],
    [true, 'yes'],
    [[null], ['']],
    [{ size: 5 }, { size: '5' }],
    ['–', undefined],
  ])
    expect([before, after, lookAlike(before, after)]).toEqual([before, after, true])
  for (const [before, after] of [
    [5, 6],
    [{ size: 5 }, { size: '6' }],
    [{ size: 5 }, {}],
    ['yes', false],
  ])
    expect([before, after, lookAlike(before, after)]).toEqual([before, after, false])
})

it('Every member that says something has its part of the page', () => {
  const members = {
    sizes: [1, 2],
    mixed: ['a', 1],
    nested: [['a']],
    flags: [true],
    word: 'a',
    words: ['a'],
    map: { a: 1 },
  }
  const parts = partsOf({ ...members, empty: [], none: {} } as unknown as Entity, kindNamed('table'))
  const names = Object.values(parts).flatMap((part: Parts[keyof Parts]) => part.map(([name]) => name))
  expect(names.toSorted()).toEqual(Object.keys(members).toSorted())
})

it('A thing of a list that came or went is shown with all that it holds', () => {
  expect(beside({ name: 'max_value', value: '5' })).toEqual({ value: '5' })
  expect(
    beside({ name: 'id', dataType: 'INT', description: 'Key.', ordinalPosition: 1, constraint: 'UNIQUE' }),
  ).toEqual({
    constraint: 'UNIQUE',
  })
  expect(beside({ tagFQN: 'Privacy.Personal', name: 'Personal', source: 'Classification' })).toEqual({})
})
