import type { Entity } from '../evolve.ts'
import type { StreamQueue } from '../ports.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Append } from '../../events/eventStore.ts'
import type { Context } from '../caller.ts'

/** A queue that never waits. */
export const notQueued: StreamQueue = (_, commit) => commit(undefined)

export const makeStreamQueue = (): StreamQueue => {
  const last = new Map<string, Promise<Entity | undefined>>()
  return (stream, commit) => {
    const done = last.get(stream)?.then(commit) ?? commit(undefined)
    const newest = done.then(
      (outcome) => outcome.newest,
      () => undefined,
    )
    last.set(stream, newest)
    void newest.then(() => last.get(stream) === newest && last.delete(stream))
    return done
  }
}

const revisionAfter = ({ expected, events }: Append): bigint =>
  (typeof expected === 'bigint' ? expected : -1n) + BigInt(events.length)

/** A context for dry runs: its log accepts every append and stores nothing. */
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
