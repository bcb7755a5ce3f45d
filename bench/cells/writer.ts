import { setTimeout as delay } from 'node:timers/promises'
import type { RecordedEvent } from '../../src/events/events.ts'
import { entityId } from '../../src/kinds/names.ts'
import { writerOf, type CellWriter } from './cell.ts'
import type { Acknowledged } from './check.ts'
import { rootStream } from './directory.ts'
import { appendAfter } from './events.ts'
import { cells, rootName, roomy, type World } from './world.ts'

/** What all writers share: what came of their writes. */
export interface Tally {
  readonly acknowledged: Acknowledged[]
  readonly findings: string[]
  /** Milliseconds that each write took which was answered while the cell moved. */
  readonly duringMove: number[]
  refused: number
  isMoving: boolean
}

export interface Writing {
  readonly world: World
  readonly tally: Tally
  readonly roots: number
  readonly entities: number
  /** Without it nothing keeps writers out of a cell that moves. */
  readonly fenced: boolean
  readonly random: () => number
}

/** Sends appends to where a cell is. It remembers that until it is refused, as another process would. */
const senderIn = ({ world, tally, fenced, random }: Writing) => {
  const known = new Map<string, CellWriter>()
  const writerFor = async (cell: string): Promise<CellWriter> => {
    const found = known.get(cell) ?? writerOf(world.logAt(await world.directory.addressOf(cell)), fenced)
    known.set(cell, found)
    return found
  }
  /** @returns the event that was appended; `undefined`: somebody else was first */
  return async (cell: string, append: ReturnType<typeof appendAfter>): Promise<RecordedEvent | undefined> => {
    const begun = performance.now()
    for (;;) {
      const outcome = await (await writerFor(cell)).append(append)
      // Some answers are lost: the same is sent again, to where the cell is by then.
      const isLost = outcome !== 'sealed' && outcome.ok && random() < 0.05
      if (outcome === 'sealed') tally.refused++
      if (outcome === 'sealed' || isLost) {
        known.delete(cell)
        await delay(2)
        continue
      }
      if (!outcome.ok) return undefined
      if (tally.isMoving) tally.duringMove.push(performance.now() - begun)
      const [event] = append.events
      const { stream } = append
      tally.acknowledged.push({ cell, id: event.id, stream, position: outcome.position })
      return { ...event, stream, revision: outcome.revision, position: outcome.position }
    }
  }
}

/** Writes one thing after the other until it is told to stop. */
export const writeUntil = async (writing: Writing, hasEnded: () => boolean): Promise<void> => {
  const { world, tally, roots, entities, random } = writing
  const send = senderIn(writing)
  const own: RecordedEvent[] = []
  const pick = (count: number): number => Math.floor(random() * count)
  /** Several writers want the same new names, roots each in another cell. */
  const newName = (): string => `new ${pick(tally.acknowledged.length + 10)}`
  const createRoot = async (): Promise<void> => {
    const name = newName()
    const cell = await world.directory.place(name, cells[pick(cells.length)] as string)
    await send(cell, appendAfter(rootStream(name), name, { type: 'Created', data: { name, members: {} } }))
  }
  const createEntity = async (): Promise<void> => {
    const root = rootName(pick(roots))
    const name = `${root}.${newName()} beside ${entities}`
    const stream = `table-${entityId('table', name)}`
    const cell = await world.directory.place(root, roomy)
    const event = await send(cell, appendAfter(stream, name, { type: 'Created', data: { name, members: {} } }))
    if (event !== undefined) own.push(event)
  }
  /** Nobody else changes what this writer has created, so that no change may be refused. */
  const change = async (index: number, tip: RecordedEvent): Promise<void> => {
    const name = tip.metadata.fullyQualifiedName
    const cell = await world.directory.place(name.slice(0, name.indexOf('.')), roomy)
    const data = { set: { step: Number(tip.revision) }, unset: [] }
    const event = await send(cell, appendAfter(tip.stream, name, { type: 'Updated', data }, tip))
    if (event !== undefined) own[index] = event
    else tally.findings.push(`a change of ${name} was refused: what it follows is lost`)
  }
  while (!hasEnded() && tally.findings.length === 0) {
    const index = pick(own.length * 2)
    const tip = own[index]
    await (random() < 0.2 ? createRoot() : tip === undefined ? createEntity() : change(index, tip))
  }
}
