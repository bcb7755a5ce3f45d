import { invalid } from '../../commands/errors.ts'
import { holds, fingerprintOf, readFingerprint, type LogFingerprint } from '../../events/events.ts'
import type { Api } from '../deps.ts'
import { badHeader } from '../http/problemDetails.ts'

const bad = (path: string, message: string) => invalid([{ path, message }])

export interface Place {
  /** `undefined`: the beginning. */
  readonly position: bigint | undefined
  /** The event that stands there, when it is known. */
  readonly newest: LogFingerprint | undefined
}

const otherLog =
  'it belongs to another log, or to a part of this one that is gone (after a restored backup, for instance): ' +
  'decide whether to begin again from the beginning or with after=latest'

/**
 * Where a client goes on: `<position>-<tag>` of an answer, a bare position, or `latest`.
 * @param at a pointer into the body, `?name` of a parameter, or the name of a header
 * @throws DomainError `invalid`, or HttpError for a header, when it is malformed, of the future, or of another log
 */
export const readPlace = async ({ log }: Pick<Api, 'log'>, text: string | undefined, at: string): Promise<Place> => {
  if (text === undefined) return { position: undefined, newest: undefined }
  const refused = (message: string): Error => (/^[?/]/.test(at) ? bad(at, message) : badHeader(at, message))
  const head = await log.head()
  if (text === 'latest') {
    const last = head === undefined ? undefined : await log.eventAt(head)
    return { position: head, newest: last && fingerprintOf(last) }
  }
  const newest = readFingerprint(text)
  if (newest === undefined && !/^\d{1,19}$/.test(text))
    throw refused('must be a position that an answer of this catalog gave, or latest')
  const position = newest?.position ?? BigInt(text)
  if (position === 0n) return { position: undefined, newest }
  if (head === undefined || position > head) throw refused(`is beyond the end of this catalog’s log: ${otherLog}`)
  if (newest !== undefined && !(await holds(log, newest))) throw refused(`is not of this catalog’s log: ${otherLog}`)
  return { position, newest }
}
