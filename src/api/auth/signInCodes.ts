import { hash, randomBytes } from 'node:crypto'
import type { Actor } from './actor.ts'

/** Codes that sign somebody in once. They live in this process alone and end with it. */
export interface SignInCodes {
  issue(actor: Actor): string
  /** Whom the code signs in; from now on nobody. */
  redeem(code: string): Actor | undefined
  /** Is there one that nobody used yet? */
  available(): boolean
}

export const makeSignInCodes = (): SignInCodes => {
  const actors = new Map<string, Actor>()
  const keyOf = (code: string): string => hash('sha256', code)
  return {
    issue: (actor) => {
      const code = randomBytes(24).toString('base64url')
      actors.set(keyOf(code), actor)
      return code
    },
    redeem: (code) => {
      const key = keyOf(code)
      const actor = actors.get(key)
      actors.delete(key)
      return actor
    },
    available: () => actors.size > 0,
  }
}
