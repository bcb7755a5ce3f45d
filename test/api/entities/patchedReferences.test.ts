import { describe, expect, it } from 'vitest'
import { referenceProblems } from '../../../src/api/entities/patch.ts'
import { kinds } from '../../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../../src/kinds/request/requestSchema.ts'
import { isObject, type Json, type JsonObject } from '../../../src/shared/json.ts'
import { prepare, sampleFor } from '../../kinds/samples.ts'

const odd = { toString: 1 }
const labels: Json[] = [
  { tagFQN: 'a.b', source: odd },
  { tagFQN: odd, source: 'Glossary' },
]
const junk: Json[] = [null, [null], 'x', odd, [{ id: odd }], labels]

/** The value with each of its parts in turn replaced by each piece of junk. */
const spoilt = function* (value: Json): Generator<Json> {
  yield* junk
  for (const [step, inner] of typeof value === 'object' && value !== null ? Object.entries(value) : [])
    for (const one of spoilt(inner))
      yield isObject(value) ? { ...value, [step]: one } : (value as Json[]).with(Number(step), one)
}

describe.each(kinds.map((kind) => [kind.name, kind] as const))('references in a patch of %s', (name, kind) => {
  const { full } = sampleFor(name, 1, prepare(name, 1, 'full').parents)
  const before: JsonObject = { tags: [{ tagFQN: 'a.b', name: 'b', source: 'Glossary' }] }

  it('are compared wherever they can be read, whatever stands elsewhere', () => {
    for (const [member, value] of Object.entries(full))
      for (const one of spoilt(value)) {
        const written = { tags: [{ tagFQN: 'a.b', name: 'c' }], [member]: one }
        const { unreadable } = readRequest(kind, written, 'patch')
        const expected = member === 'tags' ? [] : [{ path: '/tags/0/name', message: 'is read-only' }]
        expect(referenceProblems(kind, before, written, unreadable)).toEqual(expected)
      }
  })
})
