import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { badHeader } from './problemDetails.ts'
import type { Answer } from './route.ts'

/** `'*'` for "any", else the revisions that an `If-Match` header names. */
type Condition = '*' | readonly bigint[]

interface EntityTag {
  readonly weak: boolean
  readonly value: string
}

const tagPattern = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y
const maxTags = 100

const readTags = (name: string, text: string): EntityTag[] => {
  const tags: EntityTag[] = []
  tagPattern.lastIndex = 0
  while (tagPattern.lastIndex < text.length) {
    const match = tagPattern.exec(text)
    if (match === null) throw badHeader(name, 'must be * or a list of entity tags in double quotes, such as "3".')
    if (tags.push({ weak: match[1] !== undefined, value: match[2] as string }) > maxTags) {
      throw badHeader(name, `at most ${maxTags} entity tags are accepted.`)
    }
  }
  if (tags.length === 0) throw badHeader(name, 'must not be empty.')
  return tags
}

const wholeTag = /^(0|[1-9][0-9]{0,18})(?:-[\w-]*)?$/

/** The tags that a header names; `'*'` for any. @throws HttpError BAD_REQUEST when it is malformed */
const readHeader = (name: string, text: string | undefined): '*' | EntityTag[] | undefined =>
  text === undefined ? undefined : text.trim() === '*' ? '*' : readTags(name, text)

/**
 * The revisions that `If-Match` names, bare or in whole tags; weak tags never match. @throws HttpError BAD_REQUEST when
 * it is malformed
 */
export const ifMatch = (headers: IncomingHttpHeaders): Condition | undefined => {
  const tags = readHeader('If-Match', headers['if-match'])
  if (tags === undefined || tags === '*') return tags
  return tags.flatMap(({ weak, value }) => {
    const revision = weak ? undefined : wholeTag.exec(value)?.[1]
    return revision === undefined ? [] : [BigInt(revision)]
  })
}

/** Is something to be written only where nothing is? @throws HttpError BAD_REQUEST when the header is malformed */
export const demandsAbsence = (headers: IncomingHttpHeaders): boolean =>
  readHeader('If-None-Match', headers['if-none-match']) === '*'

/** True when an existing entity at this revision meets the condition. What does not exist meets none. */
export const matches = (condition: Condition, streamRevision: bigint | undefined): boolean =>
  streamRevision !== undefined && (condition === '*' || condition.includes(streamRevision))

/** A hash that tells what is sent from everything else that could be. */
export const contentHash = (sent: string | Buffer): string => hash('sha256', sent, 'base64url').slice(0, 22)

/** The answer with the validator of what it sends. */
export const validated = (answer: Answer): Answer => {
  const { revision, body } = answer
  if (revision === undefined || (typeof body !== 'string' && !Buffer.isBuffer(body))) return answer
  return { ...answer, headers: { ETag: `"${revision}-${contentHash(body)}"`, ...answer.headers } }
}

/** The answer, or 304 where a reader has just that. @throws HttpError BAD_REQUEST when `If-None-Match` is malformed */
export const unlessKnown = (
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  answer: Answer,
): Answer => {
  const { ETag } = answer.headers ?? {}
  if (answer.revision === undefined || ETag === undefined || (method !== 'GET' && method !== 'HEAD')) return answer
  const known = readHeader('If-None-Match', headers['if-none-match'])
  const isKnown = known === '*' || known?.some(({ value }) => `"${value}"` === ETag)
  return isKnown === true ? { status: 304, headers: { ETag } } : answer
}

/** What a client would like (RFC 7240). What is not understood is not there, as the standard wants. */
interface Preferences {
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
