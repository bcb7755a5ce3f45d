const instant = /^(\d{4}-\d\d-(\d\d))(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/

/**
 * Reads an ISO 8601 instant, in epoch milliseconds; NaN: it is none. Without an offset it is UTC, wherever the service
 * runs. A day that its month does not have is none.
 */
export const readInstant = (text: string): number => {
  const [, date = '', day, time = '00:00', offset = 'Z'] = instant.exec(text) ?? []
  return new Date(date).getUTCDate() === Number(day) ? Date.parse(`${date}T${time}${offset}`) : Number.NaN
}
