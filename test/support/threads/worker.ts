import { threadId } from 'node:worker_threads'
import { getPriority } from 'node:os'
import { giveWay } from '../../../src/shared/threads/giveWay.ts'
import { serve } from '../../../src/shared/threads/serve.ts'

/** What threads of tests can do. */
const operations = {
  threadId: () => threadId,
  /** How nice the thread is before and after it gives way. */
  giveWay: () => {
    const before = getPriority()
    giveWay()
    return { before, after: getPriority() }
  },
  echo: async (value: unknown) => value,
  spin: (milliseconds: number) => {
    for (const end = performance.now() + milliseconds; performance.now() < end;);
  },
  fill: () => {
    const kept: unknown[] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})))
  },
  fail: (): never => {
    throw Object.assign(new Error('no such luck'), { code: 'ERR_LUCK', errcode: 11 })
  },
}

export type Operations = typeof operations

serve(operations)
