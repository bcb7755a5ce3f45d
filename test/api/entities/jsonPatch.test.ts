import jsonPatch, { type Operation } from 'fast-json-patch'
import fc from '../../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import { applyJsonPatch as applyInSteps, applyPatch } from '../../../src/api/entities/patch.ts'
import { DomainError } from '../../../src/commands/errors.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import type { Json, JsonObject } from '../../../src/shared/json.ts'
import { runToEnd } from '../../../src/shared/yieldToEventLoop.ts'
import { limits } from '../../../src/shared/limits.ts'

const applyJsonPatch = (document: JsonObject, patch: unknown): Json => runToEnd(applyInSteps(document, patch))

const document = (): JsonObject => ({ name: 'a', tags: ['x', 'y'], extension: { 'a/b': 1, 'c~d': { e: null } } })

const patched = (...operations: Json[]): Json => applyJsonPatch(document(), operations)

const refusal = (patch: unknown, of: JsonObject = document()): DomainError => {
  try {
    applyJsonPatch(of, patch)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('The patch was applied.')
}

describe('A JSON Patch', () => {
  it('adds, replaces, removes, moves and copies members and items', () => {
    expect(
      patched(
        { op: 'add', path: '/tags/1', value: 'z' },
        { op: 'add', path: '/tags/-', value: 'end' },
        { op: 'replace', path: '/name', value: 'b' },
        { op: 'remove', path: '/extension/a~1b' },
        { op: 'move', from: '/tags/0', path: '/first' },
        { op: 'copy', from: '/extension/c~0d', path: '/copy' },
        { op: 'add', path: '/extension/c~0d/e', value: 2 },
        { op: 'test', path: '/copy', value: { e: null } },
      ),
    ).toEqual({ name: 'b', tags: ['z', 'y', 'end'], extension: { 'c~d': { e: 2 } }, first: 'x', copy: { e: null } })
  })

  it('leaves the document that it is applied to, and its own values, alone', () => {
    const before = document()
    const operations = [
      { op: 'add', path: '/list', value: [1] },
      { op: 'add', path: '/list/-', value: 2 },
      { op: 'remove', path: '/name' },
    ]
    const first = applyJsonPatch(before, operations)
    expect(applyJsonPatch(before, operations)).toEqual(first)
    expect(before).toEqual(document())
  })

  it.each<[string, Json]>([
    ['remove /toString', { op: 'remove', path: '/toString' }],
    ['replace /constructor/name', { op: 'replace', path: '/constructor/name', value: 1 }],
    ['copy from /tags/length', { op: 'copy', from: '/tags/length', path: '/n' }],
    ['copy from /name/length', { op: 'copy', from: '/name/length', path: '/n' }],
    ['remove /tags/-', { op: 'remove', path: '/tags/-' }],
    ['remove /tags/01', { op: 'remove', path: '/tags/01' }],
    ['add /tags/3', { op: 'add', path: '/tags/3', value: 1 }],
    ['add /missing/x', { op: 'add', path: '/missing/x', value: 1 }],
    ['add /__proto__', { op: 'add', path: '/__proto__', value: {} }],
    ['move /extension into itself', { op: 'move', from: '/extension', path: '/extension/inner' }],
    ['a pointer with half an escape', { op: 'add', path: '/a~2', value: 1 }],
    ['a pointer without a slash', { op: 'add', path: 'a', value: 1 }],
    ['a pointer below the deepest level', { op: 'test', path: '/a'.repeat(limits.depth.value + 1), value: 1 }],
    ['no value', { op: 'add', path: '/a' }],
    ['no operation', { path: '/a' }],
  ])('that does not fit is an error of its operation: %s', (_, operation) => {
    const error = refusal([{ op: 'test', path: '/name', value: 'a' }, operation])
    expect(error.code).toBe('invalid')
    expect(error.problems[0]?.path).toMatch(/^\/1/)
  })

  it('with an operation that there is not names those that there are', () => {
    expect(refusal([{ op: 'replaces', path: '/name', value: 'b' }]).message).toContain(
      '/0/op: must be one of add, replace, test, move, copy, remove; did you mean replace?',
    )
  })

  it('whose test fails is a conflict, whatever is missing or different', () => {
    for (const path of ['/name', '/toString', '/nowhere/at/all'])
      expect(refusal([{ op: 'test', path, value: 'b' }]).code).toBe('conflict')
  })

  const json = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<Json>(1, 'a', null, true),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c/d'), tie('json'), { maxKeys: 3 }),
    ),
  })).json
  const pointer = fc
    .array(fc.constantFrom('a', 'b', 'c~1d', '0', '1', '2', '-'), { minLength: 1, maxLength: 3 })
    .map((tokens) => `/${tokens.join('/')}`)
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({ op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const), path: pointer, value: json }),
    fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), path: pointer, from: pointer }),
    fc.record({ op: fc.constant('remove' as const), path: pointer }),
  )
  const objects = fc.dictionary(fc.constantFrom('a', 'b', 'c/d'), json, { maxKeys: 3 })

  it('does what another implementation does, wherever both can apply it', () => {
    let both = 0
    const isProperPrefix = (each: Operation): boolean => each.op === 'move' && each.path.startsWith(`${each.from}/`)
    fc.assert(
      fc.property(objects, fc.array(operation, { maxLength: 3 }), (before, operations) => {
        fc.pre(!operations.some(isProperPrefix))
        let expected: unknown
        try {
          expected = jsonPatch.applyPatch(structuredClone(before), structuredClone(operations), true).newDocument
        } catch {
          return
        }
        let result: Json
        try {
          result = applyJsonPatch(before, operations)
        } catch {
          // The other one lets members of texts and of numbers be set.
          return
        }
        both += 1
        expect(result).toEqual(expected)
      }),
      { numRuns: 3000 },
    )
    expect(both).toBeGreaterThan(300)
  })
})

describe('The work of a JSON Patch', () => {
  it('is bounded where every operation moves a long list aside', () => {
    const values = { list: Array.from({ length: 200_000 }, () => 0) }
    const inserts = Array.from({ length: 5000 }, () => ({ op: 'add', path: '/list/0', value: 1 }))
    expect(refusal(inserts, values).code).toBe('too_large')
  })

  it('is bounded by the number of operations, which is told', () => {
    const many = Array.from({ length: limits.patchOperations.value + 1 }, () => ({ op: 'remove', path: '/name' }))
    expect(refusal(many).message).toContain('at most 10000 items')
  })
})

describe('A JSON Patch of numbered columns', () => {
  const column = (name: string, ordinalPosition?: number, children?: Json[]): JsonObject => ({
    name,
    ...(ordinalPosition !== undefined && { ordinalPosition }),
    ...(children && { children }),
  })
  const apply = (of: JsonObject, ...operations: Json[]): Json =>
    runToEnd(applyPatch(of, operations, 'application/json-patch+json', kindNamed('table')))

  it('leaves positions to be counted again where they were counted', () => {
    const columns = [column('a', 1), column('b', 2, [column('x', 1), column('y', 2)]), column('c', 7)]
    const nested = column('b', undefined, [column('y')])
    expect(
      apply({ columns }, { op: 'remove', path: '/columns/0' }, { op: 'remove', path: '/columns/0/children/0' }),
    ).toEqual({ columns: [nested, column('c', 7)] })
    expect(apply({ columns }, { op: 'move', from: '/columns/2', path: '/columns/0' })).toMatchObject({
      columns: [column('c', 7), column('a'), { name: 'b' }],
    })
  })

  it('keeps positions that it sets, and all where no column changes', () => {
    const columns = [column('a', 1), column('b', 2)]
    expect(apply({ columns }, { op: 'replace', path: '/columns/0/ordinalPosition', value: 4 })).toEqual({
      columns: [column('a', 4), column('b')],
    })
    expect(apply({ columns }, { op: 'add', path: '/columns/0', value: column('new', 1) })).toEqual({
      columns: [column('new', 1), column('a'), column('b')],
    })
    expect(apply({ columns }, { op: 'add', path: '/description', value: 'x' })).toEqual({ columns, description: 'x' })
  })

  it('a patch of columns leaves list items that are not columns as they are', () => {
    const columns = [column('a', 1)]
    const other = [null, 5, { name: 'a', children: 'none' }]
    expect(apply({ columns }, { op: 'replace', path: '/columns', value: other })).toEqual({ columns: other })
  })
})
