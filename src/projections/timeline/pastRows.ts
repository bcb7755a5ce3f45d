import { evolve, type Entity } from '../../commands/evolve.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { streamName } from '../../events/streamName.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { toShownRow, type ShownRow } from '../entities/entityRow.ts'
import type { History, Identity } from '../history.ts'

/** What entities were at positions of the log, as lists show them. */
export interface PastRows {
  /** `undefined`: there was no such entity then. */
  rowAt(identity: Identity, position: bigint): Promise<ShownRow | undefined>
  /** The same where it is remembered. */
  known(id: string, position: bigint): ShownRow | undefined
}

export interface PastRowsOptions {
  readonly log: Pick<EventStore, 'readStream'>
  readonly history: Pick<History, 'asOf'>
  readonly kindNamed: (name: string) => KindDefinition
  /** May rows of entities of this kind be kept in memory (default: all may)? Not those whose values can be erased. */
  readonly remembers?: (kind: string) => boolean
  /** Bound on what is remembered, in characters of texts (default 16 Mi). */
  readonly maxSize?: number
}

/** A row with the positions between which it was so. Events never change, so it holds for ever. */
interface Then {
  readonly from: bigint
  /** Exclusive. */
  readonly to: bigint
  readonly row: ShownRow
  readonly size: number
}

/**
 * Events that are read at a time: of a long stream, as it was early, only few are read in vain. What is longer than all of
 * these is left to the history, which remembers places in it.
 */
const strides = [4, 16, 180]

/** Beside its texts. */
const entrySize = 300

const makeMemory = (maxSize: number) => {
  const byId = new Map<string, Then[]>()
  let size = 0
  const forgetOldest = (): void => {
    const [oldest] = byId
    if (oldest === undefined) return
    byId.delete(oldest[0])
    for (const each of oldest[1]) size -= each.size
  }
  return {
    find: (id: string, position: bigint): ShownRow | undefined => {
      const known = byId.get(id)
      const found = known?.find(({ from, to }) => from <= position && position < to)
      if (known === undefined || found === undefined) return undefined
      byId.delete(id)
      byId.set(id, known)
      return found.row
    },
    keep: (from: bigint, to: bigint, row: ShownRow): void => {
      const then = { from, to, row, size: row.basic.length + row.more.length + row.references.length + entrySize }
      const known = byId.get(row.id) ?? []
      if (known.some((each) => each.from === from)) return
      byId.set(row.id, [...known, then])
      size += then.size
      while (size > maxSize) forgetOldest()
    },
  }
}

/** Folds short streams once, from their beginning, and remembers from when to when the row was so. */
export const makePastRows = (options: PastRowsOptions): PastRows => {
  const { log, history, kindNamed, remembers = () => true, maxSize = 2 ** 24 } = options
  const memory = makeMemory(maxSize)

  const shown = (entity: Entity | undefined): ShownRow | undefined =>
    entity === undefined || entity.status === 'gone' ? undefined : toShownRow(entity, kindNamed(entity.kind))

  const fold = async ({ kind, id }: Identity, position: bigint): Promise<ShownRow | undefined> => {
    let entity: Entity | undefined
    for (const limit of strides) {
      const from = (entity?.revision ?? -1n) + 1n
      for await (const event of log.readStream(streamName(kind, id), { from, limit })) {
        if (event.position > position) {
          const row = shown(entity)
          if (row !== undefined && remembers(kind)) memory.keep((entity as Entity).position, event.position, row)
          return row
        }
        entity = evolve(id, entity, event)
      }
      if (entity === undefined || entity.revision + 1n < from + BigInt(limit)) return shown(entity)
    }
    return shown(await history.asOf({ kind, id }, { position }))
  }

  return {
    known: memory.find,
    rowAt: async (identity, position) => memory.find(identity.id, position) ?? fold(identity, position),
  }
}
