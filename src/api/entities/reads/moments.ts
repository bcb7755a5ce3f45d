import type { Moment } from '../../../projections/past.ts'
import { readInstant } from '../../../shared/instant.ts'
import { badQuery } from '../../http/queryParameters.ts'

/** A version as clients write it (`1.3`, `v1.3`, `v1`, `1`), in tenths; `undefined` when it is none. */
export const readVersion = (text: string): number | undefined =>
  /^v?\d{1,9}(\.\d)?$/.test(text) ? Math.round(Number(text.replace('v', '')) * 10) : undefined

/** How a moment is written. A bare integer is a position, or a version where versions are what one compares. */
export const momentForms = {
  position: 'a version (v1.3, v1 or 1.3), a log position (@1200 or 1200) or an ISO 8601 instant',
  version: 'a version (v1.3, v1, 1.3 or 1), a log position (@1200) or an ISO 8601 instant',
} as const

/** Reads a moment, of which `integers` says what a bare integer means. @throws DomainError `invalid` */
export const readMoment = (text: string, name = 'asOf', integers: keyof typeof momentForms = 'position'): Moment => {
  const bare = /^\d{1,19}$/.test(text)
  if (/^@\d{1,19}$/.test(text)) return { position: BigInt(text.slice(1)) }
  if (bare && integers === 'position') return { position: BigInt(text) }
  const version = readVersion(text)
  if (version !== undefined) return { version }
  const time = readInstant(text)
  if (Number.isNaN(time)) throw badQuery(name, `must be ${momentForms[integers]}`)
  return { time }
}
