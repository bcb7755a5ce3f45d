const instant = /^(\d{4}-\d\d-(\d\d))(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/

/**
 * Epoch milliseconds of an ISO 8601 instant, UTC unless it has an offset; NaN if it is invalid, such as February 30.
 */
export const readInstant = (text: string): number => {
  const [, date = '', day, time = '00:00', offset = 'Z'] = instant.exec(text.toUpperCase()) ?? []
  return new Date(date).getUTCDate() === Number(day) ? Date.parse(`${date}T${time}${offset}`) : Number.NaN
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

/** What timers can wait for: with more milliseconds they do not wait at all. */
const longestWait = 2 ** 31 - 1

/** Milliseconds of a duration such as `30s`, `10m` or `2h`, at most `596h`; `undefined` if it is invalid. */
export const readDuration = (text: string): number | undefined => {
  const [, digits, unit] = /^([1-9]\d{0,8})([smh])$/.exec(text) ?? []
  const duration = Number(digits) * (units[unit as string] ?? 0)
  return duration <= longestWait ? duration : undefined
}
