/** Numbers and times as the reader's own language and time zone have them. */
const number = new Intl.NumberFormat()
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })
const dayLong = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export type Time = number | string | Date

const at = (time: Time): Date => new Date(time)

export const formatNumber = (value: number | bigint): string => number.format(value)
export const formatCompact = (value: number): string => compact.format(value)
export const formatTime = (time: Time): string => dateTime.format(at(time))
export const formatExact = (time: Time): string => exact.format(at(time))
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
export const formatMoment = (time: Time): string => moment.format(at(time))
export const formatDay = (time: Time): string => dayLong.format(at(time))
export const formatClock = (time: Time): string => clock.format(at(time))

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** "3 days ago". */
export const formatAgo = (time: Time, now = Date.now()): string => {
  const seconds = (at(time).getTime() - now) / 1000
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  return step === undefined ? 'just now' : relative.format(Math.round(seconds / step[1]), step[0])
}

/** A version as the API writes it: one decimal, and a point in every language. */
export const formatVersion = (version: number): string => version.toFixed(1)

/** A day of the reader's calendar, such as 2026-03-04. */
export const dayKey = (time: Time): string => {
  const date = at(time)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const ends: Readonly<Record<string, string>> = { s: '', x: 'e', z: 'e' }

/** "1 column", "2 columns". */
export const plural = (count: number, one: string, many = `${one}${ends[one.at(-1) ?? ''] ?? ''}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** A name of a kind within a sentence: "Data contract" → "data contract", "ML model" stays. */
export const inSentence = (name: string): string => name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())

/** `retentionPeriod` → "Retention period". */
export const wordsOf = (member: string): string => {
  const words = member
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
    .replace(/\b(url|id|sla|api|fqn)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
