import { randomBytes, randomUUID } from 'node:crypto'
import type { Append } from '../../events/eventStore.ts'
import type { Context } from '../caller.ts'
import { notQueued } from './streamQueue.ts'

const revisionAfter = ({ expected, events }: Append): bigint =>
  (typeof expected === 'bigint' ? expected : -1n) + BigInt(events.length)

/** A context whose log takes every append and keeps nothing: requests lead to what they would lead to. */
export const forDryRun = (context: Context): Context => ({
  ...context,
  ...(context.caller && { caller: { ...context.caller, seen: new Set([context.caller.name]) } }),
  log: {
    ...context.log,
    append: async (appends) =>
      appends.map((append) => ({ ok: true as const, revision: revisionAfter(append), position: 0n })),
  },
  verdicts: undefined,
  followed: async () => undefined,
  vault: { ...context.vault, current: async () => ({ id: randomUUID(), key: randomBytes(32) }) },
  queued: notQueued,
  waitForPosition: async () => undefined,
})
