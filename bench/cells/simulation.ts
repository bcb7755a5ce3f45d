import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { check, type Seen } from './check.ts'
import { pageOfCells } from './mergedFeed.ts'
import { moveCell, type Move } from './moveCell.ts'
import { addresses, cells, full, makeWorld, roomy, type World } from './world.ts'
import { writeUntil, type Tally } from './writer.ts'

export interface Simulated {
  readonly folder: string
  /** Roots in the directory before anything else happens. */
  readonly roots: number
  /** Entities in the cell that is moved. */
  readonly entities: number
  readonly writers: number
  /** Writes before the move begins, and after it has ended. */
  readonly margin: number
  /** Without it nothing keeps writers out of a cell that moves, so that the check has something to find. */
  readonly fenced: boolean
  readonly random: () => number
}

export interface Outcome {
  readonly findings: readonly string[]
  readonly acknowledged: number
  /** Milliseconds of each write that was answered while the cell moved, and of the whole move. */
  readonly duringMove: readonly number[]
  readonly move: number
  readonly refused: number
  readonly kills: number
  readonly eventsMoved: number
}

class Killed extends Error {}

/** Each step is killed once before it is taken, and the next mover goes on. @returns how often that was */
const moveUnderKills = async ({ directory, logAt }: World, fenced: boolean): Promise<number> => {
  const steps = new Set<string>()
  const move: Move = {
    cell: full,
    address: addresses.after,
    from: logAt(addresses.before),
    to: logAt(addresses.after),
    directory,
    fenced,
    before: (step) => {
      if (steps.has(step)) return
      steps.add(step)
      throw new Killed(step)
    },
  }
  for (;;) {
    try {
      await moveCell(move)
      return steps.size
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }
}

/** Reads the feed of all cells, also what is written last. */
const follow = async ({ directory, logAt }: World, hasEnded: () => boolean): Promise<Seen[]> => {
  const seen: Seen[] = []
  let cursor: string | undefined
  for (;;) {
    const isLast = hasEnded()
    const page = await pageOfCells(cells, async (cell) => logAt(await directory.addressOf(cell)), cursor, 500)
    for (const { cell, event } of page.events) seen.push({ cell, id: event.id, position: event.position })
    cursor = page.cursor
    if (isLast && page.events.length === 0) return seen
    await turnOfTheLoop()
  }
}

/** Writers and a reader go on while the full cell moves. */
const moveBeside = async (world: World, asked: Simulated, tally: Tally) => {
  let [isEnough, hasWritten] = [false, false]
  const untilWritten = async (count: number): Promise<void> => {
    const enough = tally.acknowledged.length + count
    while (tally.acknowledged.length < enough && tally.findings.length === 0) await turnOfTheLoop()
  }
  const writing = { ...asked, world, tally }
  const written = Promise.all(Array.from({ length: asked.writers }, () => writeUntil(writing, () => isEnough)))
  const reading = follow(world, () => hasWritten)
  await untilWritten(asked.margin)
  tally.isMoving = true
  const begun = performance.now()
  const kills = await moveUnderKills(world, asked.fenced)
  const move = performance.now() - begun
  tally.isMoving = false
  await untilWritten(asked.margin)
  isEnough = true
  await written
  hasWritten = true
  return { kills, move, seen: await reading }
}

/** Runs the simulation. Everything in it is a log of the product, with its conditions; only the network is left out. */
export const simulate = async (asked: Simulated): Promise<Outcome> => {
  const world = await makeWorld(asked.folder, asked.roots, asked.entities)
  const tally: Tally = { acknowledged: [], findings: [], duringMove: [], refused: 0, isMoving: false }
  const { kills, move, seen } = await moveBeside(world, asked, tally)
  const { directoryLog: directory, logAt } = world
  const logs = new Map([
    [full as string, logAt(addresses.after)],
    [roomy, logAt(addresses.other)],
  ])
  const former = logAt(addresses.before)
  const found = await check({ directory, logs, moved: full, former, acknowledged: tally.acknowledged, seen })
  const eventsMoved = Number((await former.head()) ?? 0n)
  await world.close()
  const { acknowledged, duringMove, refused } = tally
  const findings = [...tally.findings, ...found]
  return { findings, acknowledged: acknowledged.length, duringMove, move, refused, kills, eventsMoved }
}
