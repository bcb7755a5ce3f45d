import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { perKind } from '../../../src/kinds/perKind.ts'
import { kindNamed, kinds } from '../../../src/kinds/registry/kinds.ts'
import { createSchema } from '../../../src/kinds/request/openApiSchemas.ts'
import { readRequest } from '../../../src/kinds/request/requestSchema.ts'
import { isObject, type Json, type JsonObject } from '../../../src/shared/json.ts'
import { prepare, sampleFor } from '../samples.ts'
import { parsed } from '../support.ts'

/** Whether a body is right by the JSON Schema of the OpenAPI document. */
const validatorOf = perKind((kind) => {
  const ajv = new Ajv2020({ strict: false, code: { optimize: false } })
  formats.default(ajv)
  return ajv.compile(z.toJSONSchema(createSchema(kind), { io: 'input', unrepresentable: 'any' }))
})

const isAccepted = (kind: string, body: JsonObject): boolean =>
  readRequest(kindNamed(kind), body, 'create').problems.length === 0

/** The value with each member of each object in it in turn set to null. */
function* withNull(value: Json): Generator<Json> {
  for (const [step, inner] of typeof value === 'object' && value !== null ? Object.entries(value) : []) {
    const put = (one: Json): Json =>
      isObject(value) ? { ...value, [step]: one } : (value as Json[]).with(Number(step), one)
    yield put(null)
    for (const one of withNull(inner)) yield put(one)
  }
}

describe.each(kinds.map((kind) => [kind.name, kind] as const))('the OpenAPI schema of %s', (name, kind) => {
  const sample = sampleFor(name, 1, prepare(name, 1, 'full').parents).full
  // Known words in their own case: the schema has them so, and says that others are taken.
  const full = { ...sample, ...parsed(name, sample).values }

  it('takes null where the service does, at every depth', () => {
    expect(validatorOf(kind)(full)).toBe(true)
    const others = withNull(full).filter((body) => validatorOf(kind)(body) !== isAccepted(name, body as JsonObject))
    expect([...others]).toEqual([])
  })
})

const id = '5c2f3a5e-0d8c-4b8f-9c1d-2f7f5a0c9b11'

it.each<[kind: string, member: string, right: Json[], wrong: Json[]]>([
  ['topic', 'retentionTime', [-1, 2 ** 63], [-2]],
  ['topic', 'sourceUrl', ['a', '/a?b'], ['', 'a b', 'a\n']],
  [
    'topic',
    'name',
    ['a', ':', 'a:b:', 'a.b "c"', '😀'.repeat(256)],
    ['', '::', 'a::', 'a\tb', 'a\u0085', 'x'.repeat(257)],
  ],
  [
    'topic',
    'owners',
    [['ann', { id }, { fullyQualifiedName: 'ann', deleted: null }]],
    [[{}], [{ x: 1, id }], [{ type: 'user' }]],
  ],
  [
    'topic',
    'tags',
    [['a.b', { id }, { tagFQN: 'a.b', source: 'Glossary', style: {} }]],
    [[{}], [{ tagFQN: 'a', x: 1 }], [{ source: 'Glossary' }]],
  ],
  ['user', 'email', ['a@b'], ['a', 'a@b@c', 'a b@c', `a@${'b'.repeat(319)}`]],
  ['testCase', 'entityLink', ['<#E::table::a.b>'], []],
])('%s: %s is described as it is read', (name, member, right, wrong) => {
  const kind = kindNamed(name)
  const { minimal } = sampleFor(name, 1, prepare(name, 1, 'full').parents)
  for (const [values, expected] of [
    [right, true],
    [wrong, false],
  ] as const)
    for (const value of values) {
      const body = { ...minimal, [member]: value }
      expect([value, isAccepted(name, body), validatorOf(kind)(body)]).toEqual([value, expected, expected])
    }
})
