import type { Append } from '../events/eventStore.ts'
import type { Commands } from './handleCommand.ts'

const revisionAfter = ({ expected, events }: Append): bigint =>
  (typeof expected === 'bigint' ? expected : -1n) + BigInt(events.length)

/**
 * The same commands on paper: they are decided and refused like any other, their result is the state that they would lead
 * to, and nothing is written.
 */
export const onPaper = (commands: Commands): Commands => ({
  ...commands,
  log: {
    ...commands.log,
    append: async (appends) =>
      appends.map((append) => ({ ok: true as const, revision: revisionAfter(append), position: 0n })),
  },
  projected: async () => undefined,
})
