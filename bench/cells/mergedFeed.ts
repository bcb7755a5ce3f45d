import type { EventStore } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'

/** The place of a reader in every cell, as a text that tells him nothing. */
export type Cursor = string

const read = (cursor: Cursor | undefined): Record<string, string> =>
  cursor === undefined ? {} : (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<string, string>)

export interface FeedPage {
  readonly events: readonly { readonly cell: string; readonly event: RecordedEvent }[]
  readonly cursor: Cursor
}

/** A page of what happened in all cells, in each cell's own order. @param logOf the log of a cell, where it is now */
export const pageOfCells = async (
  cells: readonly string[],
  logOf: (cell: string) => Promise<EventStore>,
  cursor: Cursor | undefined,
  limit: number,
): Promise<FeedPage> => {
  const places = read(cursor)
  const events: { cell: string; event: RecordedEvent }[] = []
  for (const cell of cells) {
    const after = places[cell] === undefined ? undefined : BigInt(places[cell])
    for await (const event of (await logOf(cell)).readAll({ after, limit })) {
      events.push({ cell, event })
      places[cell] = String(event.position)
    }
  }
  return { events, cursor: Buffer.from(JSON.stringify(places)).toString('base64url') }
}
