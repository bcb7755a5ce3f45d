import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Append } from '../events/eventStore.ts'
import type { NewEvent } from '../events/events.ts'
import { streamName } from '../events/streamName.ts'
import type { JsonObject } from '../shared/json.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import type { ParsedRequest } from '../kinds/request/requestSchema.ts'
import { settle } from './cascade.ts'
import { idsOf, likelyFqn, placeOf, resolveRequest, type Unresolved } from './context.ts'
import type { Command, Decision } from './decide.ts'
import type { Entity } from './evolve.ts'
import {
  decideWith,
  handleCommand,
  lookUpReferred,
  refusal,
  type Commands,
  type Precondition,
} from './handleCommand.ts'
import { foresee, record, type Cause } from './recording.ts'
import { finish } from './submit.ts'

/** What became of one item of a bulk request. `name`: its FQN, or its name where no FQN could be made. */
export type ItemOutcome =
  | { readonly name: string; readonly ok: true; readonly created: boolean }
  | { readonly name: string; readonly ok: false; readonly error: unknown }

/** Items that are decided and appended together. Between chunks other requests get their turn. */
const chunkSize = 500

/** Throws when the caller may not write an entity as it is: the item that would fails. */
type MayWrite = (before: Entity | undefined, values: JsonObject) => void

/**
 * Upserts many entities of one kind. Items are independent and taken in order: one may refer to an earlier one, and a later
 * one of the same name updates. Answers when every read sees them.
 */
export const submitBulk = async (
  commands: Commands,
  definition: KindDefinition,
  items: readonly ParsedRequest[],
  cause: Cause,
  mayWrite: MayWrite = () => undefined,
): Promise<{ outcomes: ItemOutcome[]; position: bigint | undefined }> => {
  const outcomes: ItemOutcome[] = []
  const parents = new Set<string>()
  let last: bigint | undefined
  for (let start = 0; start < items.length; start += chunkSize) {
    const chunk = await takeChunk(
      commands,
      definition,
      items.slice(start, start + chunkSize),
      start,
      cause,
      parents,
      mayWrite,
    )
    outcomes.push(...chunk.outcomes)
    last = later(last, chunk.position)
    await nextTurn()
  }
  if (last === undefined) return { outcomes, position: undefined }
  await commands.projected(last)
  await settleOrphans(commands, [...parents])
  return { outcomes, position: last }
}

/** Takes what was created below a parent that was deleted meanwhile. */
const settleOrphans = async (commands: Commands, parents: readonly string[]): Promise<void> => {
  const found = await commands.lookup(parents)
  const ended = [...found.values()].filter((parent) => parent.status !== 'live')
  if (ended.length > 0)
    await settle(
      commands,
      ended.map((parent) => parent.id),
    )
}

const later = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a

/** One item on its way: its events are appended with those of its neighbours. */
interface Pending {
  readonly index: number
  readonly subject: { kind: string; id: string; name: string; fullyQualifiedName: string }
  readonly command: Command
  readonly cause: Cause
  readonly decisions: readonly Decision[]
  readonly precondition: Precondition
}

/** What is appended to one stream. */
interface Share {
  readonly before: Entity | undefined
  readonly pending: Pending[]
}

const takeChunk = async (
  commands: Commands,
  definition: KindDefinition,
  items: readonly ParsedRequest[],
  start: number,
  cause: Cause,
  parents: Set<string>,
  mayWrite: MayWrite,
) => {
  const outcomes: ItemOutcome[] = []
  const placed = items.map((item) => placeOf(definition, item))
  const asked = new Set(placed.flatMap((request) => idsOf(request, commands.kindNamed)))
  const known = await lookUpReferred(commands, [...asked])
  const shares = new Map<string, Share>()
  for (const [index, unresolved] of placed.entries()) {
    const item = items[index] as ParsedRequest
    const itemCause = { ...cause, commandId: `${cause.commandId}:${start + index}` }
    try {
      const { location, members, problems } = resolveRequest(unresolved, known, commands.kindNamed)
      const command: Command = { type: 'Upsert', location, members, cleared: item.cleared }
      if (problems.length > 0) {
        throw await refusal(commands, definition, known.get(location.id), command, known, problems, item.unreadable)
      }
      outcomes[index] = { name: location.fullyQualifiedName, ok: true, created: false }
      const { id, parent } = location
      if (parent !== undefined) parents.add(parent.reference.id)
      if (!known.has(id) && !asked.has(id))
        for (const [found, entity] of await commands.lookup([id])) known.set(found, entity)
      const before = known.get(id)
      const precondition = (entity: Entity | undefined): void => mayWrite(entity, unresolved.values)
      precondition(before)
      if (before?.status === 'gone') await settle(commands, [id])
      const decisions = await decideWith(commands, definition, before, command, known)
      const subject = { kind: definition.name, ...location }
      outcomes[index] = { name: location.fullyQualifiedName, ok: true, created: wasCreated(before) }
      if (decisions.length === 0) continue
      known.set(id, foresee(subject, before, decisions, itemCause) as Entity)
      const share = shares.get(id) ?? { before, pending: [] }
      share.pending.push({ index, subject, command, cause: itemCause, decisions, precondition })
      shares.set(id, share)
    } catch (error) {
      outcomes[index] = { name: outcomes[index]?.name ?? nameFor(item, unresolved), ok: false, error }
    }
  }
  const position = await appendAll(commands, definition, [...shares.values()], outcomes, known)
  return { outcomes, position }
}

/** What a refused item is called: its FQN, or its name where no FQN can be made. */
const nameFor = (item: ParsedRequest, unresolved: Unresolved): string =>
  item.name === '' || item.unreadable?.has('name') ? item.name : (likelyFqn(unresolved) ?? item.name)

const wasCreated = (before: Entity | undefined): boolean => before === undefined || before.status === 'gone'

const appendOf = ({ before, pending }: Share, now: number): Append => {
  const events: NewEvent[] = []
  const { kind, id } = (pending[0] as Pending).subject
  let entity = before
  for (const { subject, decisions, cause } of pending) {
    const recorded = record(subject, entity, decisions, cause, now)
    events.push(...recorded.events)
    entity = recorded.entity
  }
  return { stream: streamName(kind, id), expected: before?.revision ?? 'no_stream', events }
}

const appendAll = async (
  commands: Commands,
  definition: KindDefinition,
  shares: readonly Share[],
  outcomes: ItemOutcome[],
  known: Map<string, Entity>,
): Promise<bigint | undefined> => {
  let last: bigint | undefined
  const now = commands.clock.now()
  const appended = await commands.log.append(shares.map((share) => appendOf(share, now)))
  for (const [index, outcome] of appended.entries()) {
    if (outcome.ok) {
      last = later(last, outcome.position)
      continue
    }
    for (const pending of shares[index]?.pending ?? []) {
      last = later(last, await takeAlone(commands, definition, pending, outcomes, known))
    }
  }
  return last
}

/** Somebody was faster on this stream, or the items together are too large: each goes the way of a single request. */
const takeAlone = async (
  commands: Commands,
  definition: KindDefinition,
  { index, subject, command, cause, precondition }: Pending,
  outcomes: ItemOutcome[],
  known: Map<string, Entity>,
): Promise<bigint | undefined> => {
  try {
    const result = await finish(
      commands,
      await handleCommand(commands, definition, subject, command, cause, known, precondition),
    )
    outcomes[index] = {
      name: subject.fullyQualifiedName,
      ok: true,
      created: result.changed && wasCreated(result.before),
    }
    return result.position
  } catch (error) {
    outcomes[index] = { name: subject.fullyQualifiedName, ok: false, error }
    return undefined
  }
}
