import { yieldToEventLoop, makeYielder } from '../shared/yieldToEventLoop.ts'
import type { RecordedEvent } from '../events/events.ts'
import { descendantKinds } from '../kinds/index.ts'
import { streamName } from '../events/streamName.ts'
import type { Context } from './caller.ts'
import type { Command } from './decide.ts'
import { DomainError } from './errors.ts'
import type { Entity } from './evolve.ts'
import type { Contradiction } from './lookup.ts'
import { endBegunBelow } from './overtaken/begunBelow.ts'
import { endedBy, undoingOvertaken, undoingRestore, type Ended } from './overtaken/undoingOvertaken.ts'
import { requestOf, type Cause } from './recording.ts'
import { commitAll } from './unitOfWork/commit.ts'
import type { Head } from './unitOfWork/reads.ts'
import { resultsOf, type Outcome, type Plan, type Request } from './unitOfWork/request.ts'

/** Children that one round takes, and parents that it looks below: small enough to let others have their turn. */
const roundSize = 500

/**
 * Carries deletions and restores down the tree until no child contradicts its parent. Nothing is remembered between
 * rounds: what a crash cut short is finished by the next call.
 * @param ids parents that changed, or children that appeared
 * @returns log position of the last event that this took, `undefined` when there was nothing to do
 */
export const finishCascades = async (context: Context, ids: readonly string[]): Promise<bigint | undefined> =>
  (await finishUntil(context, ids, () => false)).last

/** As {@link finishCascades}, until it is told to stop. @returns also the ids that are left to look at then */
export const finishUntil = async (
  context: Context,
  ids: readonly string[],
  stop: () => boolean,
): Promise<{ readonly last: bigint | undefined; readonly left: readonly string[] }> => {
  let last: bigint | undefined
  const yieldWhenDue = makeYielder()
  for (let level = [...ids]; level.length > 0;) {
    const below: string[] = []
    for (let at = 0; at < level.length; at += roundSize) {
      const some = level.slice(at, at + roundSize)
      const finished = await finishAmong(context, some, stop)
      for (const id of finished.changed) below.push(id)
      last = finished.last ?? last
      if (stop()) return { last, left: [...level.slice(at), ...below] }
      await yieldWhenDue()
    }
    level = below
  }
  return { last, left: [] }
}

/** Waits until everything below this has followed, whoever sees to that. */
export const finishBelow = async (context: Context, { id, position }: Entity): Promise<void> => {
  // Whoever had to wait for his turn may know the entity further on than the read models.
  await context.projected(position)
  await (context.followed?.([id], Infinity) ?? finishCascades(context, [id]))
}

/**
 * Gives these entities, and what they stand below, their own events, and nothing else that stands there.
 * @param taking is told the streams of those that get theirs now: what stands below them has to follow them
 */
export const followAbove = async (
  context: Context,
  ids: readonly string[],
  taking: (streams: readonly string[]) => void,
): Promise<void> => {
  for (;;) {
    const after = context.position()
    const known = await withAllAbove(context, ids)
    const pairs = [...known.values()].flatMap((child): Contradiction[] => {
      const parent = known.get(child.parent ?? '')
      return parent !== undefined && contradicts({ child, parent }) ? [{ child, parent }] : []
    })
    if (pairs.length === 0) return
    const behind = new Set(pairs.map(({ child }) => child.id))
    const first = pairs.filter(({ parent }) => !behind.has(parent.id)).slice(0, roundSize)
    taking(first.map(({ child }) => streamName(child.kind, child.id)))
    await takeRound(context, first, after)
  }
}

const withAllAbove = async ({ lookup }: Context, ids: readonly string[]): Promise<Map<string, Entity>> => {
  const known = new Map<string, Entity>()
  for (let wanted = [...ids]; wanted.length > 0;) {
    const found = await lookup(wanted)
    for (const [id, entity] of found) known.set(id, entity)
    wanted = [...new Set([...found.values()].flatMap(({ parent }) => parent ?? []))].filter((id) => !known.has(id))
  }
  return known
}

/** Brings back what a restore of this live entity has not reached yet, however deep it stands. */
export const finishRestore = async (context: Context, root: Entity): Promise<void> => {
  if (!(await comesBack(context, root))) return
  const within = `${root.fullyQualifiedName}.`
  for await (const ids of context.tree.contradicted()) {
    const parents = await context.refer(ids)
    const below = ids.filter((id) => `${parents.get(id)?.fullyQualifiedName}.`.startsWith(within))
    await finishCascades(context, below)
  }
}

/** Has a restore of this entity something to bring back below it? */
export const comesBack = async ({ tree }: Pick<Context, 'tree'>, root: Entity): Promise<boolean> => {
  for (const { name } of descendantKinds(root.kind)) if (await tree.comesBack(root, name)) return true
  return false
}

export const finishAllCascades = async (context: Context): Promise<bigint | undefined> => {
  let last: bigint | undefined
  for (let found = true; found;) {
    found = false
    for await (const ids of context.tree.contradicted()) {
      found = true
      last = (await finishCascades(context, ids)) ?? last
    }
  }
  return last
}

interface Finished {
  readonly changed: readonly string[]
  readonly last: bigint | undefined
}

const finishAmong = async (context: Context, among: readonly string[], stop: () => boolean): Promise<Finished> => {
  const changed: string[] = []
  let last: bigint | undefined
  for (;;) {
    if (stop()) return { changed, last }
    const after = context.position()
    const round = await context.tree.contradictions(roundSize, among)
    if (round.length === 0) return { changed, last }
    const { last: taken, revived } = await takeRound(context, round, after)
    // What went with a deletion that was taken back comes back with it.
    last = (await finishCascades(context, revived)) ?? taken ?? last
    for (const { child } of round) changed.push(child.id)
    context.progress?.()
    await yieldToEventLoop()
  }
}

interface Round {
  readonly last: bigint | undefined
  /** Ids of what stands above and is there again, and of what was ended because of it. */
  readonly revived: readonly string[]
}

const takeRound = async (
  context: Context,
  round: readonly Contradiction[],
  after: bigint | undefined,
): Promise<Round> => {
  const causes = new Map<string, Promise<Found>>()
  const requests = await Promise.all(
    round.map(async (contradiction) => {
      const key = causingKey(contradiction)
      const found = causes.get(key) ?? causeOf(context, contradiction)
      causes.set(key, found)
      const { event, ended, undoing } = await found
      const overtaken = ended && (await undoingOvertaken(context, { ...contradiction, ending: event, ended }))
      return overtaken ?? undoing ?? follow(context, contradiction, event)
    }),
  )
  const known = new Map(round.flatMap(({ child, parent }) => [child, parent].map((entity) => [entity.id, entity])))
  const taken = await commitAll(context, requests, { after, known, absent: new Set() })
  const last = taken.map(positionOf).reduce((max, position) => (position > max ? position : max), 0n)
  const targets = requests.map(({ target }, at) => target?.id ?? round[at]?.child.id ?? '')
  const revived = targets.filter((id, at) => id !== round[at]?.child.id)
  if (last > 0n) await context.projected(last)
  const ended = await endBegunBelow(context, resultsOf(taken))
  return { last: last > 0n ? last : undefined, revived: [...new Set([...revived, ...ended])] }
}

/** Of a child that others keep changing nothing was taken yet: it is met again in the next round. */
const positionOf = (taken: Outcome): bigint => {
  if ('result' in taken) return taken.result.changed ? taken.result.position : 0n
  if (taken.error instanceof DomainError && taken.error.code === 'conflict') return 0n
  throw taken.error
}

/** What happened to the parent that its child must follow, and to which deletion; `undefined`: the newest. */
const causing = ({ child, parent }: States): { type: Causing['type']; deletion?: string } => {
  if (parent.status === 'gone' || parent.born > child.parentBorn) return { type: 'HardDeleted' }
  if (parent.status === 'deleted') return { type: 'SoftDeleted' }
  return { type: 'Restored', ...(child.deletion !== undefined && { deletion: child.deletion }) }
}

const causingKey = (contradiction: States): string => {
  const { type, deletion = '' } = causing(contradiction)
  return `${contradiction.parent.id} ${type} ${deletion}`
}

type Causing = RecordedEvent & { type: 'SoftDeleted' | 'HardDeleted' | 'Restored' }

interface Found {
  readonly event: Causing
  /** Where the log cannot refuse, and the event is an end: how that came to be. */
  readonly ended?: Ended
  /** There, and the event is a restore that is to be taken back: nothing comes back because of it. */
  readonly undoing?: Request | undefined
}

const causeOf = async (context: Context, contradiction: Contradiction): Promise<Found> => {
  const event = await causingEvent(context, contradiction)
  if (context.log.conditional) return { event }
  if (event.type === 'Restored') return { event, undoing: await undoingRestore(context, contradiction.parent, event) }
  return { event, ended: await endedBy(context, contradiction.parent, event) }
}

const causingEvent = async ({ log }: Context, contradiction: Contradiction): Promise<Causing> => {
  const { type, deletion } = causing(contradiction)
  const { kind, id } = contradiction.parent
  for await (const event of log.readStream(streamName(kind, id), { backwards: true })) {
    if (event.type === type && (deletion === undefined || event.data.deletion === deletion)) return event
  }
  throw new Error(`${kind} ${id} has no ${type}${deletion === undefined ? '' : ` of the deletion ${deletion}`}.`)
}

/** What a child does when this happened to its parent, unless something else has happened to either since. */
const follow = (context: Context, contradiction: Contradiction, event: Causing): Request => {
  const { child, parent } = contradiction
  const definition = context.kindNamed(child.kind)
  return {
    cause: causeAfter(event, child),
    target: child,
    ids: [child.id],
    referred: [parent.id],
    resolve: (reads): Plan => {
      const now = { child: reads.own(child.id) ?? child, parent: reads.get(parent.id) ?? parent }
      const isSame = contradicts(now) && causingKey(now) === causingKey(contradiction)
      return {
        definition,
        subject: now.child,
        before: now.child,
        command: isSame ? commandAfter(event) : { type: 'Stay' },
      }
    },
  }
}

/** A child and its parent, as far as it matters whether one contradicts the other. */
interface States {
  readonly child: Head
  readonly parent: Head
}

/** The rule of `Tree.contradictions`. */
const contradicts = ({ child, parent }: States): boolean => {
  if (child.status === 'gone') return false
  if (parent.status === 'gone' || parent.born > child.parentBorn) return true
  return parent.status === 'deleted' ? child.status === 'live' : child.inherited
}

const commandAfter = ({ type, data }: Causing): Command => {
  const { deletion } = data
  if (type === 'HardDeleted') return { type: 'HardDelete', deletion }
  return type === 'SoftDeleted' ? { type: 'SoftDelete', ...data, inherited: true } : { type: 'Restore', deletion }
}

/** The cascade goes on in the name of the one who began it, with the event of the parent as its cause. */
const causeAfter = (event: Causing, child: Entity): Cause => ({
  ...requestOf(event),
  commandId: `${event.id}:${child.id}`,
  causationId: event.id,
})
