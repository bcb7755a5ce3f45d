import type { AppendOutcome } from '../events/eventStore.ts'
import type { RecordedEvent } from '../events/events.ts'
import { streamName } from '../events/streamName.ts'
import { decide, type Command } from './decide.ts'
import { DomainError } from './errors.ts'
import type { Entity } from './evolve.ts'
import { handleCommand, type Commands } from './handleCommand.ts'
import type { Contradiction } from './lookup.ts'
import { record, type Cause } from './recording.ts'

/** Children that one round takes, and parents that it looks below. */
const roundSize = 1000

/**
 * Carries deletions and restores down the tree until no child contradicts its parent. There is nothing to remember
 * between rounds: a cascade that a crash cut short is finished by the next call, and a child that appears below a parent
 * while that is deleted is taken like the others.
 * @param ids where to begin: parents that changed, or children that appeared; everything when left out
 * @returns log position of the last event that this took, `undefined` when there was nothing to do
 */
export const settle = async (commands: Commands, ids?: readonly string[]): Promise<bigint | undefined> => {
  if (ids === undefined) return (await settleAmong(commands, undefined)).last
  let last: bigint | undefined
  for (let level = [...ids]; level.length > 0;) {
    const below: string[] = []
    for (let start = 0; start < level.length; start += roundSize) {
      const settled = await settleAmong(commands, level.slice(start, start + roundSize))
      below.push(...settled.changed)
      last = settled.last ?? last
    }
    level = below
  }
  return last
}

interface Settled {
  /** Ids of the children that were changed. */
  readonly changed: readonly string[]
  readonly last: bigint | undefined
}

const settleAmong = async (commands: Commands, among: readonly string[] | undefined): Promise<Settled> => {
  const changed: string[] = []
  let last: bigint | undefined
  for (;;) {
    const round = await commands.tree.contradictions(roundSize, among)
    if (round.length === 0) return { changed, last }
    last = await takeRound(commands, round)
    for (const { child } of round) changed.push(child.id)
  }
}

const takeRound = async (commands: Commands, round: readonly Contradiction[]): Promise<bigint> => {
  const causes = new Map<string, Promise<Causing>>()
  const steps = await Promise.all(
    round.map(async (contradiction) => {
      const { child, parent } = contradiction
      const { type, deletion = '' } = causing(contradiction)
      const key = `${parent.id} ${type} ${deletion}`
      const found = causes.get(key) ?? causeOf(commands, contradiction)
      causes.set(key, found)
      const event = await found
      const command = commandAfter(event)
      const decisions = decide(child, command, aroundOf(commands, child))
      return { child, command, cause: causeAfter(event, child), decisions }
    }),
  )
  const now = commands.clock.now()
  const appends = steps.map(({ child, cause, decisions }) => ({
    stream: streamName(child.kind, child.id),
    expected: child.revision,
    events: record(child, child, decisions, cause, now).events,
  }))
  const outcomes = await commands.log.append(appends)
  const positions = await Promise.all(
    steps.map(async ({ child, command, cause }, index) => {
      const outcome = outcomes[index] as AppendOutcome
      return outcome.ok ? outcome.position : takeOne(commands, child, command, cause)
    }),
  )
  const last = positions.reduce((max, position) => (position > max ? position : max), 0n)
  await commands.projected(last)
  return last
}

/** The child changed meanwhile: decide on what it is now. */
const takeOne = async (commands: Commands, child: Entity, command: Command, cause: Cause): Promise<bigint> => {
  try {
    const definition = commands.kindNamed(child.kind)
    return (await handleCommand(commands, definition, child, command, cause, new Map())).position
  } catch (error) {
    if (error instanceof DomainError) return child.position
    throw error
  }
}

const aroundOf = (commands: Commands, child: Entity) => ({
  definition: commands.kindNamed(child.kind),
  facts: { get: () => undefined },
  tools: commands.tools,
})

/** What happened to the parent that its child must follow, and to which deletion; `undefined`: the newest. */
const causing = ({
  child,
  parent,
}: Contradiction): { type: 'SoftDeleted' | 'HardDeleted' | 'Restored'; deletion?: string } => {
  if (parent.status === 'gone' || parent.born > child.parentBorn) return { type: 'HardDeleted' }
  if (parent.status === 'deleted') return { type: 'SoftDeleted' }
  return { type: 'Restored', ...(child.deletion !== undefined && { deletion: child.deletion }) }
}

type Causing = RecordedEvent & { type: 'SoftDeleted' | 'HardDeleted' | 'Restored' }

/** The event of the parent that its child must follow. */
const causeOf = async ({ log }: Commands, contradiction: Contradiction): Promise<Causing> => {
  const { type, deletion } = causing(contradiction)
  const { kind, id } = contradiction.parent
  for await (const event of log.readStream(streamName(kind, id), { backwards: true })) {
    if (event.type === type && (deletion === undefined || event.data.deletion === deletion)) return event
  }
  throw new Error(`${kind} ${id} has no ${type}${deletion === undefined ? '' : ` of the deletion ${deletion}`}.`)
}

/** What a child does when this happened to its parent. */
const commandAfter = ({ type, data: { deletion } }: Causing): Command => {
  if (type === 'HardDeleted') return { type: 'HardDelete', deletion }
  return type === 'SoftDeleted' ? { type: 'SoftDelete', deletion, inherited: true } : { type: 'Restore', deletion }
}

/** The cascade goes on in the name of the one who began it, with the event of the parent as its cause. */
const causeAfter = ({ id, metadata: { user, correlationId } }: Causing, child: Entity): Cause => ({
  user,
  correlationId,
  commandId: `${id}:${child.id}`,
  causationId: id,
})
