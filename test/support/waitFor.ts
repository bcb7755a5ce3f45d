import { vi } from 'vitest'
import { longEnough } from './patience.ts'

/** Looks again and again until it does not throw any more. @returns what it gave then */
export const waitFor = <Value>(look: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(look, { timeout: longEnough, interval: 20 })
