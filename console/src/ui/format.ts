/** Made when it is first used: making one takes a millisecond or two of the first page. */
const later = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => (made ??= make())
}

/** How times are written; what it needs is made at the first. */
export const timesOf = (options: Intl.DateTimeFormatOptions): ((time: Time) => string) => {
  const format = later(() => new Intl.DateTimeFormat(undefined, options))
  return (time) => format().format(new Date(time))
}

/**
 * Counts and times as the reader's own language and time zone have them. Numbers of data are shown as the API has them:
 * here they would be rounded, and keys get separators.
 */
const number = later(() => new Intl.NumberFormat())
const compact = later(() => new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }))
const relative = later(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }))

export type Time = number | string | Date

export const formatNumber = (value: number | bigint): string => number().format(value)
export const formatCompact = (value: number): string => compact().format(value)
export const formatTime = timesOf({ dateStyle: 'medium', timeStyle: 'short' })
export const formatExact = timesOf({ dateStyle: 'full', timeStyle: 'medium' })
export const formatMoment = timesOf({ dateStyle: 'full', timeStyle: 'short' })
export const formatDay = timesOf({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
export const formatClock = timesOf({ hour: '2-digit', minute: '2-digit' })

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
  const seconds = (new Date(time).getTime() - now) / 1000
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  return step === undefined ? 'just now' : relative().format(Math.round(seconds / step[1]), step[0])
}

/** A version as the API writes it: one decimal, and a point in every language. */
export const formatVersion = (version: number): string => version.toFixed(1)

/** A day of the reader's calendar, such as 2026-03-04. */
export const dayKey = (time: Time): string => {
  const date = new Date(time)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const ends: Readonly<Record<string, string>> = { s: '', x: 'e', z: 'e' }

/** "1 column", "2 columns". */
export const plural = (count: number, one: string, many = `${one}${ends[one.at(-1) ?? ''] ?? ''}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** `a, b and c`. */
export const inList = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** The name of what a fully qualified name names: its last part, without the quotes. */
export const lastName = (fqn: string): string => {
  const part = /(?:^|\.)("(?:[^"]|"")*"|[^."]+)$/.exec(fqn)?.[1] ?? fqn
  return part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part
}

/** The words of a name one after the other, as the query language takes them: none of them is an operator. */
export const phraseOf = (name: string): string => `"${name.replaceAll('"', ' ')}"`

/** A name of a kind within a sentence: "Data contract" → "data contract", "ML model" stays. */
export const inSentence = (name: string): string => name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())

/** `retentionPeriod` → "Retention period". */
export const wordsOf = (member: string): string => {
  const words = member
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
    .replace(/\b(url|id|sla|api|fqn|ml|sql)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
