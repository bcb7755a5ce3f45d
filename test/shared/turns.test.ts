import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeWorkQueue, Throttled } from '../../src/shared/workQueue.ts'
import { setLimit } from '../support/limits.ts'
import { stillHeld } from '../support/garbage.ts'

const stays = new AbortController().signal

/** Turns of which each lasts until it is ended. */
const setUp = (concurrency = 1, maxPerCaller = 3, maxQueued = 5, atOncePerCaller = concurrency) => {
  setLimit('queuedPerCaller', maxPerCaller)
  setLimit('waiting', maxQueued)
  const turns = makeWorkQueue('searches', concurrency, atOncePerCaller)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const take = (caller: string, signal = stays, continues = false): Promise<string> =>
    turns.run({ caller, signal, continues }, async () => {
      begun.push(caller)
      await new Promise<void>((end) => ends.push(end))
      return caller
    })
  const end = async (): Promise<void> => {
    await expect.poll(() => ends.length, { interval: 1 }).toBeGreaterThan(0)
    const before = begun.length
    ends.shift()?.()
    for (let ticks = 0; ticks < 5 && begun.length === before; ticks += 1) await setImmediate()
  }
  return { take, end, begun }
}

describe('turns', () => {
  it('are taken so many at a time', async () => {
    const { take, end, begun } = setUp(2)
    const all = Promise.all([take('a'), take('b'), take('c')])
    await expect.poll(() => begun, { interval: 1 }).toEqual(['a', 'b'])
    await end()
    await expect.poll(() => begun, { interval: 1 }).toEqual(['a', 'b', 'c'])
    await end()
    await end()
    expect(await all).toEqual(['a', 'b', 'c'])
  })

  it('are not all taken by one caller, where one must be left for others', async () => {
    const { take, end, begun } = setUp(2, 3, 5, 1)
    const all = Promise.all([take('a'), take('a'), take('b'), take('b')])
    await expect.poll(() => begun, { interval: 1 }).toEqual(['a', 'b'])
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    expect(begun).toEqual(['a', 'b'])
    await end()
    await expect.poll(() => begun, { interval: 1 }).toEqual(['a', 'b', 'a'])
    for (let ended = 0; ended < 3; ended += 1) await end()
    expect(await all).toEqual(['a', 'a', 'b', 'b'])
    const alone = take('a')
    await end()
    expect(await alone).toBe('a')
  })

  it('are given to others when a caller has left and its work does not end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { take, begun } = setUp(1)
    const leaving = new AbortController()
    void take('a', leaving.signal)
    void take('b')
    await expect.poll(() => begun, { interval: 1 }).toEqual(['a'])
    leaving.abort(new Error('left'))
    await vi.advanceTimersByTimeAsync(9000)
    expect(begun).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(2000)
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    expect(begun).toEqual(['a', 'b'])
  })

  it('begin in turns of the event loop of their own, so that requests come between them', async () => {
    const { take, end, begun } = setUp(2)
    const begunByTurn: number[] = []
    const all = Promise.all([take('a'), take('b')])
    for (let turn = 0; turn < 5; turn += 1) {
      begunByTurn.push(begun.length)
      await setImmediate()
    }
    await end()
    await end()
    await all
    expect([...new Set(begunByTurn)]).toEqual([0, 1, 2])
    expect(begun).toEqual(['a', 'b'])
  })

  it('go round between callers, however much one of them asks for', async () => {
    const { take, end, begun } = setUp()
    const all = Promise.all([take('eve'), take('eve'), take('eve'), take('eve'), take('ann'), take('bob')])
    for (let turn = 0; turn < 6; turn += 1) await end()
    await all
    expect(begun).toEqual(['eve', 'ann', 'bob', 'eve', 'eve', 'eve'])
  })

  it('are refused beyond what one caller, and beyond what all of them, may have waiting, except for work that continues', async () => {
    const { take, end } = setUp()
    const kept = [take('eve'), take('eve'), take('eve'), take('eve')]
    await expect(take('eve')).rejects.toThrow('You have 3 searches waiting already')
    kept.push(take('ann'), take('bob'))
    await expect(take('kim')).rejects.toThrow(Throttled)
    kept.push(take('eve', stays, true))
    for (let turn = 0; turn < 7; turn += 1) await end()
    await Promise.all(kept)
    const again = take('kim')
    await end()
    expect(await again).toBe('kim')
  })

  it('are dropped when their caller leaves before they begin', async () => {
    const { take, end, begun } = setUp()
    const leaving = new AbortController()
    const first = take('a')
    const dropped = Promise.allSettled([take('b', leaving.signal), take('b', leaving.signal)])
    const last = take('c')
    leaving.abort(new Error('left'))
    expect((await dropped).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await end()
    await end()
    expect(await Promise.all([first, last])).toEqual(['a', 'c'])
    expect(begun).toEqual(['a', 'c'])
    await expect(take('b', leaving.signal)).rejects.toThrow('left')
  })

  it('hold nothing of what their work returned while the request lasts', async () => {
    const turns = makeWorkQueue('lists', 1)
    const { signal } = new AbortController()
    const taken = async () => new WeakRef(await turns.run({ caller: 'a', signal }, async () => ({})))
    const parts = [await taken(), await taken(), await taken()]
    expect(await stillHeld(parts)).toBe(0)
    expect(signal.aborted).toBe(false)
  })

  it('go on after work that fails', async () => {
    const turns = makeWorkQueue('searches', 1)
    const turn = { caller: 'a', signal: stays }
    await expect(turns.run(turn, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await turns.run(turn, async () => 1)).toBe(1)
  })
})
