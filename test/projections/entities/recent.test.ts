import { expect, test } from 'vitest'
import { makeMemoryCache } from '../../../src/projections/entities/memoryCache.ts'

test('a value that is too large to be kept leaves nothing of the one that it replaces', () => {
  const recent = makeMemoryCache<string>(10_000)
  recent.set('a', 'small', 100)
  recent.set('a', 'large', 9000)
  expect(recent.get('a')).toBeUndefined()
})

test('what is kept anew again and again takes the room of one, and what is asked for stays', () => {
  const recent = makeMemoryCache<number>(10_000)
  recent.set('other', -1, 100)
  for (let at = 0; at < 1000; at++) recent.set('same', at, 100)
  expect([recent.get('other'), recent.get('same')]).toEqual([-1, 999])
})
