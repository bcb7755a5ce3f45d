import { limits } from '../../../shared/limits.ts'
import { TooBusy } from '../../../shared/turns.ts'

/** What one request holds of a {@link Budget}. */
export interface Claim {
  /** @throws TooBusy when there is no room for so many bytes more */
  readonly add: (bytes: number) => void
  /** Gives all of it back; may be called more than once. */
  readonly release: () => void
}

export interface Budget {
  readonly claim: (caller: string) => Claim
}

/** @param total bytes for all callers, of which one caller can have a fourth */
export const makeBudget = (total: number = limits.bodies.value): Budget => {
  const held = new Map<string, number>()
  let all = 0
  const change = (caller: string, bytes: number): void => {
    const own = (held.get(caller) ?? 0) + bytes
    all += bytes
    if (own === 0) held.delete(caller)
    else held.set(caller, own)
  }
  return {
    claim: (caller) => {
      let mine = 0
      return {
        add: (bytes) => {
          if (all + bytes > total || (held.get(caller) ?? 0) + bytes > total / 4) {
            throw new TooBusy(
              'The bodies of requests that are being worked on take too much memory: send fewer at a time.',
            )
          }
          mine += bytes
          change(caller, bytes)
        },
        release: () => {
          change(caller, -mine)
          mine = 0
        },
      }
    },
  }
}
