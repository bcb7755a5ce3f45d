import type { IncomingHttpHeaders } from 'node:http'
import { badHeader } from './problemDetails.ts'

/** `'*'` for "any", else the revisions that an `If-Match` or `If-None-Match` header names. */
export type Condition = '*' | readonly bigint[]

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

const revision = /^(?:0|[1-9][0-9]{0,18})$/

const readCondition = (name: string, text: string | undefined, weakToo: boolean): Condition | undefined => {
  if (text === undefined) return undefined
  if (text.trim() === '*') return '*'
  return readTags(name, text)
    .filter((tag) => (weakToo || !tag.weak) && revision.test(tag.value))
    .map((tag) => BigInt(tag.value))
}

export const etag = (streamRevision: bigint): string => `"${streamRevision}"`

/** `If-Match`, compared strongly: weak tags never match. @throws HttpError BAD_REQUEST when it is malformed */
export const ifMatch = (headers: IncomingHttpHeaders): Condition | undefined =>
  readCondition('If-Match', headers['if-match'], false)

/** `If-None-Match`, compared weakly: `W/"3"` matches revision 3. @throws HttpError BAD_REQUEST when it is malformed */
export const ifNoneMatch = (headers: IncomingHttpHeaders): Condition | undefined =>
  readCondition('If-None-Match', headers['if-none-match'], true)

/** True when an existing entity at this revision meets the condition. What does not exist meets none. */
export const matches = (condition: Condition, streamRevision: bigint | undefined): boolean =>
  streamRevision !== undefined && (condition === '*' || condition.includes(streamRevision))

/** True when a GET is to be answered with 304. @throws HttpError BAD_REQUEST when `If-None-Match` is malformed */
export const notModified = (headers: IncomingHttpHeaders, streamRevision: bigint): boolean => {
  if (headers['if-none-match'] === undefined) return false
  return matches(ifNoneMatch(headers) ?? [], streamRevision)
}
