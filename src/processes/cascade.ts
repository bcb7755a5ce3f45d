import type { Command } from '../commands/decide.ts'
import { DomainError } from '../commands/errors.ts'
import type { Entity, EntityHead } from '../commands/evolve.ts'
import type { StatusMismatch, EntityBatch, Referred } from '../commands/lookup.ts'
import type { Ports } from '../commands/ports.ts'
import { originOf, type Cause } from '../commands/recording.ts'
import { commitAll } from '../commands/unitOfWork/unitOfWork.ts'
import type { Outcome, Plan, Request } from '../commands/unitOfWork/request.ts'
import { streamName } from '../events/events.ts'
import { kindNamed } from '../kinds/registry/kinds.ts'
import { chunksOf } from '../shared/bounds.ts'
import { yieldToEventLoop, makeYielder } from '../shared/yieldToEventLoop.ts'
import { statusOf, type Pending, type Region, type StatusEvent } from '../projections/entities/pending.ts'
import { contradicts } from '../projections/entities/hierarchy.ts'

/** Children and parents handled in one round: small enough to yield to other work. */
const roundSize = 500

interface CascadePorts extends Ports {
  /** Called before each round. @throws to stop the cascade */
  readonly progress?: (() => void | Promise<void>) | undefined
}

interface CascadeSteps {
  /** Tells when to turn to other work. */
  readonly stop?: () => boolean
  /** Called with the id of an entity whose descendants are finished, and the position of the last event. */
  readonly completed?: (id: string, last: bigint | undefined) => Promise<void>
}

/**
 * Appends the events of descendants that follow from deletions and restores, parents first, until no child contradicts
 * its parent. Continues below descendants that already have theirs. Idempotent: after a stop, a call with the same ids
 * does the rest.
 * @param ids entities whose status changed, or that were created below such entities
 * @returns position of the last event
 */
export const cascade = async (
  ports: CascadePorts,
  ids: readonly string[],
  { stop = () => false, completed }: CascadeSteps = {},
): Promise<bigint | undefined> => {
  let last: bigint | undefined
  const yieldWhenDue = makeYielder()
  const follow = async (among: readonly string[]): Promise<void> => {
    last = (await cascadeAmong(ports, among, stop)) ?? last
    await yieldWhenDue()
  }
  for (const some of chunksOf(ids, roundSize)) {
    await follow(some)
    const roots = await ports.refer(some)
    const withMore = await ports.hierarchy.withGrandchildren([...roots.values()])
    for (const id of some) {
      const root = roots.get(id)
      const hasMore = root !== undefined && withMore.has(root)
      for await (const behind of hasMore ? ports.hierarchy.pendingDescendantIds(root) : []) {
        if (stop()) return last
        await follow(behind)
      }
      if (stop()) return last
      await completed?.(id, last)
    }
  }
  return last
}

/** Appends the pending events of these entities and their ancestors, and of no others. */
const settleAncestors = async (ports: CascadePorts, ids: readonly string[]): Promise<void> => {
  for (;;) {
    const after = ports.position()
    const known = await withAncestors(ports, ids)
    const pairs = [...known.values()].flatMap((child): StatusMismatch[] => {
      const parent = known.get(child.parent ?? '')
      return parent !== undefined && contradicts(child, parent) ? [{ child, parent }] : []
    })
    if (pairs.length === 0) return
    const behind = new Set(pairs.map(({ child }) => child.id))
    const first = pairs.filter(({ parent }) => !behind.has(parent.id)).slice(0, roundSize)
    await runRound(ports, first, after)
  }
}

const withAncestors = async ({ lookup }: Ports, ids: readonly string[]): Promise<Map<string, Entity>> => {
  const known = new Map<string, Entity>()
  for (let wanted = [...ids]; wanted.length > 0;) {
    const found = await lookup(wanted)
    for (const [id, entity] of found) known.set(id, entity)
    wanted = [...new Set([...found.values()].flatMap(({ parent }) => parent ?? []))].filter((id) => !known.has(id))
  }
  return known
}

/** Handles these entities and their children, depth first: below each child that it changes before the other children. */
const cascadeAmong = async (
  ports: CascadePorts,
  ids: readonly string[],
  stop: () => boolean,
): Promise<bigint | undefined> => {
  let last: bigint | undefined
  const stack = [ids]
  for (let among = stack.pop(); among !== undefined && !stop(); among = stack.pop()) {
    await ports.progress?.()
    const after = ports.position()
    const round = await ports.hierarchy.statusMismatches(roundSize, among)
    // The mismatches found may come from void events.
    if (stop()) break
    if (round.length === 0) continue
    last = (await runRound(ports, round, after)) ?? last
    const changed = round.map(({ child }) => child.id)
    stack.push(among, changed)
    await yieldToEventLoop()
  }
  return last
}

const runRound = async (
  ports: CascadePorts,
  round: readonly StatusMismatch[],
  after: bigint | undefined,
): Promise<bigint | undefined> => {
  const causes = new Map<string, Promise<StatusEvent>>()
  const requests = await Promise.all(
    round.map(async (mismatch) => {
      const key = causeKey(mismatch)
      const found = causes.get(key) ?? readCause(ports, mismatch)
      causes.set(key, found)
      return followRequest(mismatch, await found)
    }),
  )
  const known = new Map(round.flatMap(({ child, parent }) => [child, parent].map((entity) => [entity.id, entity])))
  const outcomes = await commitAll(ports, requests, { after, known, absent: new Set() })
  const last = outcomes.map(positionOf).reduce((max, position) => (position > max ? position : max), 0n)
  if (last === 0n) return undefined
  await ports.waitForPosition(last)
  return last
}

/** A child that others keep changing is handled in the next round. */
const positionOf = (outcome: Outcome): bigint => {
  if ('result' in outcome) return outcome.result.changed ? outcome.result.position : 0n
  if (outcome.error instanceof DomainError && outcome.error.code === 'conflict') return 0n
  throw outcome.error
}

interface States {
  readonly child: EntityHead
  readonly parent: EntityHead
}

/** The type of the parent's event that the child must follow, and its deletion; `undefined`: the newest. */
const expectedCause = ({ child, parent }: States): { type: StatusEvent['type']; deletion?: string } => {
  if (parent.status === 'gone' || parent.born > child.parentBorn) return { type: 'HardDeleted' }
  if (parent.status === 'deleted') return { type: 'SoftDeleted' }
  return { type: 'Restored', ...(child.deletion !== undefined && { deletion: child.deletion }) }
}

const causeKey = (mismatch: States): string => {
  const { type, deletion = '' } = expectedCause(mismatch)
  return `${mismatch.parent.id} ${type} ${deletion}`
}

const readCause = async ({ log }: Ports, mismatch: StatusMismatch): Promise<StatusEvent> => {
  const { type, deletion } = expectedCause(mismatch)
  const { kind, id } = mismatch.parent
  for await (const event of log.readStream(streamName(kind, id), { backwards: true })) {
    if (event.type === type && (deletion === undefined || event.data.deletion === deletion)) return event
  }
  throw new Error(`${kind} ${id} has no ${type}${deletion === undefined ? '' : ` of the deletion ${deletion}`}.`)
}

/** The child's request that follows a parent's event, unless either has changed since. */
const followRequest = (mismatch: StatusMismatch, event: StatusEvent): Request => {
  const { child, parent } = mismatch
  const definition = kindNamed(child.kind)
  return {
    cause: causeAfter(event, child),
    target: child,
    ids: [child.id],
    referred: [parent.id],
    resolve: (reads): Plan => {
      const now = { child: reads.own(child.id) ?? child, parent: reads.get(parent.id) ?? parent }
      const isSame = contradicts(now.child, now.parent) && causeKey(now) === causeKey(mismatch)
      const command: Command = isSame ? commandAfter(event) : { type: 'NoOp' }
      return { definition, subject: now.child, before: now.child, command, isConsequence: true }
    },
  }
}

const following = { SoftDeleted: 'SoftDelete', Restored: 'Restore', HardDeleted: 'HardDelete' } as const

const commandAfter = ({ type, data: { deletion } }: StatusEvent): Command => ({
  type: following[type],
  deletion,
  inherited: true,
})

/** A cascade continues in the name of its initiator, with the parent's event as its cause. */
const causeAfter = (event: StatusEvent, child: Entity): Cause => ({
  ...originOf(event),
  commandId: `${event.id}:${child.id}`,
  causationId: event.id,
})

type Entities = ReadonlyMap<string, Entity> | ReadonlyMap<string, Referred>

const idsWithPending = (regions: readonly Region[], found: ReadonlyMap<string, Entity | Referred>): string[] =>
  [...found.values()].filter((entity) => statusOf(regions, entity) !== entity.status).map(({ id }) => id)

/**
 * Look-ups for requests: they append the pending events of an entity and its ancestors before anything is decided on it.
 * @param context appends these events, with look-ups of its own
 */
export const settledPorts = (
  ports: Ports,
  context: CascadePorts,
  pending: Pick<Pending, 'regions'>,
): Pick<Ports, 'lookup' | 'refer' | 'prefetch'> => {
  const settled =
    <T extends Entities | EntityBatch>(read: (ids: readonly string[]) => Promise<T>) =>
    async (wanted: readonly string[]): Promise<T> => {
      const regions = await pending.regions()
      const found = await read(wanted)
      const ids = regions.length === 0 ? [] : idsWithPending(regions, 'found' in found ? found.found : found)
      if (ids.length === 0) return found
      await settleAncestors(context, ids)
      return read(wanted)
    }
  return { lookup: settled(ports.lookup), refer: settled(ports.refer), prefetch: settled(ports.prefetch) }
}
