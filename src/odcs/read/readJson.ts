import { isRefused, MAX_DEPTH, type Fault } from '../model/text.ts'
import { isObject, pointer, put, type Json, type JsonObject } from '../model/types.ts'

/** What a reader found: the value, the faults, and where each member stands. */
export interface ParsedText {
  value: Json
  faults: Fault[]
  warnings: Fault[]
  /** Offset of the value at a JSON Pointer, or of its nearest ancestor. */
  locate: (path: string) => number
}

class JsonFault extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const SPACE = /[ \t\n\r]*/y

interface Scan {
  text: string
  at: number
  path: (string | number)[]
  faults: Fault[]
  places: Map<string, number> | undefined
}

/** Reads JSON with every duplicate or dangerous member refused, and large integers kept exactly. */
export const readJson = (text: string): ParsedText => {
  const faults: Fault[] = []
  const value = scanAll(text, faults, undefined)
  let places: Map<string, number> | undefined
  const locate = (path: string): number => {
    if (!places) {
      places = new Map()
      scanAll(text, [], places)
    }
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const found = places.get(at)
      if (found !== undefined || at === '') return found ?? 0
    }
  }
  return { value, faults, warnings: [], locate }
}

const scanAll = (text: string, faults: Fault[], places: Map<string, number> | undefined): Json => {
  const scan: Scan = { text, at: 0, path: [], faults, places }
  try {
    const value = scanValue(scan)
    skipSpace(scan)
    if (scan.at < text.length) throw new JsonFault(scan.at, 'one JSON value was expected, but the text goes on')
    return value
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    faults.push({ path: pointer(scan.path), offset: error.offset, message: error.message })
    return null
  }
}

const skipSpace = (scan: Scan): void => {
  SPACE.lastIndex = scan.at
  SPACE.test(scan.text)
  scan.at = SPACE.lastIndex
}

const scanValue = (scan: Scan): Json => {
  skipSpace(scan)
  scan.places?.set(pointer(scan.path), scan.at)
  const first = scan.text[scan.at]
  if (first === '{' || first === '[') {
    if (scan.path.length >= MAX_DEPTH) throw new JsonFault(scan.at, `nested deeper than ${MAX_DEPTH} levels`)
    return first === '{' ? scanObject(scan) : scanList(scan)
  }
  if (first === '"') return scanString(scan)
  for (const [word, value] of WORDS) {
    if (scan.text.startsWith(word, scan.at)) {
      scan.at += word.length
      return value
    }
  }
  return scanNumber(scan)
}

const WORDS: readonly [string, boolean | null][] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

const scanNumber = (scan: Scan): Json => {
  NUMBER.lastIndex = scan.at
  const found = NUMBER.exec(scan.text)
  if (!found)
    throw new JsonFault(scan.at, scan.at < scan.text.length ? 'unexpected character' : 'the text ends too early')
  const value = Number(found[0])
  if (!Number.isFinite(value)) throw new JsonFault(scan.at, `the number ${found[0].slice(0, 40)} is too large`)
  scan.at += found[0].length
  return exactInteger(found[0], value)
}

/** @returns a bigint where a plain number would lose digits. */
export const exactInteger = (source: string, value: number): number | bigint =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d{1,400}$/.test(source)
    ? BigInt(source.startsWith('+') ? source.slice(1) : source)
    : value

const scanString = (scan: Scan): string => {
  const start = scan.at
  const end = endOfString(scan.text, start)
  scan.at = end
  try {
    const value: unknown = JSON.parse(scan.text.slice(start, end))
    if (typeof value === 'string' && value.isWellFormed()) return value
  } catch {
    throw new JsonFault(start, 'the string holds an unknown escape or a raw control character')
  }
  throw new JsonFault(start, 'the string holds half of a surrogate pair')
}

const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text[before] === '\\') before -= 1
    if ((at - before) % 2 === 1) return at + 1
  }
  throw new JsonFault(start, 'the string is not closed')
}

const scanObject = (scan: Scan): JsonObject => {
  const value: JsonObject = {}
  scan.at += 1
  skipSpace(scan)
  if (scan.text[scan.at] === '}') return close(scan, value)
  for (;;) {
    skipSpace(scan)
    const start = scan.at
    if (scan.text[start] !== '"') throw new JsonFault(start, 'a member name in double quotes was expected')
    const member = scanString(scan)
    scan.path.push(member)
    if (isRefused(member)) fault(scan, start, `the member name "${member}" is not allowed`)
    else if (Object.hasOwn(value, member)) fault(scan, start, `the member "${member}" stands here twice`)
    skipSpace(scan)
    if (scan.text[scan.at] !== ':') throw new JsonFault(scan.at, 'a colon was expected')
    scan.at += 1
    const item = scanValue(scan)
    put(value, member, item)
    scan.path.pop()
    skipSpace(scan)
    if (scan.text[scan.at] === '}') return close(scan, value)
    if (scan.text[scan.at] !== ',') throw new JsonFault(scan.at, 'a comma or } was expected')
    scan.at += 1
  }
}

const scanList = (scan: Scan): Json[] => {
  const value: Json[] = []
  scan.at += 1
  skipSpace(scan)
  if (scan.text[scan.at] === ']') return close(scan, value)
  for (;;) {
    scan.path.push(value.length)
    value.push(scanValue(scan))
    scan.path.pop()
    skipSpace(scan)
    if (scan.text[scan.at] === ']') return close(scan, value)
    if (scan.text[scan.at] !== ',') throw new JsonFault(scan.at, 'a comma or ] was expected')
    scan.at += 1
  }
}

const close = <T>(scan: Scan, value: T): T => {
  scan.at += 1
  return value
}

const fault = (scan: Scan, offset: number, message: string): void => {
  scan.faults.push({ path: pointer(scan.path), offset, message })
}

export const valueAt = (value: Json, path: readonly string[]): Json | undefined => {
  let here: Json | undefined = value
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)]
    else here = isObject(here) && Object.hasOwn(here, step) ? here[step] : undefined
  }
  return here
}
