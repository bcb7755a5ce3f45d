import type { EventStore } from '../../src/events/eventStore.ts'
import { appendInPlace, open, seal } from './cell.ts'
import type { Directory } from './directory.ts'

export interface Move {
  readonly cell: string
  readonly address: string
  readonly from: EventStore
  readonly to: EventStore
  readonly directory: Directory
  /** Is asked before each step; what it throws ends the mover there. */
  readonly before: (step: 'copy' | 'seal' | 'copy the rest' | 'open' | 'settle') => void
  /** Without it writers are not kept out, so that the check has something to find. */
  readonly fenced: boolean
}

/** So near to its end the log is sealed. */
const nearEnd = 500n

/** Copies the log from where the copy ends, until the predicate says that it is enough. */
const copy = async (
  { from, to, before }: Move,
  step: 'copy' | 'copy the rest',
  enough: (copied: bigint) => boolean | Promise<boolean>,
): Promise<void> => {
  const ending = new AbortController()
  const after = await to.head()
  if (after !== undefined && (await enough(after))) return
  for await (const { events, position } of from.subscribe({ after, signal: ending.signal })) {
    before(step)
    await appendInPlace(to, events)
    if (await enough(position)) return ending.abort()
  }
}

/**
 * Moves a whole cell: copies its log beside those who write, seals it, copies the rest, opens the copy and says in the
 * directory where it is. Each step may be done again, so that another mover goes on where one was killed.
 */
export const moveCell = async (move: Move): Promise<void> => {
  const { from, to, before, directory, fenced } = move
  const head = async (): Promise<bigint> => (await from.head()) ?? 0n
  await copy(move, 'copy', async (copied) => copied + nearEnd >= (await head()))
  before('seal')
  if (fenced) await seal(from)
  const end = await head()
  await copy(move, 'copy the rest', (copied) => copied >= end)
  before('open')
  await open(to)
  before('settle')
  await directory.settle(move.cell, move.address)
}
