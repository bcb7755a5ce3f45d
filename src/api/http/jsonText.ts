import { isAscii, isUtf8 } from 'node:buffer'
import { runToEnd, runInSlices, makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { Json } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { HttpError } from './problemDetails.ts'
import type { RequestBody } from './route.ts'
import { contentProblems, isCleanJson, mendedJson } from '../../kinds/request/contentChecks.ts'
import { findChangedNumbers, findDuplicates, findSyntaxError, textMembersIn } from './jsonErrors.ts'

const bad = (message: string, problems: readonly Problem[] = []): HttpError =>
  new HttpError('BAD_REQUEST', message, { problems })

/** Deepest allowed nesting of a body. */
export const maxDepth = limits.depth.value

const quote = 0x22
const backslash = 0x5c

/** The result of one pass over the bytes of a JSON text, without recursion. */
interface ScanResult {
  /** Arrays and objects nest deeper than {@link maxDepth}. */
  readonly tooDeep: boolean
  /** Number of colons outside strings: written members, duplicates included. */
  readonly members: number
  /** Start and end of the outermost array's items; empty if it is not an array. */
  readonly items: readonly (readonly [number, number])[]
  /** Whether the outermost array has more items than requested. */
  readonly tooMany: boolean
  /** Index after the outermost array or object; -1 if it is not closed. */
  readonly end: number
}

/** Index of the closing quote, or the length of the text. */
const endOfString = (bytes: Buffer, start: number): number => {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] === quote) return at
    if (bytes[at] === backslash) at += 1
  }
  return bytes.length
}

/** Bytes per step of {@link scanInSteps}: some milliseconds of work. */
const stepBytes = 1024 * 1024

/** Scans a JSON text, valid or not, in steps. @param most largest number of collected items of the outermost array */
function* scanInSteps(bytes: Buffer, most: number): Generator<void, ScanResult> {
  const items: [number, number][] = []
  let [members, depth, itemFrom, end, nextPause] = [0, 0, 0, -1, stepBytes]
  for (let at = 0; at < bytes.length; at += 1) {
    if (at > nextPause) {
      nextPause = at + stepBytes
      yield
    }
    const byte = bytes[at] as number
    if (byte === quote) at = endOfString(bytes, at + 1)
    else if (byte === 0x3a) members += 1
    else if (byte === 0x2c) {
      if (depth !== 1) continue
      if (most > 0) items.push([itemFrom, at])
      // The item after this comma is one too many.
      if (most > 0 && items.length >= most) return { tooDeep: false, tooMany: true, members, items, end }
      itemFrom = at + 1
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth === 1) itemFrom = at + 1
      if (depth > maxDepth) return { tooDeep: true, tooMany: false, members, items, end }
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1
      if (depth !== 0 || end !== -1) continue
      if (most > 0) items.push([itemFrom, at])
      end = at + 1
    }
  }
  return { tooDeep: false, tooMany: false, members, items, end }
}

/**
 * Parses a JSON body strictly: UTF-8, within the limits, without duplicate members and what {@link contentProblems} finds.
 * @param flaws what else becomes of those
 * @throws HttpError BAD_REQUEST that says what is wrong and where
 */
export const parseJson = (bytes: Buffer, flaws?: RequestBody['flaws']): Json => runToEnd(parseInSteps(bytes, flaws))

/** {@link parseJson} in slices that yield to the event loop. */
export const parseJsonInSlices = (bytes: Buffer, flaws?: RequestBody['flaws']): Promise<Json> =>
  runInSlices(parseInSteps(bytes, flaws))

function* parseInSteps(bytes: Buffer, flaws: RequestBody['flaws']): Generator<void, Json> {
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const scan = yield* scanInSteps(bytes, 0)
  yield
  if (scan.tooDeep) throw bad(`The body is nested more than ${maxDepth} levels deep.`)
  const sent = textOf(bytes)
  const text = sent.charCodeAt(0) === 0xfeff ? sent.slice(1) : sent
  const value = parse(text)
  yield
  mustHaveUniqueMembers(value, scan, text)
  if (flaws !== 'mend') mustKeepNumbers(text)
  yield
  if (flaws === 'keep' || isCleanJson(value)) return value
  if (flaws === 'mend') return mendedJson(value)
  const problems = contentProblems(value).slice(0, maxProblems)
  const { path, message } = problems[0] as Problem
  throw bad(`${path && `${path}: `}${message}`, problems)
}

const maxProblems = 100

const membersIn = (value: Json): number => {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Array.isArray(value) ? value : Object.values(value)
  return inner.reduce<number>((sum, each) => sum + membersIn(each), Array.isArray(value) ? 0 : inner.length)
}

/** Longest text, in UTF-16 code units, in which the place of an error is searched. */
const maxExplained = 1_100_000

/** Refuses what stands at these places of the body, or of one of its items. */
const refuse = (paths: readonly string[], message: string, at: string): never => {
  const problems = paths.slice(0, maxProblems).map((path) => ({ path: `${at}${path}`, message }))
  throw bad(`${problems[0]?.path || 'A member'}: ${message}`, problems)
}

/** Detects duplicates: fewer members than colons. */
const mustHaveUniqueMembers = (value: Json, { members }: Pick<ScanResult, 'members'>, text: string, at = ''): void => {
  if (members === membersIn(value)) return
  refuse(text.length > maxExplained ? [''] : findDuplicates(text), 'is given more than once', at)
}

/** Longer texts are of routes that take no numbers. */
const mustKeepNumbers = (text: string, at = ''): void => {
  const changed = text.length > maxExplained ? [] : findChangedNumbers(text)
  if (changed.length > 0)
    refuse(changed, 'has more digits than a JSON number keeps, or is too close to 0: send fewer, or a string', at)
}

const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

const parse = (text: string, what = 'The body'): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    if (text.length > maxExplained) throw bad(`${what} is not valid JSON.`)
    const { at, message } = findSyntaxError(text)
    const before = text.slice(0, at).split(/\r\n|\r|\n/)
    const column = (before.at(-1) as string).length + 1
    throw bad(`${what} is not valid JSON: ${message} at line ${before.length}, column ${column}.`)
  }
}

export class TooLargeItem {
  /** Its members near its beginning that are strings. */
  readonly texts: Readonly<Record<string, string>>
  constructor(text: Buffer) {
    this.texts = textMembersIn(text.subarray(0, limits.body.value))
  }
}

/** Whether a text is blank, apart from a byte order mark. */
const isBlank = (bytes: Buffer): boolean =>
  /^\ufeff?[\t\n\r ]*$/.test(bytes.subarray(0, 1000).toString()) && bytes.length <= 1000

/** An array, whose items may be parsed when they are read: parsed, they take much more memory than their texts. */
export interface Items extends Iterable<Json | TooLargeItem> {
  readonly length: number
}

/** @param texts of checked items @param largest largest item to parse, in bytes */
const itemsOf = (texts: readonly Buffer[], largest: number): Items => ({
  length: texts.length,
  *[Symbol.iterator]() {
    for (const text of texts) yield text.length > largest ? new TooLargeItem(text) : (JSON.parse(textOf(text)) as Json)
  },
})

/**
 * Checks a long JSON array item by item in slices; an item of more than `largest` bytes becomes an {@link
 * TooLargeItem}. Beyond {@link limits.bulkItems} nothing is read. @throws HttpError BAD_REQUEST
 */
export const parseItems = async (bytes: Buffer, largest: number): Promise<Items> => {
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const start = bytes.indexOf(0x5b)
  const begins = start !== -1 && isBlank(bytes.subarray(0, start))
  const scan = await runInSlices(scanInSteps(bytes, limits.bulkItems.value))
  if (begins && scan.tooMany) throw tooManyItems()
  if (scan.tooDeep) throw bad(`The body is nested more than ${maxDepth} levels deep.`)
  if (!begins || bytes[scan.end - 1] !== 0x5d || !isBlank(bytes.subarray(scan.end)))
    throw bad('The body is not valid JSON, or no array: a body of this length must be one array.')
  const texts = scan.items.map(([from, to]) => bytes.subarray(from, to))
  const [only] = texts
  if (only !== undefined && texts.length === 1 && isBlank(only)) return []
  const yieldWhenDue = makeYielder()
  for (const [index, text] of texts.entries()) {
    if (text.length <= largest) checkItem(text, index)
    await yieldWhenDue()
  }
  return itemsOf(texts, largest)
}

const tooManyItems = (): HttpError => {
  const message = `must have at most ${limits.bulkItems.value} items`
  return bad(`The body ${message}.`, [{ path: '', message }])
}

const checkItem = (bytes: Buffer, index: number): void => {
  const text = textOf(bytes)
  mustHaveUniqueMembers(parse(text, `Item ${index} of the body`), runToEnd(scanInSteps(bytes, 0)), text, `/${index}`)
  mustKeepNumbers(text, `/${index}`)
}
