import { isAscii, isUtf8 } from 'node:buffer'
import { excessIn, shorten } from '../../shared/bounds.ts'
import { runToEnd, runInSlices, makeYielder } from '../../shared/yieldToEventLoop.ts'
import { isObject, type Json, jsonPointer } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { HttpError } from './problemDetails.ts'
import { findDoubles, findMistake, maxDepth, scan, scanInSteps, type Seen, textOfMember } from './jsonScan.ts'

const bad = (message: string, problems: readonly Problem[] = []): HttpError =>
  new HttpError('BAD_REQUEST', message, { problems })

/**
 * Parses a JSON body strictly: UTF-8, within the limits, without duplicate members, `__proto__`, NUL, lone surrogates
 * and numbers beyond a double.
 * @param lenient leave strings, names, numbers and the number of values to the caller
 * @throws HttpError BAD_REQUEST that says what is wrong and where
 */
export const parseJson = (bytes: Buffer, lenient = false): Json => runToEnd(parseInSteps(bytes, lenient))

/** {@link parseJson} in slices that yield to the event loop. */
export const parseJsonInSlices = (bytes: Buffer, lenient = false): Promise<Json> =>
  runInSlices(parseInSteps(bytes, lenient))

function* parseInSteps(bytes: Buffer, lenient: boolean): Generator<void, Json> {
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const seen = yield* scanInSteps(bytes, 0)
  yield
  if (seen.tooDeep) throw bad(`The body is nested more than ${maxDepth} levels deep.`)
  const text = withoutMark(textOf(bytes))
  const value = parse(text)
  yield
  mustBeOnce(value, seen, text)
  yield
  const excess = lenient ? undefined : excessIn(value)
  if (excess !== undefined) throw bad(`${excess.path === '' ? '' : `${excess.path}: `}${excess.message}`, [excess])
  if (!lenient && (seen.suspicious || text.includes('__proto__'))) {
    const problems: Problem[] = []
    inspect(value, '', problems)
    const [first] = problems
    if (first !== undefined) throw bad(`${first.path}: ${first.message}`, problems)
  }
  return value
}

const membersIn = (value: Json): number => {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Array.isArray(value) ? value : Object.values(value)
  return inner.reduce<number>((sum, each) => sum + membersIn(each), Array.isArray(value) ? 0 : inner.length)
}

/** Longest text, in UTF-16 code units, in which the place of an error is searched. */
const maxExplained = 1_100_000

/** Detects duplicates: fewer members than colons. */
const mustBeOnce = (value: Json, { members }: Pick<Seen, 'members'>, text: string, at = ''): void => {
  if (members === membersIn(value)) return
  const paths = text.length > maxExplained ? [''] : findDoubles(text)
  const problems = paths
    .slice(0, maxProblems)
    .map((path) => ({ path: `${at}${path}`, message: 'is given more than once' }))
  throw bad(`${problems[0]?.path || 'A member'}: is given more than once`, problems)
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

const parse = (text: string, what = 'The body'): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    if (text.length > maxExplained) throw bad(`${what} is not valid JSON.`)
    const { at, message } = findMistake(text)
    const before = text.slice(0, at).split(/\r\n|\r|\n/)
    const column = (before.at(-1) as string).length + 1
    throw bad(`${what} is not valid JSON: ${message} at line ${before.length}, column ${column}.`)
  }
}

const wrongIn = (text: string): string | undefined => {
  if (text.includes('\0')) return 'must not hold NUL characters'
  return text.isWellFormed() ? undefined : 'must not hold half of a surrogate pair'
}

/** A key as a step of a JSON Pointer, without unsafe characters. */
const pointerTo = (key: string): string => jsonPointer(key.replaceAll('\0', '\uFFFD').toWellFormed())

const maxProblems = 100

const inspect = (value: Json, path: string, problems: Problem[]): void => {
  if (problems.length >= maxProblems) return
  if (typeof value === 'string') {
    const message = wrongIn(value)
    if (message !== undefined) problems.push({ path, message })
  } else if (value === Infinity || value === -Infinity) {
    problems.push({ path, message: 'is too large a number' })
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => inspect(item, `${path}/${index}`, problems))
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const wrong = key === '__proto__' ? 'is not allowed as the name of a member' : wrongIn(key)
      const step = `${path}${pointerTo(key)}`
      if (wrong === undefined) inspect(value[key] as Json, step, problems)
      else problems.push({ path: step, message: wrong })
    }
  }
}

/** Longest name reported of an unread item, in characters. */
const longestName = 256

/** An item that is too large to be read. */
export class OversizedItem {
  /** Its `name`, if that is a string near its beginning. */
  readonly name: string | undefined
  constructor(text: Buffer) {
    const name = textOfMember(text.subarray(0, limits.body.value), 'name')
    this.name = name && shorten(name, longestName)
  }
}

/** Whether a text is blank, apart from a byte order mark. */
const isBlank = (bytes: Buffer): boolean =>
  /^\ufeff?[\t\n\r ]*$/.test(bytes.subarray(0, 1000).toString()) && bytes.length <= 1000

/** Iterates over the items of an array. */
export interface Items extends Iterable<Json | OversizedItem> {
  readonly length: number
}

/** A long array whose items are parsed lazily, since parsed items take much more memory than their texts. */
export class LongArray implements Items {
  readonly length: number
  readonly #texts: readonly Buffer[]
  readonly #largest: number

  /** @param texts checked item texts @param largest largest item to parse, in bytes */
  constructor(texts: readonly Buffer[], largest: number) {
    this.length = texts.length
    this.#texts = texts
    this.#largest = largest
  }

  *[Symbol.iterator](): Generator<Json | OversizedItem> {
    for (const text of this.#texts)
      yield text.length > this.#largest ? new OversizedItem(text) : (JSON.parse(textOf(text)) as Json)
  }
}

/**
 * Checks a long JSON array item by item in slices; an item of more than `largest` bytes becomes an {@link
 * OversizedItem}. Beyond {@link limits.bulkItems} nothing is read. @throws HttpError BAD_REQUEST
 */
export const parseItems = async (bytes: Buffer, largest: number): Promise<Items> => {
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const start = bytes.indexOf(0x5b)
  const begins = start !== -1 && isBlank(bytes.subarray(0, start))
  const seen = await scanned(bytes)
  if (begins && seen.tooMany) throw tooManyItems()
  if (seen.tooDeep) throw bad(`The body is nested more than ${maxDepth} levels deep.`)
  if (!begins || bytes[seen.end - 1] !== 0x5d || !isBlank(bytes.subarray(seen.end)))
    throw bad('The body is not valid JSON, or no array: a body of this length must be one array.')
  const texts = seen.items.map(([from, to]) => bytes.subarray(from, to))
  const [only] = texts
  if (only !== undefined && texts.length === 1 && isBlank(only)) return []
  const yieldWhenDue = makeYielder()
  for (const [index, text] of texts.entries()) {
    if (text.length <= largest) checkItem(text, index)
    await yieldWhenDue()
  }
  return new LongArray(texts, largest)
}

const tooManyItems = (): HttpError => {
  const message = `must have at most ${limits.bulkItems.value} items`
  return bad(`The body ${message}.`, [{ path: '', message }])
}

const scanned = (bytes: Buffer): Promise<Seen> => runInSlices(scanInSteps(bytes, limits.bulkItems.value))

const checkItem = (bytes: Buffer, index: number): void => {
  const text = textOf(bytes)
  mustBeOnce(parse(text, `Item ${index} of the body`), scan(bytes), text, `/${index}`)
}
