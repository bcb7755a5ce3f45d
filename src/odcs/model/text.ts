import { limits } from '../../shared/limits.ts'
import type { Problem, ProblemList } from './types.ts'

export const MAX_BYTES = 5 * 1024 * 1024
/** Deepest accepted nesting: columns 32 deep need about a hundred levels. */
export const MAX_DEPTH = limits.documentDepth.value
/** Most tokens of a YAML text. */
export const MAX_TOKENS = limits.documentTokens.value
export const MAX_PROBLEMS = 100

/** A fault at an offset of the text, in UTF-16 code units. */
export interface Fault {
  path: string
  offset: number
  message: string
}

/** Thrown at an offset where the rest of a text is not read. */
export class TextFault extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/

/** Decodes UTF-8 strictly; drops a byte order mark, refuses other encodings and control characters. */
export const decodeText = (input: Uint8Array | string): { text: string } | { problem: Problem } => {
  if (typeof input === 'string') return checkText(input.startsWith('\ufeff') ? input.slice(1) : input)
  if (input.byteLength > MAX_BYTES) return refuse(`the document is larger than ${MAX_BYTES} bytes`)
  const [first, second] = input
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (wide || (input.length > 1 && (first === 0) !== (second === 0))) {
    return refuse('the document is UTF-16 or UTF-32; save it as UTF-8')
  }
  try {
    return checkText(new TextDecoder('utf-8', { fatal: true }).decode(input))
  } catch {
    return refuse('the document is not valid UTF-8')
  }
}

const checkText = (text: string): { text: string } | { problem: Problem } => {
  if (text.length > MAX_BYTES) return refuse(`the document is larger than ${MAX_BYTES} bytes`)
  const found = FORBIDDEN.exec(text)
  if (!found) return { text }
  const code = found[0].charCodeAt(0).toString(16).padStart(4, '0')
  return {
    problem: { path: '', ...lineAt(text, found.index), message: `the control character U+${code} is not allowed` },
  }
}

const refuse = (message: string) => ({ problem: { path: '', line: 1, column: 1, message } })

/** @returns line and column, from 1, of an offset. */
export const lineAt = (text: string, offset: number): { line: number; column: number } => {
  const end = Math.min(offset, text.length)
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    line += 1
    start = at + 1
  }
  return { line, column: end - start + 1 }
}

/** Turns faults into problems with line and column; at most {@link MAX_PROBLEMS}, in the order of the text. */
export const toProblems = (text: string, faults: readonly Fault[], count = faults.length): ProblemList => {
  const named = faults.slice(0, MAX_PROBLEMS).sort((one, other) => one.offset - other.offset)
  return {
    problems: named.map(({ path, offset, message }) => ({ path, ...lineAt(text, offset), message })),
    unlisted: Math.max(0, count - MAX_PROBLEMS),
  }
}

/** Whether a member name is refused in all bodies and documents. */
export const isRefused = (member: string): boolean => member === '__proto__'
