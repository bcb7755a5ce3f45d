import { open } from 'node:fs/promises'

export interface Target {
  /** For people: without what an address carries to get in. */
  readonly name: string
  /** Hands a signed note over. @throws Error when it was not taken */
  hand(note: string, signal: AbortSignal): Promise<void>
}

/** Appends to a file; a note is there as a whole and durably, or not at all. */
const fileTarget = (path: string): Target => ({
  name: path,
  hand: async (note) => {
    const file = await open(path, 'a', 0o644)
    try {
      const { size } = await file.stat()
      try {
        await file.writeFile(note)
        await file.sync()
      } catch (error) {
        await file.truncate(size)
        throw error
      }
    } finally {
      await file.close()
    }
  },
})

/** Milliseconds that an address has to take a note. */
const timeout = 15_000

const withoutUser = (url: URL): URL => {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain
}

const basic = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** What went wrong below `fetch`, which itself only says that it failed. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

/** Posts to an address. Redirects are not followed. */
const webTarget = (url: URL, userAgent: string): Target => {
  const address = withoutUser(url)
  return {
    name: `${address.origin}${address.pathname}`,
    hand: async (note, signal) => {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=utf-8', 'user-agent': userAgent, ...basic(url) },
        body: note,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      }).catch((error: unknown) => {
        throw new Error(reasonOf(error), { cause: error })
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`It answered ${response.status}.`)
    },
  }
}

/** @param targets absolute paths and addresses */
export const targetsOf = (targets: readonly (string | URL)[], userAgent: string): Target[] =>
  targets.map((target) => (typeof target === 'string' ? fileTarget(target) : webTarget(target, userAgent)))
