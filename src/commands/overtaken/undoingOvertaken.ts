import { requestOf } from '../recording.ts'
import type { RecordedEvent } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import { sameJson } from '../../shared/json.ts'
import type { Context } from '../caller.ts'
import type { Standing } from '../decide.ts'
import { evolve, type Entity } from '../evolve.ts'
import type { Contradiction } from '../lookup.ts'
import { bringingBack, type Deleted } from './hiding.ts'
import { standing, wasBelowEnded } from './lastStanding.ts'
import type { Plan, Request } from '../unitOfWork/request.ts'

type Ending = RecordedEvent & { readonly data: { readonly deletion: string; readonly sparing?: readonly string[] } }

export interface Ended {
  /** Where the log took it: the event of the highest that it took. */
  readonly since: bigint
  /** What it was asked for, where that is still in it. */
  readonly root: Deleted | undefined
}

const isRoot = (entity: Entity, deletion: string): entity is Deleted =>
  entity.status === 'deleted' && !entity.inherited && entity.deletion === deletion

export const endedBy = async (
  context: Pick<Context, 'lookup'>,
  entity: Entity,
  { position, data: { deletion } }: Ending,
): Promise<Ended> => {
  let since = position
  let highest = entity
  while (highest.parent !== undefined) {
    const above = (await context.lookup([highest.parent])).get(highest.parent)
    if (above?.deletion !== deletion) break
    if (above.since < since) since = above.since
    highest = above
  }
  return { since, root: isRoot(highest, deletion) ? highest : undefined }
}

interface Beginning {
  readonly event: RecordedEvent
  readonly before: Entity | undefined
  /** Who brought it: its own request, a cascade that followed something above, or who took its deletion back. */
  readonly by: 'request' | 'cascade' | 'undoing'
}

/** Did it come after the deletion that its parent went into? Then its request was overtaken. */
export interface Overtaking extends Contradiction {
  readonly ending: Ending
  readonly ended: Ended
}

/** Must the deletion take nothing along that is like this? */
const isSpared = ({ child, ending: { data } }: Overtaking): boolean => data.sparing?.includes(child.kind) === true

/**
 * A request whose process ended cannot take back what was overtaken: whoever finds what it left does, in its name, so
 * that the log's order alone decides. What came below a deletion is not taken along, and a deletion of what must be
 * empty, or by somebody who may not delete all below, takes nothing that was there before.
 * @returns `undefined` when the child is to follow its parent
 */
export const undoingOvertaken = async (context: Context, found: Overtaking): Promise<Request | undefined> => {
  const { child, ended } = found
  if (context.log.conditional || child.status !== 'live') return undefined
  const isLate = child.since > ended.since
  const root = isSpared(found) ? ended.root : undefined
  if (!isLate && root === undefined) return undefined
  if (!(await isStillSo(context, found))) return staying(context, child)
  const beginning = await beginningOf(context, found)
  if (beginning === undefined || beginning.by === 'undoing') return undefined
  if (isLate && (await isOvertaken(context, child, beginning)))
    return undoing(context, { child, deletion: found.ending.data.deletion }, beginning)
  return root && bringingBack(context, root)
}

/**
 * Takes back what a request began below something that had ended, `undefined` when it is as it should be; with the
 * `deletion` that it takes where it was not there before.
 */
export const undoingBeginning = async (
  context: Context,
  child: Entity,
  deletion: string,
): Promise<Request | undefined> => {
  const { parent: above = '' } = child
  const parent = (await context.lookup([above])).get(above)
  const beginning = parent && (await beginningOf(context, { child, parent }))
  if (beginning === undefined || !(await isOvertaken(context, child, beginning))) return undefined
  return undoing(context, { child, deletion }, beginning)
}

/** Takes back a restore before which something above had ended: else others would go on with what is refused. */
export const undoingRestore = async (
  context: Context,
  restored: Entity,
  { position, data: { deletion } }: Ending,
): Promise<Request | undefined> => {
  const isCurrent = restored.since === position
  return isCurrent && (await wasBelowEnded(context, restored, position))
    ? undoingBeginning(context, restored, deletion)
    : undefined
}

const isOvertaken = async (context: Context, child: Entity, { by }: Beginning): Promise<boolean> =>
  by === 'request' && (await wasBelowEnded(context, child, child.since))

interface Late {
  readonly child: Entity
  readonly deletion: string
}

const undoing = async (context: Context, late: Late, beginning: Beginning): Promise<Request | undefined> => {
  const former = await standing(context, beginning.before)
  const stood = former.to?.status === 'live' && sameJson(former.to.members, late.child.members)
  return stood ? undefined : endingAgain(context, late, { event: beginning.event, former })
}

/** Contradictions are read while rows are written: nothing is taken back for one that was none at any moment. */
const isStillSo = async (context: Context, { child, parent }: Contradiction): Promise<boolean> => {
  await context.projected(child.since > parent.since ? child.since : parent.since)
  const now = await context.lookup([child.id, parent.id])
  return now.get(child.id)?.since === child.since && now.get(parent.id)?.since === parent.since
}

const beginningOf = async ({ log }: Context, { child, parent }: Contradiction): Promise<Beginning | undefined> => {
  let before: Entity | undefined
  let deletion: RecordedEvent | undefined
  for await (const event of log.readStream(streamName(child.kind, child.id))) {
    if (event.position === child.since) {
      const { causationId } = event.metadata
      const undone = [deletion?.id, deletion?.metadata.causationId]
      if (event.type === 'Created') return { event, before, by: 'request' }
      if (undone.includes(causationId)) return { event, before, by: 'undoing' }
      const isFollowing = await hasEvent(log, streamName(parent.kind, parent.id), causationId)
      return { event, before, by: isFollowing ? 'cascade' : 'request' }
    }
    if (event.type === 'SoftDeleted') deletion = event
    before = evolve(child.id, before, event)
  }
  return undefined
}

const hasEvent = async (log: Context['log'], stream: string, id: string): Promise<boolean> => {
  for await (const event of log.readStream(stream, { backwards: true })) if (event.id === id) return true
  return false
}

/** Makes something what it was before it began, in the name of the request that began it. */
const endingAgain = (
  context: Context,
  { child, deletion }: Late,
  { event, former }: Pick<Beginning, 'event'> & { readonly former: Standing },
): Request => {
  const definition = context.kindNamed(child.kind)
  return {
    cause: { ...requestOf(event), commandId: `${event.id}:overtaken`, causationId: event.id },
    target: child,
    ids: [child.id],
    resolve: (reads): Plan => {
      const now = reads.own(child.id) ?? child
      const isSame = now.status === 'live' && now.since === child.since
      const command = isSame ? ({ type: 'TakeBack', ...former, deletion } as const) : stay
      return { definition, subject: now, before: now, command }
    },
  }
}

const stay = { type: 'Stay' } as const

const staying = (context: Context, child: Entity): Request => ({
  cause: { user: child.updatedBy, correlationId: child.id, commandId: child.id },
  target: child,
  ids: [child.id],
  resolve: (reads): Plan => {
    const now = reads.own(child.id) ?? child
    return { definition: context.kindNamed(child.kind), subject: now, before: now, command: stay }
  },
})
