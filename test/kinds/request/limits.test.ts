import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/shared/json.ts'
import { limits } from '../../../src/shared/limits.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../../src/kinds/request/requestSchema.ts'
import { problemsOf as brokenRules } from '../support.ts'

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const table = (more: JsonObject): JsonObject => ({ name: 't', databaseSchema: 'a.b.c', columns: [], ...more })

const problemsOf = (body: JsonObject, kind = 'table') =>
  readRequest(kindNamed(kind), body, 'create').problems.map(({ path, message }) => `${path}: ${message}`)

const column = (index: number, more: JsonObject = {}): JsonObject => ({ name: `c${index}`, dataType: 'INT', ...more })

describe('The body of an entity', () => {
  it('is read up to the longest list, and with one item more is refused with the list’s path', () => {
    const most = limits.list.value
    expect(problemsOf(table({ columns: times(most, (at) => column(at)) }))).toEqual([])
    expect(problemsOf(table({ columns: times(most + 1, (at) => column(at)) }))).toEqual([
      `/columns: must have at most ${most} items and has ${most + 1}`,
    ])
    const inside = { settings: { list: times(most + 1, () => 0) } }
    expect(problemsOf({ name: 'g', extension: inside }, 'glossary')).toEqual([
      `/extension/settings/list: must have at most ${most} items and has ${most + 1}`,
    ])
  })

  it('names a list that is too long beside its other problems', () => {
    const body = table({ columns: times(limits.list.value + 1, (at) => column(at)), colour: 1 })
    expect(problemsOf(body)).toEqual([
      expect.stringMatching(/^\/columns: must have at most/),
      '/colour: unknown member',
    ])
  })

  it('is refused when an object has more members than a list may have items', () => {
    const members = Object.fromEntries(times(limits.list.value + 1, (at): [string, Json] => [`m${at}`, 0]))
    expect(problemsOf({ name: 'g', extension: members }, 'glossary')).toEqual([
      expect.stringMatching(/^\/extension: must have at most 10000 members/),
    ])
    expect(problemsOf(members)).toEqual([expect.stringMatching(/^: must have at most 10000 members/)])
  })

  it('is refused as a whole when its lists are short and many', () => {
    const lists = times(100, () => times(2000, () => 0))
    expect(problemsOf({ name: 'g', extension: { lists } }, 'glossary')).toEqual([
      ': must have at most 100000 values in total: send fewer at once',
    ])
  })

  it('refers to at most a thousand others, each counted once', () => {
    const most = limits.references.value
    // One of them is the schema that the table stands in.
    const tags = times(most - 1, (at) => `pii.t${at}`)
    expect(problemsOf(table({ tags, columns: times(most - 1, (at) => column(at, { tags: [`pii.t${at}`] })) }))).toEqual(
      [],
    )
    expect(problemsOf(table({ tags, owners: ['ann'] }))).toEqual([
      `: must refer to at most ${most} other entities and refers to ${most + 1}`,
    ])
  })

  it.each([
    ['table', 'columns'],
    ['dataContract', 'schema'],
  ])('has at most so many columns, nested ones too: %s', (kind, member) => {
    const nested = times(11, (at) =>
      column(at, { dataType: 'STRUCT', children: times(1000, (below) => column(below)) }),
    )
    expect(brokenRules(kind, { [member]: nested })).toEqual([
      `/${member}: must have at most 10000 columns and has 11011`,
    ])
  })
})
