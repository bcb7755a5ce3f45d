import { parse, printParseErrorCode, visit, type ParseErrorCode } from 'jsonc-parser'
import { runToEnd } from '../../shared/yieldToEventLoop.ts'
import { limits } from '../../shared/limits.ts'
import { jsonPointer } from '../../shared/json.ts'

/** Deepest allowed nesting of a body. */
export const maxDepth = limits.depth.value

const quote = 0x22
const backslash = 0x5c

/** The result of one pass over the bytes of a JSON text, without recursion. */
export interface Seen {
  /** Arrays and objects nest deeper than {@link maxDepth}. */
  readonly tooDeep: boolean
  /** Whether there is a unicode escape, which may hide forbidden characters, or a possibly too large number. */
  readonly suspicious: boolean
  /** Number of colons outside strings: written members, duplicates included. */
  readonly members: number
  /** Start and end of the outermost array's items; empty if it is not an array. */
  readonly items: readonly (readonly [number, number])[]
  /** Whether the outermost array has more items than requested. */
  readonly tooMany: boolean
  /** Index after the outermost array or object; -1 if it is not closed. */
  readonly end: number
}

/** Digits of the largest double, 1.8e308. */
const mostDigits = 308

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** Whether an E is followed by a non-negative exponent; the E of `true` and `false` is not. */
const hasExponent = (bytes: Buffer, at: number): boolean => bytes[at + 1] === 0x2b || isDigit(bytes[at + 1])

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Index of the closing quote, or the length of the text. */
const endOfString = (bytes: Buffer, start: number, seen: Mutable<Seen>): number => {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) return at
    if (byte === backslash) {
      at += 1
      if (bytes[at] === 0x75) seen.suspicious = true
    }
  }
  return bytes.length
}

/** Bytes per step of {@link scanInSteps}: some milliseconds of work. */
const stepBytes = 1024 * 1024

/** Scans a JSON text, valid or not, in steps. @param most largest number of collected items of the outermost array */
export function* scanInSteps(bytes: Buffer, most: number): Generator<void, Seen> {
  const items: [number, number][] = []
  const seen: Mutable<Seen> = { tooDeep: false, suspicious: false, members: 0, items, tooMany: false, end: -1 }
  let depth = 0
  let digits = 0
  let itemFrom = 0
  let nextPause = stepBytes
  for (let at = 0; at < bytes.length; at += 1) {
    if (at > nextPause) {
      nextPause = at + stepBytes
      yield
    }
    const byte = bytes[at] as number
    if (isDigit(byte)) {
      digits += 1
      if (digits > mostDigits) seen.suspicious = true
      continue
    }
    digits = 0
    if (byte === quote) at = endOfString(bytes, at + 1, seen)
    else if (byte === 0x3a) seen.members += 1
    else if (byte === 0x2c) {
      if (most > 0 && depth === 1) items.push([itemFrom, at])
      // The item after this comma is one too many.
      if (most > 0 && items.length >= most) return { ...seen, tooMany: true }
      if (depth === 1) itemFrom = at + 1
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth === 1) itemFrom = at + 1
      if (depth > maxDepth) return { ...seen, tooDeep: true }
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1
      if (depth === 0) {
        if (most > 0 && seen.end === -1) items.push([itemFrom, at])
        if (seen.end === -1) seen.end = at + 1
      }
    } else if ((byte === 0x65 || byte === 0x45) && hasExponent(bytes, at)) seen.suspicious = true
  }
  return seen
}

/** The string value of a member of an object, which may be truncated. */
export const textOfMember = (bytes: Buffer, member: string): string | undefined => {
  const value = (parse(bytes.toString()) as Partial<Record<string, unknown>> | undefined)?.[member]
  return typeof value === 'string' ? value.toWellFormed() : undefined
}

export const scan = (bytes: Buffer): Seen => runToEnd(scanInSteps(bytes, 0))

interface Mistake {
  /** Index into the text, in UTF-16 code units. */
  readonly at: number
  readonly message: string
}

/** What was expected where a text stops being JSON. */
const expected: Readonly<Record<string, string>> = {
  ValueExpected: 'a value',
  PropertyNameExpected: 'a name in double quotes',
  ColonExpected: 'a colon',
  CommaExpected: 'a comma or a closing bracket',
  CloseBraceExpected: 'a comma or }',
  CloseBracketExpected: 'a comma or ]',
  EndOfFileExpected: 'the end',
}

const unreadable = (sign: string | undefined): string =>
  sign === '"' ? 'a string that is not closed or holds what must be escaped stands' : 'something that is no JSON stands'

/** Finds where a text that `JSON.parse` refused stops being JSON. */
export const findMistake = (text: string): Mistake => {
  let found: Mistake | undefined
  const onError = (error: ParseErrorCode, at: number): void => {
    const wanted = expected[printParseErrorCode(error)]
    const message =
      wanted === undefined
        ? unreadable(text[at])
        : at < text.length
          ? `${wanted} should stand`
          : `it ends where ${wanted} should follow`
    found ??= { at, message }
  }
  visit(text, { onError }, { disallowComments: true })
  return found ?? { at: 0, message: unreadable(text[0]) }
}

/** JSON Pointers of duplicate members in valid JSON. */
export const findDoubles = (text: string): string[] => {
  const doubles = new Set<string>()
  const open: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, ...[, , , , pathToObject]) => {
      const names = open.at(-1) as Set<string>
      if (names.has(name)) doubles.add(jsonPointer(...pathToObject(), name))
      names.add(name)
    },
  })
  return [...doubles]
}
