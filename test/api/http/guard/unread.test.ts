import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { makeUnreadBudget } from '../../../../src/api/http/guards.ts'
import { setLimit } from '../../../support/limits.ts'

/** A response as far as the guard knows it. */
const responding = () => {
  const response = Object.assign(new EventEmitter(), { destroy: () => response.emit('close') })
  return response as unknown as ServerResponse
}

it('an answer that is replaced by a problem counts once', () => {
  let cut = 0
  setLimit('unreadAnswers', 100)
  const unread = makeUnreadBudget(() => (cut += 1))
  const failed = responding()
  unread(failed, 90)
  unread(failed, 80)
  expect(failed.listenerCount('close')).toBe(1)
  failed.emit('close')
  unread(responding(), 45)
  unread(responding(), 45)
  expect(cut).toBe(0)
})
