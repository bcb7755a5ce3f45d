import { createHash } from 'node:crypto'
import { limits } from './limits.ts'

/** User name of the catalog's own writes. Nobody can sign in under it. */
export const systemUser = 'system'

const needsQuotes = /[."]/

/** A name as it stands in an FQN: with `.` or `"` it is quoted and its quotes are doubled. */
export const quotedName = (name: string): string => (needsQuotes.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

/** The problem of a name, if any: it must have 1 to 256 characters, no control characters and no `::`. */
export const nameProblem = (value: string): string | undefined => {
  if (value === '') return 'must not be empty'
  const most = limits.name.value
  if (value.length > most && [...value].length > most) return `must have at most ${most} characters`
  if (/\p{Cc}/u.test(value)) return 'must have no control characters'
  return value.includes('::') ? 'must not have :: in it' : undefined
}

/** A text as it can be stored: U+FFFD stands where NUL or half of a surrogate pair stood. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** The name that stands for a text of others: it has no {@link nameProblem} unless the text is empty. */
export const nameFromText = (text: string): string =>
  text
    .slice(0, 1024)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .replace(/:{2,}/g, ':')
    .replace(/^(.{256}).+$/su, '$1')

/** A name, cut where it is long, with a part of the hash of a text: names that begin alike stay different. */
export const nameWithHash = (name: string, text: string): string =>
  `${[...name].slice(0, 243).join('')}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`

/**
 * The problem of the name of a new user, if any: see {@link nameProblem}; and it must look like no other: nothing in it may
 * be invisible, no blanks may stand at its ends, and its letters must be composed.
 */
export const userNameProblem = (value: string): string | undefined => {
  const problem = nameProblem(value)
  if (problem !== undefined) return problem
  if (/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(value))
    return 'must have no invisible characters: no two users may look the same'
  return value === value.normalize('NFC').trim()
    ? undefined
    : 'must have no blanks at its ends, and be in Unicode form NFC: no two users may look the same'
}
