import { isUtf8 } from 'node:buffer'
import { runToEnd, runInSlices, inSlices } from '../../shared/yieldToEventLoop.ts'
import type { Json } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { HttpError } from './problemDetails.ts'
import { invalid, invalidAt } from '../../commands/errors.ts'
import type { RequestBody } from './route.ts'
import { contentProblems, mendedJson } from '../../kinds/request/contentChecks.ts'
import { findChangedNumbers, findDuplicates, textMembersIn } from './jsonErrors.ts'

const bad = (message: string): HttpError => new HttpError('BAD_REQUEST', message)

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

/**
 * Scans a JSON text, valid or not, in steps, up to where it is too deep unless it is taken apart.
 * @param most largest number of collected items of the outermost array
 */
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
      if (depth > maxDepth && most === 0) return { tooDeep: true, tooMany: false, members, items, end }
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
 * @throws HttpError BAD_REQUEST, DomainError `invalid` that say what is wrong and where
 */
export const parseJson = (bytes: Buffer, flaws?: RequestBody['flaws']): Json => runToEnd(parseInSteps(bytes, flaws))

/** {@link parseJson} in slices that yield to the event loop. */
export const parseJsonInSlices = (bytes: Buffer, flaws?: RequestBody['flaws']): Promise<Json> =>
  runInSlices(parseInSteps(bytes, flaws))

function* parseInSteps(bytes: Buffer, flaws: RequestBody['flaws']): Generator<void, Json> {
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const scan = yield* scanInSteps(bytes, 0)
  yield
  if (scan.tooDeep) throw bad(`The body ${tooDeep}.`)
  const text = withoutMark.decode(bytes)
  const value = parse(text)
  yield
  const changes = changesIn(value, scan, text, flaws)
  if (changes.length > 0) throw invalid(changes)
  yield
  const problems = flaws === 'keep' ? [] : contentProblems(value)
  if (problems.length === 0) return value
  if (flaws === 'mend') return mendedJson(value)
  throw invalid(problems)
}

const tooDeep = `is nested more than ${maxDepth} levels deep`

const membersIn = (value: Json): number => {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Array.isArray(value) ? value : Object.values(value)
  return inner.reduce<number>((sum, each) => sum + membersIn(each), Array.isArray(value) ? 0 : inner.length)
}

/** Longest text, in UTF-16 code units, in which the places of flaws are searched. */
const maxExplained = 1_100_000

/** What `JSON.parse` changes about a text: doubled members (fewer members than colons), and numbers. */
const changesIn = (
  value: Json,
  { members }: Pick<ScanResult, 'members'>,
  text: string,
  flaws?: RequestBody['flaws'],
): Problem[] => {
  const isExplained = text.length <= maxExplained
  if (members !== membersIn(value))
    return isExplained
      ? findDuplicates(text).map((path) => ({ path, message: 'is given more than once' }))
      : [{ path: '', message: 'A member is given more than once' }]
  // Longer texts are of routes that take no numbers.
  const changed = isExplained && flaws !== 'mend' ? findChangedNumbers(text) : []
  const message = 'has more digits than a JSON number keeps, or is too close to 0: send fewer, or a string'
  return changed.map((path) => ({ path, message }))
}

/** Takes a byte order mark away. */
const withoutMark = new TextDecoder()

const parse = (text: string, what = 'The body'): Json => {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    // What it quotes of the text may be a secret.
    const reason = (error as Error).message.replace(/,? ?(\.\.\.)?".*/s, '').toWellFormed()
    throw bad(`${what} is not valid JSON${reason && `: ${reason}`}.`)
  }
}

/** An item of an array that is not read. */
export class FailedItem {
  /** Why. */
  readonly error: Error
  /** Its members near its beginning that are strings. */
  readonly texts: Readonly<Record<string, string>>
  constructor(text: Buffer, error: Error) {
    this.error = error
    this.texts = textMembersIn(text.subarray(0, limits.body.value))
  }
}

/** Whether a text is blank, apart from a byte order mark. */
const isBlank = (bytes: Buffer): boolean =>
  /^\ufeff?[\t\n\r ]*$/.test(bytes.subarray(0, 1000).toString()) && bytes.length <= 1000

/** An array, whose items may be parsed when they are read: parsed, they take much more memory than their texts. */
export interface Items extends Iterable<Json | FailedItem> {
  readonly length: number
}

/** Reads an array item by item in slices, since each may be refused alone. @param largest largest item, in bytes */
export const parseItems = async (bytes: Buffer, largest: number): Promise<Items> => {
  const texts = await textsOfItems(bytes)
  const items: (Json | FailedItem | Buffer)[] = []
  for await (const [index, text] of inSlices(texts.entries())) {
    const item = readItem(text, index, largest)
    items.push(bytes.length <= largest || item instanceof FailedItem ? item : text)
  }
  return {
    length: items.length,
    *[Symbol.iterator]() {
      for (const item of items) yield Buffer.isBuffer(item) ? (JSON.parse(item.toString()) as Json) : item
    },
  }
}

/** Takes an array apart. Beyond {@link limits.bulkItems} nothing is read. @throws as {@link parseJson} */
const textsOfItems = async (bytes: Buffer): Promise<readonly Buffer[]> => {
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const start = bytes.indexOf(0x5b)
  const begins = start !== -1 && isBlank(bytes.subarray(0, start))
  const scan = await runInSlices(scanInSteps(bytes, limits.bulkItems.value))
  if (begins && scan.tooMany) throw invalidAt('', `The body must have at most ${limits.bulkItems.value} items.`)
  if (!begins || bytes[scan.end - 1] !== 0x5d || !isBlank(bytes.subarray(scan.end))) {
    if (bytes.length <= maxExplained) {
      if (runToEnd(scanInSteps(bytes, 0)).tooDeep) throw bad(`The body ${tooDeep}.`)
      parse(withoutMark.decode(bytes))
    }
    throw invalidAt('', 'The body must be one JSON array.')
  }
  const texts = scan.items.map(([from, to]) => bytes.subarray(from, to))
  const [only] = texts
  return only !== undefined && texts.length === 1 && isBlank(only) ? [] : texts
}

/** Most problems that are kept of an item, since there may be thousands of items. */
const maxItemProblems = 10

/** @throws HttpError BAD_REQUEST when it is not valid JSON: then the body is not either */
const readItem = (bytes: Buffer, index: number, largest: number): Json | FailedItem => {
  if (bytes.length > largest)
    return new FailedItem(bytes, new HttpError('PAYLOAD_TOO_LARGE', `An item may have at most ${largest} bytes.`))
  const scan = runToEnd(scanInSteps(bytes, 0))
  if (scan.tooDeep) return new FailedItem(bytes, invalidAt('', tooDeep))
  const text = bytes.toString()
  const value = parse(text, `Item ${index} of the body`)
  const changes = changesIn(value, scan, text)
  if (changes.length === 0) return value
  const named = changes.slice(0, maxItemProblems)
  return new FailedItem(bytes, invalid(named, changes.length - named.length))
}
