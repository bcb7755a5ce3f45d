import { randomUUID } from 'node:crypto'
import type { RecordedEvent } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import type { Context } from '../caller.ts'
import { finishCascades } from '../cascade.ts'
import type { Entity } from '../evolve.ts'
import { take, type Plan, type Request } from '../taking/take.ts'

/** Where a UUID says its version. */
const versionAt = 14

/**
 * Id of a deletion that only hides, so that a request can look below before it deletes for good: a UUID of version 8
 * (RFC 9562), so that the log and the read models tell it from a deletion that is meant to last.
 */
export const hidingId = (): string => {
  const id = randomUUID()
  return `${id.slice(0, versionAt)}8${id.slice(versionAt + 1)}`
}

export const isHiding = (deletion: string | undefined): boolean => deletion?.[versionAt] === '8'

type Hidden = Entity & { readonly deletion: string }

/** Is it hidden by a request, and neither deleted for good nor brought back yet? */
const isHidden = (entity: Entity | undefined): entity is Hidden =>
  entity?.status === 'deleted' && !entity.inherited && isHiding(entity.deletion)

/**
 * Brings back what requests have hidden and left so, because their process ended before they could look below. A request
 * that is only slow finds it as it was, and decides again.
 * @returns log position of the last event that this took, `undefined` when there was nothing to do
 */
export const revealHidden = async (context: Context, ids: readonly string[]): Promise<bigint | undefined> => {
  let last: bigint | undefined
  for (const entity of (await context.lookup(ids)).values()) {
    if (!isHidden(entity)) continue
    const { changed, position } = await take(context, await revealing(context, entity))
    if (!changed) continue
    await context.projected(position)
    last = (await finishCascades(context, [entity.id])) ?? position
    context.progress?.()
  }
  return last
}

const revealing = async (context: Context, hidden: Hidden): Promise<Request> => {
  const { kind, id, deletion } = hidden
  const { id: eventId, metadata } = await hidingEvent(context, hidden)
  const { user, correlationId, traceparent } = metadata
  return {
    cause: { user, correlationId, traceparent, commandId: `${eventId}:revealed`, causationId: eventId },
    target: hidden,
    ids: [id],
    plan: (known): Plan => {
      const before = known.get(id) ?? hidden
      const isSame = isHidden(before) && before.deletion === deletion
      const command = isSame ? ({ type: 'Restore', deletion } as const) : ({ type: 'Stay' } as const)
      return { definition: context.kindNamed(kind), subject: before, before, command }
    },
  }
}

const hidingEvent = async ({ log }: Context, { kind, id, deletion }: Entity): Promise<RecordedEvent> => {
  for await (const event of log.readStream(streamName(kind, id), { backwards: true })) {
    if (event.type === 'SoftDeleted' && event.data.deletion === deletion) return event
  }
  throw new Error(`${kind} ${id} has no event of the deletion ${deletion} that hides it.`)
}
