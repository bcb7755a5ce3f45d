import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { badHeader } from './problemDetails.ts'
import type { Answer, Route } from './route.ts'
import { limits } from '../../shared/limits.ts'

/** The revisions in a header, or `'*'` for any. */
type Condition = '*' | readonly bigint[]

/** An element of the list, which may be empty (RFC 9110, section 5.6.1). */
const tagPattern = /\s*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*)?(?:,|$)/y
const maxTags = limits.entityTags.value

/** The values of entity tags, weak or strong. */
const readTags = (name: string, text: string): string[] => {
  const tags: string[] = []
  tagPattern.lastIndex = 0
  while (tagPattern.lastIndex < text.length) {
    const match = tagPattern.exec(text)
    if (match === null) throw badHeader(name, 'must be * or a list of entity tags in double quotes, such as "3".')
    const [, tag] = match
    if (tag !== undefined && tags.push(tag) > maxTags)
      throw badHeader(name, `at most ${maxTags} entity tags are accepted.`)
  }
  if (tags.length === 0) throw badHeader(name, 'must not be empty.')
  return tags
}

const revisionTagPattern = /^(0|[1-9][0-9]{0,18})(?:-[\w-]*)?$/

/** The tags in a header, or `'*'` for any. @throws HttpError BAD_REQUEST when it is malformed */
const readHeader = (name: string, text: string | undefined): '*' | string[] | undefined =>
  text === undefined ? undefined : text.trim() === '*' ? '*' : readTags(name, text)

/**
 * The revisions that a condition of a write names, in bare tags or whole ones. Weak tags count: a proxy that compresses an
 * answer weakens its tag, and the revision in it is the same.
 * @throws HttpError BAD_REQUEST when it is malformed
 */
export const readCondition = (
  name: 'If-Match' | 'If-None-Match',
  headers: IncomingHttpHeaders,
): Condition | undefined => {
  const tags = readHeader(name, headers[name.toLowerCase() as 'if-match' | 'if-none-match'])
  if (tags === undefined || tags === '*') return tags
  return tags.flatMap((tag) => {
    const revision = revisionTagPattern.exec(tag)?.[1]
    return revision === undefined ? [] : [BigInt(revision)]
  })
}

/** @throws HttpError BAD_REQUEST for a condition that a write does not declare: it would be made without it */
export const refuseUnknownConditions = (
  { method, parameters = [] }: Pick<Route, 'method' | 'parameters'>,
  headers: IncomingHttpHeaders,
): void => {
  if (method === 'get') return
  for (const name of ['If-Match', 'If-None-Match'])
    if (headers[name.toLowerCase()] !== undefined && parameters.every((parameter) => parameter.name !== name))
      throw badHeader(name, 'is not a condition of this operation: leave it out.')
}

/** Whether an existing entity at this revision meets the condition. */
export const meetsCondition = (condition: Condition, streamRevision: bigint | undefined): boolean =>
  streamRevision !== undefined && (condition === '*' || condition.includes(streamRevision))

/** A hash of the content that is sent. */
export const contentHash = (sent: string | Buffer): string => hash('sha256', sent, 'base64url').slice(0, 22)

/** The answer with its validator (ETag). */
export const withValidator = (answer: Answer): Answer => {
  const { revision, body } = answer
  if (revision === undefined || (typeof body !== 'string' && !Buffer.isBuffer(body))) return answer
  return { ...answer, headers: { ETag: `"${revision}-${contentHash(body)}"`, ...answer.headers } }
}

/** Content encodings of answers. */
const encodings = ['br', 'gzip', 'deflate'] as const

/** The tag of what has this tag without an encoding: strong tags tell bytes apart (RFC 9110, section 8.8.3.3). */
export const encodedTag = (tag: string, encoding: string): string => `${tag.slice(0, -1)}-${encoding}"`

/**
 * The present tag as the client has it, plain or of an encoding that it accepts, compared weakly.
 * @returns `undefined` if it has another. @throws HttpError BAD_REQUEST when `If-None-Match` is malformed
 */
const knownTag = (headers: IncomingHttpHeaders, tag: string): string | undefined => {
  const known = readHeader('If-None-Match', headers['if-none-match'])
  if (known === undefined || known === '*') return known && tag
  const accepted = new Negotiator({ headers: { 'accept-encoding': '', ...headers } }).encodings([...encodings])
  return [tag, ...accepted.map((each) => encodedTag(tag, each))].find((one) =>
    known.some((value) => `"${value}"` === one),
  )
}

/** The answer, or 304 if the client has it. @throws HttpError BAD_REQUEST when `If-None-Match` is malformed */
export const revalidated = (
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  answer: Answer,
): Answer => {
  const { headers: own = {} } = answer
  if (own['ETag'] === undefined || headers['if-none-match'] === undefined) return answer
  if (method !== 'GET' && method !== 'HEAD') return answer
  const known = knownTag(headers, own['ETag'])
  return known === undefined ? answer : { status: 304, headers: { ...own, ETag: known } }
}

/** Whether `Prefer` (RFC 7240) asks for an answer before the work is done. Other preferences are ignored. */
export const prefersAsync = ({ prefer = '' }: IncomingHttpHeaders): boolean =>
  String(prefer)
    .split(',')
    .some((preference) => preference.split(/[;=]/, 1)[0]?.trim().toLowerCase() === 'respond-async')
