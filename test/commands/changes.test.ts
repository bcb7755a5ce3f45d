import { describe, expect, it, test } from 'vitest'
import { describeChange, membersDelta, nextVersion, noChanges } from '../../src/commands/changes.ts'

describe('describeChange', () => {
  it('names added, updated and deleted members', () =>
    expect(describeChange({ a: 1, b: 2 }, { b: 3, c: 4 }, 1)).toEqual({
      fieldsAdded: [{ name: 'c', newValue: 4 }],
      fieldsUpdated: [{ name: 'b', oldValue: 2, newValue: 3 }],
      fieldsDeleted: [{ name: 'a', oldValue: 1 }],
      previousVersion: 1,
    }))

  it('goes into lists of named items, item by item', () => {
    const before = {
      columns: [
        { name: 'id', dataType: 'INT' },
        { name: 'a.b', description: 'x', dataType: 'INT' },
      ],
    }
    const after = {
      columns: [
        { name: 'a.b', description: 'y', dataType: 'INT' },
        { name: 'new', dataType: 'INT' },
      ],
    }
    expect(describeChange(before, after, 3)).toEqual({
      fieldsAdded: [{ name: 'columns', newValue: [{ name: 'new', dataType: 'INT' }] }],
      fieldsUpdated: [{ name: 'columns."a.b".description', oldValue: 'x', newValue: 'y' }],
      fieldsDeleted: [{ name: 'columns', oldValue: [{ name: 'id', dataType: 'INT' }] }],
      previousVersion: 3,
    })
  })

  it('reports a mere change of order', () =>
    expect(
      describeChange({ l: [{ name: 'a' }, { name: 'b' }] }, { l: [{ name: 'b' }, { name: 'a' }] }, 1).fieldsUpdated,
    ).toHaveLength(1))

  it('does not depend on the order in which members lie', () => {
    const before = { b: 1, a: 1, c: { y: 1, x: 1 } }
    const turned = { c: { x: 1, y: 1 }, a: 1, b: 1 }
    const after = { c: { y: 2 }, d: [] }
    expect(JSON.stringify(describeChange(before, after, 1))).toBe(JSON.stringify(describeChange(turned, after, 1)))
    expect(describeChange(before, after, 1).fieldsDeleted.map(({ name }) => name)).toEqual(['a', 'b', 'c.x'])
  })

  it('keeps sealed values whole', () =>
    expect(describeChange({ c: { $sealed: 'x' } }, { c: { $sealed: 'y' } }, 1).fieldsUpdated).toEqual([
      { name: 'c', oldValue: { $sealed: 'x' }, newValue: { $sealed: 'y' } },
    ]))
})

it('membersDelta gives new values whole and the names of the gone', () =>
  expect(membersDelta({ a: [1], b: 2, c: 3 }, { a: [1], b: 4, d: 5 })).toEqual({ set: { b: 4, d: 5 }, unset: ['c'] }))

it('membersDelta takes an empty list for none', () => {
  expect(membersDelta({}, { l: [] })).toEqual({ set: {}, unset: [] })
  expect(membersDelta({ l: [] }, {})).toEqual({ set: {}, unset: [] })
  expect(membersDelta({ l: [1] }, { l: [] })).toEqual({ set: {}, unset: ['l'] })
})

it('versions are counted in integer tenths', () => {
  expect(nextVersion(3, true) / 10).toBe(1.3)
  expect(nextVersion(9, false) / 10).toBe(1)
})

test('a reference to another incarnation is another reference', () => {
  const ghost = { id: 'a', type: 'user', fullyQualifiedName: 'ghost' }
  const again = { ...ghost, life: 4 }
  const expected = { ...noChanges(1), fieldsAdded: [{ name: 'owners', newValue: [again] }] }
  const change = describeChange({ owners: [ghost] }, { owners: [again] }, 1)
  expect(change).toEqual({ ...expected, fieldsDeleted: [{ name: 'owners', oldValue: [ghost] }] })
})

test('a member whose name every object has is told as any other', () => {
  const [without, having] = [{ extension: { a: 1 } }, { extension: { a: 1, constructor: 'x' } }]
  expect(describeChange(without, having, 1)).toEqual({
    ...noChanges(1),
    fieldsAdded: [{ name: 'extension.constructor', newValue: 'x' }],
  })
  expect(describeChange(having, without, 1)).toEqual({
    ...noChanges(1),
    fieldsDeleted: [{ name: 'extension.constructor', oldValue: 'x' }],
  })
})

test('a member whose values cannot be read any more is named, when it was written', () => {
  const [before, after] = [
    { a: '(erased)', b: 1, m: '(erased)', z: 1 },
    { a: '(erased)', b: 1, m: '(erased)', z: 2 },
  ]
  expect(describeChange(before, after, 1, ['m', 'z', 'b']).fieldsUpdated).toEqual([
    { name: 'm' },
    { name: 'z', oldValue: 1, newValue: 2 },
  ])
})
