import type { Actor, Answer } from './route.ts'

/** Names share the slots at random: an answer may be made anew that need not be, never the other way round. */
const slots = 2 ** 20

/** The slot of a name, by FNV-1a. */
export const slotOf = (name: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return ((hash >>> 20) ^ hash) & (slots - 1)
}

/** Addresses are told apart by so many slots, and forgotten when half of these are filled. */
const addressSlots = 2 ** 16

/** Tells what was asked for before, lately, at a glance: rarely something that was not. */
const makeAsked = (): ((address: string) => boolean) => {
  const asked = new Uint8Array(addressSlots)
  let filled = 0
  return (address) => {
    const slot = slotOf(address) % addressSlots
    if (asked[slot] === 1) return true
    if (filled > addressSlots / 2) {
      asked.fill(0)
      filled = 0
    }
    asked[slot] = 1
    filled += 1
    return false
  }
}

/** Notes when names were changed. */
const makeChangeTimes = () => {
  const times = new Float64Array(slots)
  let time = 1
  return {
    now: (): number => time,
    add: (names: Iterable<string>): void => {
      time += 1
      for (const name of names) times[slotOf(name)] = time
    },
    /** Was any of them changed after this time? */
    areAny: (dependencies: Uint32Array, since: number): boolean => {
      for (const slot of dependencies) if ((times[slot] as number) > since) return true
      return false
    },
  }
}

/** @param baseUrl absolute URL of `/api` @param url as the request line has it */
export const addressIn = (baseUrl: string, url: string): string => `${baseUrl} ${url}`

/** An answer that is ready to be sent, with its validator. */
export interface CachedAnswer {
  readonly answer: Answer
  /** Path template of its route, for logs and metrics. */
  readonly route: string
}

/** Answers by their address and by what their callers may see. What it gives is true at this moment. */
export interface ResponseCache {
  has(address: string): boolean
  /** @param sight what the caller may see, see {@link ResponseCache.sightOf} */
  get(address: string, sight: string): CachedAnswer | undefined
  /** Was it asked for before? What is asked for once is not worth being kept. Notes that it was asked for now. */
  readonly wasAsked: (address: string) => boolean
  /** To be asked before anything is read for an answer. */
  readonly now: () => number
  /** Keeps an answer that was made from what it depends on, none of which was read before `since`. */
  set(address: string, sight: string, cached: CachedAnswer & { readonly since: number }): void
  /** To be told as soon as reads show something else under these names. */
  readonly changed: (names: Iterable<string>) => void
  clear(): void
  /** The same for all callers who are shown the same at every address. */
  readonly sightOf: (actor: Actor) => string
  /** Do the read models show this position? */
  readonly shows: (position: bigint) => boolean
  readonly size: () => ResponseCacheSize
}

export interface ResponseCacheSize {
  readonly answers: number
  readonly bytes: number
  /** Requests that were answered from it. */
  readonly hits: number
}

interface ResponseCacheOptions extends Pick<ResponseCache, 'sightOf' | 'shows'> {
  /** Bytes that the answers may take together. */
  readonly room: number
  /** Is every name told that changes? Nothing is kept meanwhile. Default: always. */
  readonly isSettled?: () => boolean
}

interface Entry extends CachedAnswer {
  readonly address: string
  readonly sight: string
  readonly dependencies: Uint32Array
  readonly since: number
  readonly bytes: number
  /** Was it asked for since it was last looked at for removal? */
  isUsed: boolean
}

/** Bytes that an entry takes beside its texts, about. */
const entryBytes = 1000

/** Entries up to a number of bytes: of those that nobody asks for the oldest goes first. */
const makeEntries = (room: number) => {
  const byAddress = new Map<string, Map<string, Entry>>()
  const all = new Set<Entry>()
  let bytes = 0
  const remove = (entry: Entry): void => {
    if (!all.delete(entry)) return
    bytes -= entry.bytes
    const beside = byAddress.get(entry.address)
    beside?.delete(entry.sight)
    if (beside?.size === 0) byAddress.delete(entry.address)
  }
  const makeRoom = (): void => {
    for (const oldest of all) {
      if (bytes <= room) return
      if (oldest.isUsed && all.delete(oldest)) {
        oldest.isUsed = false
        all.add(oldest)
      } else remove(oldest)
    }
  }
  return {
    has: (address: string): boolean => byAddress.has(address),
    get: (address: string, sight: string): Entry | undefined => byAddress.get(address)?.get(sight),
    remove,
    add: (entry: Entry): void => {
      const beside = byAddress.get(entry.address) ?? new Map<string, Entry>()
      const before = beside.get(entry.sight)
      if (before !== undefined) remove(before)
      byAddress.set(entry.address, beside.set(entry.sight, entry))
      all.add(entry)
      bytes += entry.bytes
      makeRoom()
    },
    clear: (): void => all.forEach(remove),
    size: () => ({ answers: all.size, bytes }),
  }
}

export const makeResponseCache = (options: ResponseCacheOptions): ResponseCache => {
  const { room, sightOf, shows, isSettled = () => true } = options
  const entries = makeEntries(room)
  const changes = makeChangeTimes()
  let hits = 0
  return {
    sightOf,
    shows,
    wasAsked: makeAsked(),
    now: changes.now,
    changed: changes.add,
    has: entries.has,
    get: (address, sight) => {
      const entry = entries.get(address, sight)
      if (entry === undefined) return undefined
      if (changes.areAny(entry.dependencies, entry.since)) return void entries.remove(entry)
      entry.isUsed = true
      hits += 1
      return entry
    },
    set: (address, sight, { answer, route, since }) => {
      const { status, body, dependencies } = answer
      if (status !== 200 || dependencies === undefined || typeof body !== 'string' || !isSettled()) return
      const texts = 2 * (address.length + sight.length + body.length)
      const bytes = entryBytes + texts + 4 * dependencies.size
      if (bytes > room / 8) return
      const own = { answer, route, address, sight, since, bytes, isUsed: false }
      entries.add({ ...own, dependencies: Uint32Array.from(dependencies) })
    },
    clear: entries.clear,
    size: () => ({ ...entries.size(), hits }),
  }
}
