import { expect, test, vi, onTestFinished } from 'vitest'
import { readInThread } from '../../../src/projections/embedded/readThreads.ts'
import { limits } from '../../../src/shared/limits.ts'

test('a read in a thread is given up, waiting or begun, when nobody can wait for it any more', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const stuck = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  const read = readInThread(stuck, async () => expect.fail('it was read here'))
  const refused = expect(read).rejects.toMatchObject({ name: 'StoreUnavailable', message: 'A read took too long.' })
  await vi.advanceTimersByTimeAsync(limits.requestTime.value)
  await refused
  expect(await readInThread(async () => 'read', stuck as never)).toBe('read')
  expect(vi.getTimerCount()).toBe(0)
})
