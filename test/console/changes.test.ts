import { expect, it } from 'vitest'
import { beside, changesBetween, lookAlike } from '../../console/src/time/changes.ts'
import { kindNamed } from '../../console/src/api/kinds.ts'
import type { Entity } from '../../console/src/api/types.ts'
import { partsOf, same, type Parts } from '../../console/src/entity/parts.ts'

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

it('A tag in the place of the term that has its name is a difference, and what either is called is none', () => {
  const label = (source: string, name = 'x') => ({ tags: [{ tagFQN: 'both.x', source, name, style: { color: name } }] })
  expect(membersOf(label('Classification'), label('Glossary'))).toEqual(['tags'])
  expect(membersOf(label('Glossary'), label('Glossary', 'y'))).toEqual([])
  const owner = (id: string, name: string) => ({ owners: [{ id, type: 'user', name, fullyQualifiedName: name }] })
  expect(membersOf(owner('1', 'ann'), owner('1', 'anna'))).toEqual([])
  expect(membersOf(owner('1', 'ann'), owner('2', 'ann'))).toEqual(['owners'])
})

it('Within an open object everything is a difference, whatever it is called and looks like', () => {
  const link = { id: '1', type: 't', fullyQualifiedName: 'f' }
  for (const [before, after] of [
    [{ ordinalPosition: 1 }, { ordinalPosition: 2 }],
    [{ link: { ...link, name: 'a' } }, { link: { ...link, name: 'b' } }],
    [{ tag: { tagFQN: 'a', state: 'x' } }, { tag: { tagFQN: 'a', state: 'y' } }],
  ]) {
    expect(membersOf({ extension: before }, { extension: after })).toEqual(['extension'])
    const columns = (extension: unknown) => ({ columns: [{ name: 'a', ordinalPosition: 1, extension }] })
    expect(membersOf(columns(before), columns(after))).toEqual(['columns'])
  }
  expect(membersOf({ extension: { a: 1, b: 2 } }, { extension: { b: 2, a: 1 } })).toEqual([])
})

it('Columns differ by their order and by positions that somebody gave them, not by those that are counted', () => {
  const columns = (...list: (readonly [name: string, position: number, description?: string])[]) => ({
    columns: list.map(([name, ordinalPosition, description]) => ({ name, ordinalPosition, description })),
  })
  const itemsOf = (before: object, after: object) =>
    changesBetween(before, after).flatMap(({ items }) =>
      items.map(({ key, ...sides }) => [key.replaceAll('\0', ''), sides]),
    )
  expect(itemsOf(columns(['a', 1], ['b', 2]), columns(['new', 1], ['a', 2], ['b', 3]))).toMatchObject([['new', {}]])
  expect(itemsOf(columns(['a', 1], ['b', 2]), columns(['b', 1, 'Words.'], ['a', 2]))).toMatchObject([
    ['order', { before: ['a', 'b'], after: ['b', 'a'] }],
    ['b', { after: { description: 'Words.' } }],
  ])
  expect(itemsOf(columns(['a', 1]), columns(['a', 5]))).toMatchObject([
    ['a', { before: { ordinalPosition: 1 }, after: { ordinalPosition: 5 } }],
  ])
})

it('What is there is what was sent where it holds no more, and references and tags are called what they are called', () => {
  const [ann, tag] = [
    { id: '1', type: 'user' },
    { tagFQN: 'a.b', source: 'Glossary' },
  ]
  for (const [there, sent] of [
    [[{ ...ann, name: 'ann', fullyQualifiedName: 'ann', deleted: false }], [ann]],
    [[{ ...tag, name: 'b', labelType: 'Manual' }], [tag]],
    [undefined, null],
    [undefined, []],
    ['text', 'text'],
    [
      { b: { c: 1 }, a: [1] },
      { a: [1], b: { c: 1 } },
    ],
  ])
    expect([there, sent, same(there, sent)]).toEqual([there, sent, true])
  for (const [there, sent] of [
    [{ a: 1, b: 2 }, { a: 1 }],
    [[{ name: 'f', description: 'Words.' }], [{ name: 'f' }]],
    [[{ ...tag, source: 'Classification' }], [tag]],
    ['text', null],
    [{}, null],
  ])
    expect([there, sent, same(there, sent)]).toEqual([there, sent, false])
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
