import { parseTree, printParseErrorCode, visit, type Node, type ParseErrorCode } from 'jsonc-parser'
import { isRefused, MAX_DEPTH, TextFault, type Fault } from '../model/text.ts'
import { isObject, pathOf, pointer, put, type Json, type JsonObject } from '../model/types.ts'

/** A parsed text: value, faults, and the place of each member. */
export interface ParsedText {
  value: Json
  faults: Fault[]
  warnings: Fault[]
  /** Offset of the value at a JSON Pointer, or of its nearest ancestor. */
  locate: (path: string) => number
}

/** Parses JSON, refusing duplicate and dangerous members and keeping large integers exact. */
export const readJson = (text: string): ParsedText => {
  const faults: Fault[] = []
  let tree: Node | undefined
  const locate = (path: string): number => offsetAt((tree ??= parseTree(text)), pathOf(path))
  return { value: scan(text, faults), faults, warnings: [], locate }
}

/** An open object with the name of its current member, or an open list. */
interface Open {
  readonly value: JsonObject | Json[]
  member: string
}

const scan = (text: string, faults: Fault[]): Json => {
  let root: Json | undefined
  const open: Open[] = []
  const place = (): string => pointer(open.map(({ value, member }) => (Array.isArray(value) ? value.length : member)))
  const add = (value: Json): void => {
    const holder = open.at(-1)
    if (holder === undefined) root = value
    else if (Array.isArray(holder.value)) holder.value.push(value)
    else put(holder.value, holder.member, value)
  }
  const begin = (value: JsonObject | Json[], offset: number): void => {
    if (open.length >= MAX_DEPTH) throw new TextFault(offset, `nested deeper than ${MAX_DEPTH} levels`)
    open.push({ value, member: '' })
  }
  const end = (): void => add((open.pop() as Open).value)
  const onObjectProperty = (member: string, offset: number): void => {
    const holder = open.at(-1) as Open
    holder.member = wellFormed(member, offset)
    const message = isRefused(member)
      ? `the member name "${member}" is not allowed`
      : isObject(holder.value) && Object.hasOwn(holder.value, member) && `the member "${member}" stands here twice`
    if (message) faults.push({ path: place(), offset, message })
  }
  const visitor = {
    onObjectBegin: (offset: number) => begin({}, offset),
    onArrayBegin: (offset: number) => begin([], offset),
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty,
    onLiteralValue: (value: unknown, offset: number, length: number) => {
      const source = text.slice(offset, offset + length)
      const message = typeof value === 'number' && numberFault(source, value)
      if (message) faults.push({ path: place(), offset, message })
      add(scalar(value, source, offset))
    },
    onError: (error: ParseErrorCode, offset: number) => {
      if (offset >= text.length) throw new TextFault(offset, 'the text ends too early')
      const isOver = root !== undefined
      throw new TextFault(offset, isOver ? goesOn : (mistakes[printParseErrorCode(error)] ?? unreadable(text, offset)))
    },
  }
  try {
    visit(text, visitor, { disallowComments: true })
    return root ?? null
  } catch (error) {
    if (!(error instanceof TextFault)) throw error
    faults.push({ path: place(), offset: error.offset, message: error.message })
    return null
  }
}

const goesOn = 'one JSON value was expected, but the text goes on'

const character = 'the string holds an unknown escape or a raw control character'

const mistakes: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a member name in double quotes was expected',
  ColonExpected: 'a colon was expected',
  CommaExpected: 'a comma or a closing bracket was expected',
  InvalidUnicode: character,
  InvalidEscapeCharacter: character,
  InvalidCharacter: character,
}

const unreadable = (text: string, offset: number): string =>
  text[offset] === '"'
    ? `the string is not closed, or ${character.slice('the string '.length)}`
    : 'unexpected character'

const wellFormed = (text: string, offset: number): string => {
  if (text.isWellFormed()) return text
  throw new TextFault(offset, 'the string holds half of a surrogate pair')
}

const scalar = (value: unknown, source: string, offset: number): Json => {
  if (typeof value === 'string') return wellFormed(value, offset)
  return typeof value === 'number' ? exactInteger(source, value) : (value as boolean | null)
}

/** @returns a bigint if a number would lose digits */
export const exactInteger = (source: string, value: number): number | bigint =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^(?:[-+]?\d{1,400}|0[ox][\da-f]+)$/i.test(source)
    ? BigInt(source.startsWith('+') ? source.slice(1) : source)
    : value

/** @returns the message of a fault if the value is infinite, none, or 0 unlike its source */
export const numberFault = (source: string, value: number): string | undefined =>
  Number.isFinite(value) && (value !== 0 || !/^[-+]?[0.]*[1-9]/.test(source))
    ? undefined
    : `${source.slice(0, 40)} is not a number that can be kept: it is too large or too close to 0`

const offsetAt = (root: Node | undefined, path: readonly string[]): number => {
  let node = root
  for (const step of path) {
    const below: Node | undefined =
      node?.type === 'array'
        ? node.children?.[Number(step)]
        : node?.children?.find(({ children }) => children?.[0]?.value === step)?.children?.[1]
    if (below === undefined) break
    node = below
  }
  return node?.offset ?? 0
}
