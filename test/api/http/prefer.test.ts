import { expect, test } from 'vitest'
import { prefersAsync } from '../../../src/api/http/preconditions.ts'

test.each([
  [undefined, false],
  ['respond-async', true],
  ['return=minimal, Respond-Async; x=y', true],
  ['respond-async, wait=10', true],
  ['wait=5', false],
  ['respond-asynchronously', false],
])('Prefer: %s', (prefer, isAsync) => {
  expect(prefersAsync(prefer === undefined ? {} : { prefer })).toBe(isAsync)
})
