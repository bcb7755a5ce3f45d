import { fold, type Entity } from '../commands/evolve.ts'
import { type RecordedEvent, parseStreamName } from '../events/events.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { makeYielder } from '../shared/yieldToEventLoop.ts'
import { fromRow, toRow } from './entities/entityRow.ts'
import type { EntityRow } from './entities/row.ts'
import type { EntityReads } from './entities/port.ts'

export interface FoldOptions {
  readonly readModels: Pick<EntityReads, 'getMany'>
  readonly kindNamed: (name: string) => KindDefinition
}

/** Folds events to the rows of their entities, after these events or newer. */
export type RowFold = (events: readonly RecordedEvent[]) => Promise<readonly EntityRow[]>

/** Makes a fold onto stored rows. @throws EventsMissing if these are too old for the events */
export const makeRowFold =
  ({ readModels, kindNamed }: FoldOptions): RowFold =>
  async (events) => {
    const byStream = Map.groupBy(events, (event) => event.stream)
    const needed = needingState(byStream)
    const stored = needed.length === 0 ? noRows : await readModels.getMany(needed)
    const rows: EntityRow[] = []
    const yieldWhenDue = makeYielder()
    for (const [stream, ofStream] of byStream) {
      const { kind, id } = parseStreamName(stream)
      const definition = kindNamed(kind)
      const row = stored.get(id)
      const before = row && fromRow(row, definition)
      await yieldWhenDue()
      const after = foldNewer(id, before, ofStream)
      await yieldWhenDue()
      rows.push(toRow(after, definition, row && before && { row, entity: before }))
      await yieldWhenDue()
    }
    return rows
  }

const noRows: ReadonlyMap<string, EntityRow> = new Map()

/** A stream whose first event is in the batch needs no stored state, unless part of it was applied before. */
const needingState = (byStream: ReadonlyMap<string, readonly RecordedEvent[]>): string[] =>
  [...byStream]
    .filter(([, events]) => (events[0] as RecordedEvent).revision !== 0n)
    .map(([stream]) => parseStreamName(stream).id)

/** Skips events that the state already includes. */
const foldNewer = (id: string, before: Entity | undefined, events: readonly RecordedEvent[]): Entity => {
  const shown = before?.revision ?? -1n
  return fold(
    id,
    before,
    events.filter(({ revision }) => revision > shown),
  ) as Entity
}
