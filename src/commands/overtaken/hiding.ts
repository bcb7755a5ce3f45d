import { requestOf } from '../recording.ts'
import { randomUUID } from 'node:crypto'
import type { RecordedEvent } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import type { Context } from '../caller.ts'
import type { Entity } from '../evolve.ts'
import type { Plan, Request } from '../unitOfWork/request.ts'

const versionAt = 14

/**
 * Id of a deletion that only hides, so that a request can look below before it deletes for good: a UUID of version 8
 * (RFC 9562), by which the log and the read models tell it.
 */
export const hidingId = (): string => {
  const id = randomUUID()
  return `${id.slice(0, versionAt)}8${id.slice(versionAt + 1)}`
}

export const isHiding = (deletion: string | undefined): boolean => deletion?.[versionAt] === '8'

/** What is in a deletion that it was itself asked for. */
export type Deleted = Entity & { readonly status: 'deleted'; readonly deletion: string }

/** Events by which something is in its deletion: the newest, and the first, which is that of the request it is of. */
export const deletionEvents = async (
  { log }: Pick<Context, 'log'>,
  { kind, id, deletion }: Pick<Entity, 'kind' | 'id' | 'deletion'>,
): Promise<{ readonly newest: RecordedEvent; readonly first: RecordedEvent }> => {
  const found: RecordedEvent[] = []
  for await (const event of log.readStream(streamName(kind, id)))
    if (event.type === 'SoftDeleted' && event.data.deletion === deletion) found.push(event)
  const [first, newest] = [found[0], found.at(-1)]
  if (first === undefined || newest === undefined)
    throw new Error(`${kind} ${id} has no event of its deletion ${deletion}.`)
  return { newest, first }
}

/** Takes a deletion back in the name of the request that it is of. */
export const bringingBack = async (context: Context, deleted: Deleted): Promise<Request> => {
  const { kind, id, deletion } = deleted
  const { newest, first } = await deletionEvents(context, deleted)
  return {
    cause: { ...requestOf(first), commandId: `${newest.id}:revealed`, causationId: newest.id },
    target: deleted,
    ids: [id],
    resolve: (reads): Plan => {
      const before = reads.own(id) ?? deleted
      const isSame = before.status === 'deleted' && !before.inherited && before.deletion === deletion
      const command = isSame ? ({ type: 'Restore', deletion } as const) : ({ type: 'Stay' } as const)
      return { definition: context.kindNamed(kind), subject: before, before, command }
    },
  }
}

/** Has somebody else taken this deletion back, because something was there that it must not take? */
export const isBroughtBack = async (
  { log }: Pick<Context, 'log'>,
  { kind, id }: Entity,
  deletion: string,
): Promise<boolean> => {
  let restored: RecordedEvent | undefined
  for await (const event of log.readStream(streamName(kind, id), { backwards: true })) {
    if (event.type === 'Restored' && event.data.deletion === deletion) restored = event
    if (event.type === 'SoftDeleted' && event.data.deletion === deletion)
      return restored?.metadata.causationId === event.id
  }
  return false
}
