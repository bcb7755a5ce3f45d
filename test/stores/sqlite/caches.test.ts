import { describe, expect, it } from 'vitest'
import { cachesOf } from '../../../src/stores/sqlite/caches.ts'

const MiB = 2 ** 20

describe('memory for caches', () => {
  it.each([
    [1024, 704],
    [512, 192],
    [256, 64],
  ])('of a service that may take %i MiB is %i, as its code and threads take some, too', (whole, left) => {
    const { pages, rows, log } = cachesOf(whole * MiB)
    expect([pages, rows, log]).toEqual([(left / 2) * MiB, (left / 8) * MiB, (left / 8) * MiB])
  })

  it('is that of at most one GiB when nothing is said', () => {
    const { pages } = cachesOf(undefined)
    expect(pages).toBeGreaterThan(0)
    expect(pages).toBeLessThanOrEqual(352 * MiB)
  })
})
