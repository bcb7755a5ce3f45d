/** What an answer was made from, as slots of names. Whatever changes one of them makes it anew. */
export type Dependencies = ReadonlySet<number>

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
export const makeAsked = (): ((address: string) => boolean) => {
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
export const makeChangeTimes = () => {
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
