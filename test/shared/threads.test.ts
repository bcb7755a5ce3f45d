import { getPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeThreads, ThreadFailure, ThreadsClosed, type ThreadsOptions } from '../../src/shared/threads/threads.ts'
import type { Operations } from '../support/threads/worker.ts'
import { longEnough } from '../support/patience.ts'

const start = (options: Partial<ThreadsOptions> = {}) => {
  const threads = makeThreads<Operations>({
    module: new URL('../support/threads/worker', import.meta.url),
    count: 1,
    timeout: longEnough,
    idleTimeout: longEnough,
    ...options,
  })
  onTestFinished(threads.close)
  return threads
}

describe('threads', () => {
  it('do work beside this one, and give what it gave', async () => {
    const { run } = start()
    expect(await run('echo', [{ revision: 3n, texts: ['a'] }])).toEqual({ revision: 3n, texts: ['a'] })
    expect(await run('threadId', [])).toBeGreaterThan(0)
  })

  it.runIf(process.platform === 'linux')('give way one by one: the others run as before', async () => {
    const usual = getPriority()
    const { run } = start()
    expect(await run('giveWay', [])).toEqual({ before: usual, after: Math.min(19, usual + 5) })
    expect(getPriority()).toBe(usual)
    expect(await start().run('giveWay', [])).toMatchObject({ before: usual })
  })

  it('have 32 MiB for young objects, two thirds of their limit, also where the process was started with more', async () => {
    setFlagsFromString('--max-semi-space-size=32')
    const young = await start().run('young', [])
    expect(young).toBeGreaterThan(8)
    // Pages of the heap may be begun beyond it; without the limit there would be 64.
    expect(young).toBeLessThan(48)
  })

  it('give errors with what callers tell them apart by', async () => {
    await expect(start().run('fail', [])).rejects.toMatchObject({
      message: 'no such luck',
      code: 'ERR_LUCK',
      errcode: 11,
    })
  })

  it('are no more than they may be, and are used again', async () => {
    const { run } = start({ count: 2 })
    const ids = await Promise.all(Array.from({ length: 6 }, () => run('threadId', [])))
    expect(new Set(ids).size).toBe(2)
    expect(ids).toContain(await run('threadId', []))
  })

  it('end with work that takes too long or too much memory, and the next work is done', async () => {
    const { run } = start({ timeout: 500, memory: 32 })
    await expect(run('spin', [longEnough])).rejects.toMatchObject({ name: 'ThreadFailure', reason: 'time' })
    // On a busy machine another thread may need longer to start than work may take here.
    await expect.poll(() => run('echo', [1]).catch((error: Error) => error.name)).toBe(1)
    const patient = start({ memory: 32 })
    await expect(patient.run('fill', [])).rejects.toBeInstanceOf(ThreadFailure)
    expect(await patient.run('echo', [2])).toBe(2)
  })

  it('have time by what they compute: waiting for a processor is not counted, unless it is much longer', async () => {
    const { run } = start({ timeout: 300 })
    await run('sleep', [900])
    await expect(run('sleep', [longEnough])).rejects.toMatchObject({ name: 'ThreadFailure', reason: 'time' })
  })

  it('have time by the clock where a statement of SQLite lets nobody ask what they compute, and are replaced', async () => {
    const { run } = start({ timeout: 300 })
    const long = 30_000_000
    await expect(run('count', [long])).rejects.toMatchObject({ name: 'ThreadFailure', reason: 'time' })
    expect(await run('count', [1])).toBe(1)
  })

  it('are not replaced again while twice as many as there may be still run', async () => {
    const { terminate } = Worker.prototype
    const stuck = Promise.withResolvers<void>()
    const ending = vi.spyOn(Worker.prototype, 'terminate').mockImplementation(async function (this: Worker) {
      await stuck.promise
      return terminate.call(this)
    })
    onTestFinished(() => ending.mockRestore())
    const { run } = start()
    const endOne = async (): Promise<void> => {
      const leaving = new AbortController()
      const begun = run('sleep', [100], leaving.signal)
      leaving.abort(new Error('gone'))
      await expect(begun).rejects.toThrow('gone')
    }
    await endOne()
    await endOne()
    const waiting = run('echo', ['done'])
    for (const other of [start(), start()]) await other.run('echo', ['done'])
    const before = await Promise.race([waiting, Promise.resolve('waits')])
    stuck.resolve()
    expect([before, await waiting]).toEqual(['waits', 'done'])
  })

  it('are not asked what they have computed for work that is soon done', async () => {
    const asked = vi.spyOn(Worker.prototype, 'cpuUsage')
    onTestFinished(() => asked.mockRestore())
    const { run } = start()
    expect(await run('echo', [1])).toBe(1)
    expect(asked).not.toHaveBeenCalled()
  })

  it('leave the work of whoever has left, waiting or begun, and do that of others', async () => {
    const { run } = start()
    const leaving = new AbortController()
    const begun = run('spin', [2 * longEnough], leaving.signal)
    const waiting = run('spin', [2 * longEnough], leaving.signal)
    const other = run('echo', ['mine'])
    leaving.abort(new Error('gone'))
    await expect(begun).rejects.toThrow('gone')
    await expect(waiting).rejects.toThrow('gone')
    expect(await other).toBe('mine')
  })

  it('end when they have rested, and others follow', async () => {
    const { run } = start({ idleTimeout: 0 })
    const first = await run('threadId', [])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await run('threadId', [])).not.toBe(first)
  })

  it('finish what has begun when they are closed, as far as there is time, and refuse the rest', async () => {
    const { run, close } = start({ grace: longEnough })
    await run('echo', [0])
    const begun = run('spin', [100])
    const waiting = run('echo', ['late'])
    const closed = close()
    await expect(waiting).rejects.toBeInstanceOf(ThreadsClosed)
    await expect(run('echo', [1])).rejects.toBeInstanceOf(ThreadsClosed)
    expect(await begun).toBeUndefined()
    await closed
    const hasty = start()
    const lost = hasty.run('spin', [longEnough])
    await Promise.all([hasty.close(), expect(lost).rejects.toBeInstanceOf(ThreadsClosed)])
  })
})
