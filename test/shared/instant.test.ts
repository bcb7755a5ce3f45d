import { expect, test } from 'vitest'
import { readDuration, readInstant } from '../../src/shared/instant.ts'

test('a duration is no longer than what a timer can wait for', () => {
  expect(['30s', '10m', '2h', '596h'].map(readDuration)).toEqual([30_000, 600_000, 7_200_000, 2_145_600_000])
  expect(['597h', '720h', '2147484s', '999999999h', '0s', '5'].map(readDuration)).toEqual(Array(6).fill(undefined))
})

test('an instant is UTC unless it has an offset, in capital letters or not, and no other text is one', () => {
  const texts = ['2026-01-31T12:00:00Z', '2026-01-31t12:00:00z', '2026-01-31T13:00+01:00', '2026-01-31T12:00']
  expect(texts.map(readInstant)).toEqual(texts.map(() => Date.UTC(2026, 0, 31, 12)))
  for (const text of ['5', 'hello 5', '12/31/2025', '2026-02-30T10:00:00Z', '2026-01-31 12:00', ''])
    expect(readInstant(text)).toBeNaN()
})
