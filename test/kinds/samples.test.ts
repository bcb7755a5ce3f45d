import { describe, expect, it } from 'vitest'
import { kindNamed, kinds } from '../../src/kinds/registry/kinds.ts'
import { parseRequest } from '../../src/kinds/request/requestSchema.ts'
import { prepare, prerequisites, sampleFor, sampleKinds } from './samples.ts'

describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
  const { first, parents } = prepare(name, 1, 'full')
  const { minimal, full } = sampleFor(name, 1, parents)

  it('has a minimal request that is accepted', () => {
    const parsed = parseRequest(kind, minimal, 'create')
    expect(parsed).toMatchObject({ name: `${name}_1`, cleared: [] })
  })

  it('has a full request with every member that can be set', () => {
    const settable = Object.keys(kind.fields).filter((member) => !kind.fields[member]?.readOnly)
    expect(Object.keys(full).toSorted()).toEqual([...settable, 'name'].toSorted())
    const parsed = parseRequest(kind, full, 'create')
    expect(parsed).toMatchObject({ name: `${name}_1` })
    if ('values' in parsed) expect(Object.keys(parsed.values).toSorted()).toEqual(settable.toSorted())
  })

  it('needs only what was created before it', () => {
    for (const [index, each] of first.entries()) {
      expect(Array.isArray(parseRequest(kindNamed(each.kind), each.request, 'create'))).toBe(false)
      const earlier = first.slice(0, index).map((other) => other.kind)
      expect(prerequisites(each.kind).filter((needed) => !earlier.includes(needed))).toEqual([])
    }
  })
})

it('there are samples of every kind, and of no other', () =>
  expect(sampleKinds.toSorted()).toEqual(kinds.map((kind) => kind.name).toSorted()))
