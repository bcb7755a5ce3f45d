import { setTimeout as delay } from 'node:timers/promises'
import { rest } from '../../shared/backOff.ts'
import type { Hearing } from './hearing.ts'
import type { Sharing } from './sharing.ts'

export interface TurnOptions {
  readonly sharing: Sharing
  readonly project: (term: AbortSignal) => Promise<void>
  /** Follows what another process projects, until the signal aborts. */
  readonly follow: (signal: AbortSignal) => Promise<void>
  /** What has come how far, as a text that changes with it, and whether something should move. */
  readonly state: () => { readonly place: string; readonly due: boolean; readonly position: bigint | undefined }
  /** Begins to listen whether the log says what it has to say. */
  readonly hear: () => Hearing
  readonly stopping: AbortSignal
  /** Milliseconds between two signs of life (default 700). */
  readonly beat?: number | undefined
}

/** Milliseconds for which nothing moves that should before another process may try. */
const patience = 3000

/** Milliseconds between two reports. */
const reportEvery = 2000

/** For so many milliseconds who stops waits for the store to say so. */
const farewell = 1000

interface Occupation {
  readonly leads: boolean
  readonly hearing: Hearing
  end(): Promise<void>
}

const occupy = (leads: boolean, { project, follow, hear }: TurnOptions): Occupation => {
  const over = new AbortController()
  const done = (leads ? project : follow)(over.signal)
  return {
    leads,
    hearing: hear(),
    end: () => {
      over.abort()
      return done
    },
  }
}

/** Tells for how many milliseconds nothing has moved that should. */
const makeStandstill = (state: TurnOptions['state']) => {
  let place = ''
  let since = performance.now()
  return {
    reset: (): void => void (since = performance.now()),
    time: (): number => {
      const now = state()
      if (now.place !== place || !now.due) since = performance.now()
      place = now.place
      return performance.now() - since
    },
  }
}

/**
 * Projects while this process has the lease and follows while another has it. Who has it and gets nowhere, or hears
 * nothing of the log, gives it back; who waits in vain for one that gives signs of life takes it.
 */
export const takeTurns = async (options: TurnOptions): Promise<void> => {
  const { sharing, stopping, beat = 700 } = options
  const standstill = makeStandstill(options.state)
  let occupation = occupy(false, options)
  let told = -Infinity
  let renewed = performance.now()
  let deaf = false

  /** Whether it is for this process to project; `undefined` while the store does not tell. */
  const leads = async (): Promise<boolean | undefined> => {
    const stuck = standstill.time() > patience
    if (stuck) standstill.reset()
    const { hearing } = occupation
    const wasDeaf = deaf
    deaf = occupation.leads ? hearing.isDeaf() : deaf && !(await hearing.answers(beat))
    try {
      if (occupation.leads && (stuck || (deaf && !wasDeaf))) await sharing.release()
      if (occupation.leads && deaf && !stuck) return (await sharing.isFree()) ? undefined : false
      if (deaf || (occupation.leads && stuck)) return false
      const held = await sharing.hold(stuck)
      if (held) renewed = performance.now()
      return held
    } catch {
      return occupation.leads && performance.now() - renewed > patience ? false : undefined
    }
  }
  const tell = async (): Promise<void> => {
    if (performance.now() - told < reportEvery) return
    told = performance.now()
    await sharing.report(options.state().position).catch(() => undefined)
  }
  while (!stopping.aborted) {
    const shouldLead = await leads()
    if (stopping.aborted) break
    if (shouldLead !== undefined && shouldLead !== occupation.leads) {
      await occupation.end()
      occupation = occupy(shouldLead, options)
    }
    await tell()
    await rest(beat, stopping)
  }
  await occupation.end()
  const leaving = Promise.allSettled([sharing.release(), sharing.leave()])
  await Promise.race([leaving, delay(farewell, undefined, { ref: false })])
}
