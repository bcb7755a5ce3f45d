import type { EventStore } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { entityId } from '../../src/kinds/names.ts'
import { appendAfter, newestOf } from './events.ts'

/** A log of its own that says which cell has a root, and where a cell is. Each answer is the newest event of a stream. */
export interface Directory {
  /** The cell of the root with this name: that which the first who asked for it gave. */
  place(name: string, cell: string): Promise<string>
  addressOf(cell: string): Promise<string>
  /** The first address of a cell, or its next one. Said again, nothing changes. */
  settle(cell: string, address: string): Promise<void>
}

const said = (event: RecordedEvent, member: string): string => {
  if (event.type === 'Created') return String(event.data.members[member])
  if (event.type === 'Updated') return String(event.data.set[member])
  throw new Error(`the directory has no events of the type ${event.type}`)
}

export const rootStream = (name: string): string => `root-${entityId('root', name)}`
const cellStream = (cell: string): string => `cell-${entityId('cell', cell)}`

export const directoryIn = (log: EventStore): Directory => {
  const find = async (stream: string, member: string): Promise<string | undefined> => {
    const event = await newestOf(log, stream)
    return event && said(event, member)
  }
  return {
    place: async (name, cell) => {
      const stream = rootStream(name)
      const known = await find(stream, 'cell')
      if (known !== undefined) return known
      await log.append([appendAfter(stream, name, { type: 'Created', data: { name, members: { cell } } })])
      return (await find(stream, 'cell')) as string
    },
    addressOf: async (cell) => {
      const address = await find(cellStream(cell), 'address')
      if (address === undefined) throw new Error(`nobody has settled the cell ${cell}`)
      return address
    },
    settle: async (cell, address) => {
      const stream = cellStream(cell)
      const tip = await newestOf(log, stream)
      if (tip !== undefined && said(tip, 'address') === address) return
      const [outcome] = await log.append([
        tip === undefined
          ? appendAfter(stream, cell, { type: 'Created', data: { name: cell, members: { address } } })
          : appendAfter(stream, cell, { type: 'Updated', data: { set: { address }, unset: [] } }, tip),
      ])
      if (!outcome?.ok) throw new Error(`somebody else has moved the cell ${cell}`)
    },
  }
}
