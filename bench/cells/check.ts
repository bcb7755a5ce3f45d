import type { EventStore } from '../../src/events/eventStore.ts'
import { parseStreamName } from '../../src/events/events.ts'

/** A write that was answered as done. */
export interface Acknowledged {
  readonly cell: string
  readonly id: string
  readonly stream: string
  readonly position: bigint
}

/** An event that a reader of the feed was given. */
export interface Seen {
  readonly cell: string
  readonly id: string
  readonly position: bigint
}

export interface Checked {
  readonly directory: EventStore
  /** The log of each cell where it is in the end. */
  readonly logs: ReadonlyMap<string, EventStore>
  /** The cell that moved, and its log where it was before. */
  readonly moved: string
  readonly former: EventStore
  readonly acknowledged: readonly Acknowledged[]
  /** In the order in which they were given. */
  readonly seen: readonly Seen[]
}

/** Every event of a log by its place, of each stream the revisions, and which cell each name is in. */
const lookThrough = async (cell: string, log: EventStore, cellOf: Map<string, string>, findings: string[]) => {
  const ids: string[] = []
  const revisions = new Map<string, bigint>()
  for await (const { id, stream, revision, position, metadata } of log.readAll()) {
    ids.push(id)
    if (BigInt(ids.length) !== position) findings.push(`${cell}: the position ${position} follows ${ids.length - 1}`)
    const follows = (revisions.get(stream) ?? -1n) + 1n
    if (revision !== follows) findings.push(`${cell}: ${stream} has the revision ${revision} where ${follows} is due`)
    revisions.set(stream, revision)
    if (stream.startsWith('cell-')) continue
    const name = `${parseStreamName(stream).kind} ${metadata.fullyQualifiedName}`
    const other = cellOf.get(name) ?? cell
    if (other !== cell) findings.push(`the ${name} is in ${other} and in ${cell}`)
    cellOf.set(name, cell)
  }
  return ids
}

/** What is wrong after a move: nothing, if names are unique and no event was lost, doubled or given out of order. */
export const check = async (checked: Checked): Promise<string[]> => {
  const { directory, logs, moved, former, acknowledged, seen } = checked
  const findings: string[] = []
  const cellOf = new Map<string, string>()
  const idsIn = new Map<string, string[]>()
  for (const [cell, log] of logs) idsIn.set(cell, await lookThrough(cell, log, cellOf, findings))
  for (const { cell, id, stream, position } of acknowledged)
    if (idsIn.get(cell)?.[Number(position) - 1] !== id)
      findings.push(`${cell}: ${stream} was acknowledged at ${position} and is not there`)
  for (const [cell, ids] of idsIn) {
    if (new Set(ids).size !== ids.length) findings.push(`${cell} has an event twice`)
    const given = seen.filter((each) => each.cell === cell)
    if (given.length !== ids.length)
      findings.push(`${cell}: a reader was given ${given.length} of ${ids.length} events`)
    const wrong = given.findIndex(({ id, position }, index) => position !== BigInt(index + 1) || id !== ids[index])
    if (wrong >= 0) findings.push(`${cell}: a reader was given another event as number ${wrong + 1}`)
  }
  for await (const { id, position } of former.readAll())
    if (idsIn.get(moved)?.[Number(position) - 1] !== id) findings.push(`what stood at ${position} did not move along`)
  for await (const event of directory.readAll()) {
    if (event.type !== 'Created' || !event.stream.startsWith('root-')) continue
    const cell = cellOf.get(`root ${event.metadata.fullyQualifiedName}`)
    if (cell !== undefined && cell !== event.data.members['cell'])
      findings.push(`${event.metadata.fullyQualifiedName} is in ${cell}, not where the directory says`)
  }
  return findings
}
