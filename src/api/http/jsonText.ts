import { isAscii, isUtf8 } from 'node:buffer'
import { excessIn } from '../../shared/bounds.ts'
import { isObject, type Json } from '../../shared/json.ts'
import { jsonPointer } from '../../shared/jsonPointer.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { HttpError } from './problemDetails.ts'

/** Deepest nesting of arrays and objects that a body may have. */
export const maxDepth = 100

const quote = 0x22
const backslash = 0x5c

/** What one pass over the bytes of a JSON text sees; no recursion. */
interface Seen {
  /** Arrays and objects nest deeper than {@link maxDepth}. */
  tooDeep: boolean
  /** A unicode escape, which can spell what may not stand in a text, or a number that may be too large. */
  suspicious: boolean
}

/** Digits of the largest double, 1.8e308. */
const mostDigits = 308

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** Is there, behind the E of a number, an exponent that is not negative? The E of `true` and `false` has none. */
const hasExponent = (bytes: Buffer, at: number): boolean => bytes[at + 1] === 0x2b || isDigit(bytes[at + 1])

/** Index of the quote that closes the string, or the length of the text. */
const endOfString = (bytes: Buffer, start: number, seen: Seen): number => {
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

const scan = (bytes: Buffer): Seen => {
  const seen: Seen = { tooDeep: false, suspicious: false }
  let depth = 0
  let digits = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (isDigit(byte)) {
      digits += 1
      if (digits > mostDigits) seen.suspicious = true
      continue
    }
    digits = 0
    if (byte === quote) {
      at = endOfString(bytes, at + 1, seen)
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth > maxDepth) return { ...seen, tooDeep: true }
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1
    } else if ((byte === 0x65 || byte === 0x45) && hasExponent(bytes, at)) {
      seen.suspicious = true
    }
  }
  return seen
}

const bad = (message: string, problems: readonly Problem[] = []): HttpError =>
  new HttpError('BAD_REQUEST', message, { problems })

/**
 * Parses a JSON body strictly: UTF-8, nested at most {@link maxDepth} deep, no `__proto__` keys, no NUL characters and
 * no lone surrogates in strings, no numbers beyond what a double holds, lists and objects within the limits.
 * @param lenient leaves what stands in strings, names and numbers, and how many values there are, to the caller
 * @throws HttpError BAD_REQUEST that says what is wrong and where
 */
export const parseJson = (bytes: Buffer, lenient = false): Json => {
  if (!isUtf8(bytes)) throw bad('The body is not valid UTF-8.')
  const seen = scan(bytes)
  if (seen.tooDeep) throw bad(`The body is nested more than ${maxDepth} levels deep.`)
  const text = withoutMark(bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8'))
  const value = parse(text)
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

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/** Longest text, in UTF-16 code units, in which the place of a mistake is looked for. */
const maxExplained = 1_000_000

const parse = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    if (text.length > maxExplained) throw bad('The body is not valid JSON.')
    const { at, message } = findMistake(text)
    const before = text.slice(0, at).split(/\r\n|\r|\n/)
    const column = (before.at(-1) as string).length + 1
    throw bad(`The body is not valid JSON: ${message} at line ${before.length}, column ${column}.`)
  }
}

const wrongIn = (text: string): string | undefined => {
  if (text.includes('\0')) return 'must not hold NUL characters'
  return text.isWellFormed() ? undefined : 'must not hold half of a surrogate pair'
}

/** A key as a step of a JSON Pointer, with what must not be sent on replaced. */
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

interface Mistake {
  /** Index into the text, in UTF-16 code units. */
  readonly at: number
  readonly message: string
}

const space = /[\t\n\r ]*/y
const tokens = [
  /[[\]{}:,]/,
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/,
  /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/,
  /(?:true|false|null)(?!\w)/,
]
const token = new RegExp(tokens.map((each) => each.source).join('|'), 'y')

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or ]' | ', or }' | 'end'

/** The first place where a text that `JSON.parse` refused stops being JSON. */
const findMistake = (text: string): Mistake => {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at += matchAt(space, text, at)?.length ?? 0
    if (at >= text.length) return { at, message: `it ends where ${words[expected]} should follow` }
    const found = matchAt(token, text, at)
    if (found === undefined) return { at, message: unreadable(text, at) }
    const next = step(found.startsWith('"') ? '"' : found, expected, open)
    if (next === undefined) return { at, message: `${words[expected]} should stand` }
    expected = next
    at += found.length
  }
}

const words: Record<Expected, string> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  name: 'a name in double quotes',
  'name or }': 'a name in double quotes or }',
  ':': 'a colon',
  ', or ]': 'a comma or ]',
  ', or }': 'a comma or }',
  end: 'the end',
}

const unreadable = (text: string, at: number): string =>
  text[at] === '"'
    ? 'a string that is not closed or holds what must be escaped stands'
    : 'something that is no JSON stands'

const afterValue = (open: readonly string[]): Expected =>
  open.length === 0 ? 'end' : open.at(-1) === '[' ? ', or ]' : ', or }'

/** What must follow the sign; `undefined` when it must not stand here. */
const step = (sign: string, expected: Expected, open: ('[' | '{')[]): Expected | undefined => {
  const value = expected === 'value' || expected === 'value or ]'
  if (sign === '[' || sign === '{') {
    if (!value) return undefined
    open.push(sign)
    return sign === '[' ? 'value or ]' : 'name or }'
  }
  if (sign === ']' || sign === '}') {
    if (!expected.endsWith(sign)) return undefined
    open.pop()
    return afterValue(open)
  }
  if (sign === ',') return expected === ', or ]' ? 'value' : expected === ', or }' ? 'name' : undefined
  if (sign === ':') return expected === ':' ? 'value' : undefined
  if (sign === '"' && (expected === 'name' || expected === 'name or }')) return ':'
  return value ? afterValue(open) : undefined
}
