import { expect, test } from 'vitest'
import { readDuration } from '../../src/shared/instant.ts'

test('a duration is no longer than what a timer can wait for', () => {
  expect(['30s', '10m', '2h', '596h'].map(readDuration)).toEqual([30_000, 600_000, 7_200_000, 2_145_600_000])
  expect(['597h', '720h', '2147484s', '999999999h', '0s', '5'].map(readDuration)).toEqual(Array(6).fill(undefined))
})
