import { expect, test } from 'vitest'
import { pino } from 'pino'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import { ProjectionBehind } from '../../src/projections/errors.ts'
import { untilReady } from '../../src/composition/untilReady.ts'

const logTo = (lines: unknown[]) => pino({}, { write: (line) => lines.push(JSON.parse(line)) })

test.each([StoreUnavailable, ProjectionBehind])(
  'work is done again after %o, and the log says where and why',
  async (Late) => {
    const lines: unknown[] = []
    let tries = 0
    const work = async (): Promise<string> => {
      if (++tries < 3) throw new Late('refused')
      return 'done'
    }
    expect(
      await untilReady(work, 'mongodb', { logger: logTo(lines), signal: new AbortController().signal, seconds: 60 }),
    ).toBe('done')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatchObject({ error: 'refused', msg: 'mongodb is not ready yet: trying again' })
  },
)

test('what is wrong for good is not tried again', async () => {
  let tries = 0
  const work = (): Promise<never> => {
    tries++
    return Promise.reject(new Error('too old'))
  }
  await expect(
    untilReady(work, 'mongodb', { logger: logTo([]), signal: new AbortController().signal, seconds: 60 }),
  ).rejects.toThrow('too old')
  expect(tries).toBe(1)
})

test('a wait for a store ends at once when the process stops', async () => {
  const stop = new AbortController()
  const waiting = untilReady(() => Promise.reject(new StoreUnavailable('away')), 'mongodb', {
    logger: logTo([]),
    signal: stop.signal,
    seconds: 60,
  })
  stop.abort()
  await expect(waiting).rejects.toThrow()
})

test('is given up when a store does not come in time, with what to do about it', async () => {
  const signal = new AbortController().signal
  const away = () => Promise.reject(new StoreUnavailable('nobody listens'))
  const waiting = untilReady(away, 'mongodb', { logger: logTo([]), signal, seconds: 0 })
  await expect(waiting).rejects.toThrow(
    /mongodb could not be reached for 0 seconds \(nobody listens\).*CATALOG_START_TIMEOUT/,
  )
})
