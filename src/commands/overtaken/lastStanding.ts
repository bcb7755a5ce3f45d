import { streamName } from '../../events/streamName.ts'
import type { Context } from '../caller.ts'
import type { Standing } from '../decide.ts'
import { evolve, type Entity } from '../evolve.ts'
import { endedAbove } from '../unitOfWork/deciding.ts'

type Reading = Pick<Context, 'log' | 'lookup'>

/** An entity as it was before a position, of the life that began at the revision `born` or later; else `undefined`. */
export const lifeBefore = async (
  { log }: Pick<Context, 'log'>,
  { kind, id }: Pick<Entity, 'kind' | 'id'>,
  position: bigint,
  born: bigint,
): Promise<Entity | undefined> => {
  let state: Entity | undefined
  for await (const event of log.readStream(streamName(kind, id))) {
    if (event.position >= position) break
    state = evolve(id, state, event)
  }
  return state === undefined || state.revision < born ? undefined : state
}

interface Deletion {
  readonly position: bigint
  readonly before: Entity | undefined
  readonly sparing: readonly string[] | undefined
}

/**
 * The deletion that an entity is in: what took it first. It is looked for in the log, because what a request has just
 * decided on knows no positions.
 */
const deletionOf = async ({ log }: Pick<Context, 'log'>, entity: Entity): Promise<Deletion | undefined> => {
  const { kind, id, status, deletion, revision } = entity
  if (status !== 'deleted') return undefined
  let found: Deletion | undefined
  let state: Entity | undefined
  for await (const event of log.readStream(streamName(kind, id))) {
    if (event.revision > revision) break
    if (event.type === 'SoftDeleted' && event.data.deletion === deletion)
      found ??= { position: event.position, before: state, sparing: event.data.sparing }
    state = evolve(id, state, event)
  }
  return found
}

/** Had something above it ended when the log took the event at this position, which look-ups reach? */
export const wasBelowEnded = async (context: Reading, entity: Entity, position: bigint): Promise<boolean> => {
  const above: Entity[] = []
  for (let id = entity.parent; id !== undefined; id = above.at(-1)?.parent) {
    const present = (await context.lookup([id])).get(id)
    if (present === undefined) break
    const { parentBorn } = above.at(-1) ?? entity
    const then = present.since < position ? present : await lifeBefore(context, present, position, parentBorn)
    above.push(then ?? present)
  }
  return endedAbove([{ ...entity, status: 'live' }, ...above]) !== undefined
}

/** What a request goes back to that is taken back: what was before it, without deletions taken back as well. */
export const standing = async (context: Reading, before: Entity | undefined): Promise<Standing> => {
  for (let to = before; ;) {
    const deletion = to && (await deletionOf(context, to))
    if (to === undefined || deletion === undefined) return { to }
    const { sparing } = deletion
    if (to.inherited || !(await wasBelowEnded(context, to, deletion.position))) return { to, sparing }
    to = deletion.before
  }
}
