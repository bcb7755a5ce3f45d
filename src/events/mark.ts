import type { RecordedEvent } from './events.ts'
import { NamedError } from '../shared/errors/namedError.ts'

/**
 * An event of one log by its place and content: another log, or another course of this one (a restored backup, a lost
 * end), does not have it there.
 */
export interface Mark {
  readonly position: bigint
  /** The first 16 hex digits of the event's hash. */
  readonly tag: string
}

/** What was remembered belongs to another log than this one, or to a part of it that is gone. */
export class OtherLog extends NamedError {
  override readonly name = 'OtherLog'
}

const tagOf = (hash: unknown): string => (typeof hash === 'string' ? hash.slice(0, 16) : '')

export const markOf = ({ position, metadata }: RecordedEvent): Mark => ({ position, tag: tagOf(metadata.hash) })

/** `<position>-<tag>` */
export const markText = ({ position, tag }: Mark): string => `${position}-${tag}`

/** How far somebody has come, with what identifies the event there when that is known. */
export const placeText = (position: bigint | undefined, newest: Mark | undefined): string =>
  newest !== undefined && newest.position === position ? markText(newest) : String(position ?? 0n)

/** Reads what {@link markText} wrote; `undefined`: it is none. */
export const readMark = (text: string): Mark | undefined => {
  const [, position, tag] = /^(\d{1,19})-([0-9a-f]{16})$/.exec(text) ?? []
  return position === undefined || tag === undefined ? undefined : { position: BigInt(position), tag }
}

interface Log {
  eventAt(position: bigint): Promise<RecordedEvent | undefined>
}

export const holds = async (log: Log, { position, tag }: Mark): Promise<boolean> => {
  const event = await log.eventAt(position)
  return event !== undefined && tagOf(event.metadata.hash) === tag
}
