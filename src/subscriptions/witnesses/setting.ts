import { resolve } from 'node:path'
import { z } from 'zod'
import { readWitnessKey, type VerifierKey } from '../../transparency/note.ts'
import { readDuration } from '../../shared/instant.ts'

/** When a checkpoint is due: whichever comes first. */
export interface WitnessInterval {
  /** Events since the last one. */
  readonly events: number
  /** Milliseconds since the first event after it. */
  readonly milliseconds: number
}

const isWeb = (target: string): boolean => /^https?:\/\//i.test(target)

/** The items of a comma-separated list. */
export const listIn = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || [])

/** Parses the interval; an unset limit is infinite. */
const readEvery = (text: string): WitnessInterval | undefined => {
  const every = { events: Infinity, milliseconds: Infinity }
  for (const part of listIn(text)) {
    const duration = readDuration(part)
    if (duration !== undefined) every.milliseconds = duration
    else if (/^[1-9]\d{0,8}$/.test(part)) every.events = Number(part)
    else return undefined
  }
  return every.events === Infinity && every.milliseconds === Infinity ? undefined : every
}

export const witnessSettings = {
  targets: z
    .string()
    .transform(listIn)
    .refine(
      (targets) => targets.every((target) => (isWeb(target) ? URL.canParse(target) : !target.includes('://'))),
      'must be paths of files, or addresses that begin with http:// or https://, separated by commas',
    )
    .transform((targets) => targets.map((target) => (isWeb(target) ? new URL(target) : resolve(target))))
    .default([]),
  keys: z
    .string()
    .default('')
    .transform((text, context): VerifierKey[] => {
      try {
        return listIn(text).map(readWitnessKey)
      } catch (error) {
        context.addIssue(`must be public keys of witnesses, separated by commas: ${(error as Error).message}`)
        return z.NEVER
      }
    }),
  every: z
    .string()
    .default('1000,10m')
    .transform((text, context): WitnessInterval => {
      const every = readEvery(text)
      if (every !== undefined) return every
      context.addIssue(
        'must be a number of events such as 1000, a time such as 30s, 10m or 2h (at most 596h), or both: 1000,10m',
      )
      return z.NEVER
    }),
}
