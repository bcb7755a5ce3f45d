import type { RecordedEvent } from './events.ts'
import { NamedError } from '../shared/errors/namedError.ts'

/**
 * An event of one log by its place and content: another log, or another course of this one (a restored backup, a lost
 * end), does not have it there.
 */
export interface LogFingerprint {
  readonly position: bigint
  /** The first 16 hex digits of the event's hash. */
  readonly tag: string
}

/** What was remembered belongs to another log than this one, or to a part of it that is gone. */
export class OtherLog extends NamedError {
  override readonly name = 'OtherLog'
}

const tagOf = (hash: unknown): string => (typeof hash === 'string' ? hash.slice(0, 16) : '')

export const fingerprintOf = ({ position, metadata }: RecordedEvent): LogFingerprint => ({
  position,
  tag: tagOf(metadata.hash),
})

/** `<position>-<tag>` */
export const fingerprintText = ({ position, tag }: LogFingerprint): string => `${position}-${tag}`

/** How far somebody has come, with what identifies the event there when that is known. */
export const placeText = (position: bigint | undefined, newest: LogFingerprint | undefined): string =>
  newest !== undefined && newest.position === position ? fingerprintText(newest) : String(position ?? 0n)

/** Reads what {@link fingerprintText} wrote; `undefined`: it is none. */
export const readFingerprint = (text: string): LogFingerprint | undefined => {
  const [, position, tag] = /^(\d{1,19})-([0-9a-f]{16})$/.exec(text) ?? []
  return position === undefined || tag === undefined ? undefined : { position: BigInt(position), tag }
}

interface Log {
  eventAt(position: bigint): Promise<RecordedEvent | undefined>
}

export const holds = async (log: Log, { position, tag }: LogFingerprint): Promise<boolean> => {
  const event = await log.eventAt(position)
  return event !== undefined && tagOf(event.metadata.hash) === tag
}
