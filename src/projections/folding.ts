import { evolve, type Entity } from '../commands/evolve.ts'
import type { RecordedEvent } from '../events/events.ts'
import { parseStreamName } from '../events/streamName.ts'
import { makeYielder } from '../shared/yieldToEventLoop.ts'
import { isObject, type Json } from '../shared/json.ts'
import { fromRow, toRow } from './entities/entityRow.ts'
import type { EntityRow } from './entities/row.ts'
import type { FoldOptions } from './fold.ts'

/** Entities that are folded in memory, until there is no room for more. */
export interface Folding {
  add(events: readonly RecordedEvent[]): Promise<void>
  isFull(): boolean
  /**
   * The rows of all that is folded, `size` at a time, and whether none of them was taken before; whoever takes them
   * stores them before more is added.
   */
  take(size: number): { readonly rows: Iterable<readonly EntityRow[]>; readonly isNew: boolean }
}

/** Bytes that a value takes in memory, about. */
const roughSize = (value: Json): number => {
  if (typeof value === 'string') return 24 + value.length
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + roughSize(each), 32)
  if (!isObject(value)) return 16
  let size = 64
  for (const name in value) size += 16 + roughSize(value[name] as Json)
  return size
}

/** Of an entity without its members. */
const entitySize = 1000

export const makeFolding = ({ readModels, kindNamed }: FoldOptions, room: number): Folding => {
  let folded = new Map<string, Entity>()
  /** Before something was taken an entity that is not folded is not there. */
  let hasTaken = false
  let size = 0

  const load = async (events: readonly RecordedEvent[]): Promise<void> => {
    const ids = new Set(events.flatMap(({ stream, revision }) => (revision === 0n ? [] : [parseStreamName(stream).id])))
    const missing = [...ids].filter((id) => !folded.has(id))
    if (missing.length === 0) return
    for (const [id, row] of await readModels.getMany(missing)) folded.set(id, fromRow(row, kindNamed(row.kind)))
  }
  const rowsOf = function* (entities: Entity[], rowsAtOnce: number): Generator<readonly EntityRow[]> {
    while (entities.length > 0)
      yield entities.splice(0, rowsAtOnce).map((entity) => toRow(entity, kindNamed(entity.kind)))
  }
  return {
    add: async (events) => {
      if (hasTaken) await load(events)
      const yieldWhenDue = makeYielder()
      for (const event of events) {
        const { id } = parseStreamName(event.stream)
        const before = folded.get(id)
        const after = evolve(id, before, event)
        folded.set(id, after)
        size += (before === undefined ? entitySize : 0) + roughSize(event.data as Json)
        await yieldWhenDue()
      }
    },
    isFull: () => size > room,
    take: (rowsAtOnce) => {
      const taken = { rows: rowsOf([...folded.values()], rowsAtOnce), isNew: !hasTaken }
      folded = new Map()
      hasTaken = true
      size = 0
      return taken
    },
  }
}
