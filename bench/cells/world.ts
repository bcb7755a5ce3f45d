import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { EventStore } from '../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { entityId } from '../../src/kinds/names.ts'
import { createGate } from './cell.ts'
import { directoryIn, rootStream, type Directory } from './directory.ts'
import { appendAfter } from './events.ts'

/** The cell that is full and moves, and the one that takes new roots. */
export const [full, roomy] = ['full', 'roomy'] as const
export const cells = [full, roomy] as const

/** Where the full cell is before the move and after it, and where the other one stays. */
export const addresses = { before: 'a', after: 'c', other: 'b' } as const

export interface World {
  readonly directory: Directory
  readonly directoryLog: EventStore
  logAt(address: string): EventStore
  close(): Promise<void>
}

export const rootName = (number: number): string => `root ${number}`

const fill = async (log: EventStore, appends: Iterable<ReturnType<typeof appendAfter>>): Promise<void> => {
  let window: ReturnType<typeof appendAfter>[] = []
  const send = async (): Promise<void> => {
    if (window.length > 0) await log.append(window)
    window = []
    await turnOfTheLoop()
  }
  for (const append of appends) if (window.push(append) === 1000) await send()
  await send()
}

function* rootsOf(roots: number) {
  for (let number = 0; number < roots; number++) {
    const name = rootName(number)
    const members = { cell: number % 2 === 0 ? full : roomy }
    yield appendAfter(rootStream(name), name, { type: 'Created', data: { name, members } })
  }
}

function* entitiesOf(entities: number) {
  for (let number = 0; number < entities; number++) {
    const name = `${rootName((number * 2) % 200)}.entity ${number}`
    yield appendAfter(`table-${entityId('table', name)}`, name, { type: 'Created', data: { name, members: {} } })
  }
}

/** A directory with so many roots, a cell that is full of entities and another one, each a log in a file of its own. */
export const makeWorld = async (folder: string, roots: number, entities: number): Promise<World> => {
  await mkdir(folder, { recursive: true })
  const openAt = (address: string): EventStore => openSqliteEventStore({ path: join(folder, `${address}.db`) })
  const directoryLog = openAt('directory')
  const logs = new Map(Object.values(addresses).map((address) => [address as string, openAt(address)]))
  const logAt = (address: string): EventStore => logs.get(address) as EventStore
  const directory = directoryIn(directoryLog)
  await Promise.all([createGate(logAt(addresses.before)), createGate(logAt(addresses.other))])
  await Promise.all([directory.settle(full, addresses.before), directory.settle(roomy, addresses.other)])
  await fill(directoryLog, rootsOf(roots))
  await fill(logAt(addresses.before), entitiesOf(entities))
  return {
    directory,
    directoryLog,
    logAt,
    close: async () => void (await Promise.all([directoryLog, ...logs.values()].map((log) => log.close()))),
  }
}
