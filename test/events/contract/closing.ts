import { describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../src/events/eventStore.ts'
import { appendOf, appendOk, collect, freshStream } from '../../support/events.ts'
import type { StoreUnderTest } from './support.ts'

/** Closing, and opening again. */
export const closing = (makeStore: () => Promise<StoreUnderTest>): void => {
  describe('closing', () => {
    test('finishes what was appended, then refuses everything', async () => {
      const { store, dispose } = await makeStore()
      const stream = freshStream()
      const appended = store.append([appendOf(stream, 'no_stream')])
      const following = collect(store.subscribe({ after: undefined, signal: new AbortController().signal }))
      const settled = Promise.allSettled([following])
      await store.close()
      expect((await appended)[0]?.ok).toBe(true)
      await settled
      await expect(store.append([appendOf(stream, 0n)])).rejects.toThrow(StoreUnavailable)
      await expect(collect(store.readStream(stream))).rejects.toThrow(StoreUnavailable)
      await expect(collect(store.readAll())).rejects.toThrow(StoreUnavailable)
      await expect(store.head()).rejects.toThrow(StoreUnavailable)
      await expect(store.ping()).rejects.toThrow(StoreUnavailable)
      await expect(store.close()).resolves.toBeUndefined()
      await dispose()
    })

    test('keeps everything for the next one who opens', async ({ skip }) => {
      const { store, reopen, dispose } = await makeStore()
      if (!reopen) return skip('this store is not reopened')
      const append = appendOf(freshStream(), 'no_stream', 3)
      const later = appendOf(append.stream, 2n)
      const outcome = await appendOk(store, append)
      await appendOk(store, later)
      const before = await collect(store.readStream(append.stream))
      const reopened = await reopen()
      expect(await collect(reopened.readStream(append.stream))).toEqual(before)
      expect(await appendOk(reopened, append)).toEqual(outcome)
      const next = await appendOk(reopened, appendOf(append.stream, 3n))
      expect(next.position).toBeGreaterThan(before.at(-1)?.position as bigint)
      await dispose()
    })
  })
}
