import { vi } from 'vitest'
import { longEnough } from './patience.ts'

/** Looks again and again until it neither throws nor says `false` any more. @returns what it gave then */
export const waitFor = <Value>(look: () => Value | Promise<Value>): Promise<Value> => {
  const looked = async (): Promise<Value> => {
    const value = await look()
    if (value === false) throw new Error('It is not so.')
    return value
  }
  return vi.waitFor(looked, { timeout: longEnough, interval: 20 })
}
