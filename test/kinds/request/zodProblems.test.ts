import { expect, test } from 'vitest'
import { z } from 'zod'
import { problemsOf } from '../../../src/kinds/request/zodProblems.ts'

test.each([
  [z.uuid(), 'must be a UUID'],
  [z.iso.date(), 'must be an ISO 8601 day such as 2026-01-31'],
  [z.iso.datetime({ offset: true }), 'must be an ISO 8601 instant such as 2026-01-31T12:00:00Z'],
  [z.string().regex(/^\d+$/, 'must be digits'), 'must be digits'],
] as const)('a text of another format is refused in words of our own (%#)', (schema, message) => {
  const { error } = schema.safeParse('x')
  expect(error && problemsOf(error, 'x', { path: '/at' })).toEqual([{ path: '/at', message }])
})
