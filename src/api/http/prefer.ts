import type { IncomingHttpHeaders } from 'node:http'

/** What a client would like (RFC 7240). What is not understood is not there, as the standard wants. */
export interface Preferences {
  /** An answer before the work is done. */
  readonly respondAsync: boolean
  /** Milliseconds that it is ready to wait for the outcome before that. */
  readonly wait: number
}

/** Longest time to wait, in seconds. */
const longestWait = 25

/** Reads `Prefer`; of a preference that comes twice the first one counts. */
export const readPreferences = ({ prefer = '' }: IncomingHttpHeaders): Preferences => {
  const preferences = new Map<string, string>()
  for (const preference of String(prefer).split(',')) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] as string).split('=').map((part) => part.trim())
    const key = name.toLowerCase()
    if (!preferences.has(key)) preferences.set(key, value.replaceAll('"', ''))
  }
  const wait = preferences.get('wait') ?? ''
  const seconds = /^\d{1,9}$/.test(wait) ? Number(wait) : 0
  return { respondAsync: preferences.has('respond-async'), wait: Math.min(seconds, longestWait) * 1000 }
}
