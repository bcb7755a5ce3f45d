import { expect, test } from 'vitest'
import { readPreferences } from '../../../src/api/http/preconditions.ts'

test.each([
  [undefined, false, 0],
  ['respond-async', true, 0],
  ['return=minimal, Respond-Async; x=y', true, 0],
  ['respond-async, wait=10', true, 10_000],
  ['wait="3", respond-async', true, 3000],
  ['respond-async, wait=1, wait=9', true, 1000],
  ['respond-async, wait=1000000', true, 25_000],
  ['respond-async, wait=-1', true, 0],
  ['wait=5', false, 5000],
  ['respond-asynchronously', false, 0],
])('Prefer: %s', (prefer, respondAsync, wait) => {
  expect(readPreferences(prefer === undefined ? {} : { prefer })).toEqual({ respondAsync, wait })
})
