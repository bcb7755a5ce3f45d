import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeSlots } from '../../../../src/api/http/guards.ts'

const { signal } = new AbortController()

it('lets so many of one caller be worked on, and others without regard to them', async () => {
  const slots = makeSlots(2)
  const [first] = await Promise.all([slots.take('a', signal), slots.take('a', signal)])
  let third = false
  void slots.take('a', signal).then(() => (third = true))
  await slots.take('b', signal)
  await setImmediate()
  expect(third).toBe(false)
  first()
  first()
  await setImmediate()
  expect(third).toBe(true)
  let fourth = false
  void slots.take('a', signal).then(() => (fourth = true))
  await setImmediate()
  expect(fourth).toBe(false)
})

it('drops one that has left while it waited', async () => {
  const slots = makeSlots(1)
  const giveBack = await slots.take('a', signal)
  const leaving = new AbortController()
  const left = slots.take('a', leaving.signal)
  const next = slots.take('a', signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  giveBack()
  expect(await next).toBeTypeOf('function')
})
