import { expect, test } from 'vitest'
import { pino } from 'pino'
import { Writable } from 'node:stream'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import { retrying } from '../../src/composition/retrying.ts'

const logTo = (lines: Record<string, unknown>[]) =>
  pino(
    new Writable({
      write: (line: Buffer, _, done) => {
        lines.push(JSON.parse(line.toString()) as Record<string, unknown>)
        done()
      },
    }),
  )

test('work is done again while a store is away, and the log says which and why', async () => {
  const lines: Record<string, unknown>[] = []
  let tries = 0
  const work = async (): Promise<string> => {
    if (++tries < 3) throw new StoreUnavailable('refused')
    return 'done'
  }
  expect(await retrying(work, 'mongodb', logTo(lines), new AbortController().signal)).toBe('done')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatchObject({ error: 'refused', msg: 'mongodb cannot be reached yet: trying again' })
})

test('what is wrong for good is not tried again', async () => {
  let tries = 0
  const work = (): Promise<never> => {
    tries++
    return Promise.reject(new Error('too old'))
  }
  await expect(retrying(work, 'mongodb', logTo([]), new AbortController().signal)).rejects.toThrow('too old')
  expect(tries).toBe(1)
})

test('who stops is not kept waiting', async () => {
  const stop = new AbortController()
  const waiting = retrying(() => Promise.reject(new StoreUnavailable('away')), 'mongodb', logTo([]), stop.signal)
  stop.abort()
  await expect(waiting).rejects.toThrow()
})
