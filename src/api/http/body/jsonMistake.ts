import { jsonPointer } from '../../../shared/jsonPointer.ts'

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
export const findMistake = (text: string): Mistake => {
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

interface Open {
  readonly path: string
  /** Of an object: the names so far. */
  readonly names: Set<string> | undefined
  /** The member or index that is being read. */
  step: string | number
  /** Of an object: the next text is a name. */
  naming: boolean
}

/** JSON Pointers of the members of a right JSON text that stand there more than once. */
export const findDoubles = (text: string): string[] => {
  const doubles = new Set<string>()
  const open: Open[] = []
  for (let at = 0; ;) {
    at += matchAt(space, text, at)?.length ?? 0
    const found = matchAt(token, text, at)
    if (found === undefined) return [...doubles]
    at += found.length
    const top = open.at(-1)
    if (found === '{' || found === '[') {
      const path = top === undefined ? '' : `${top.path}${jsonPointer(top.step)}`
      open.push({ path, names: found === '{' ? new Set() : undefined, step: 0, naming: found === '{' })
    } else if (found === '}' || found === ']') {
      open.pop()
    } else if (found === ',' && top !== undefined) {
      if (top.names === undefined) top.step = Number(top.step) + 1
      else top.naming = true
    } else if (top?.names !== undefined && top.naming) {
      const name = JSON.parse(found) as string
      if (top.names.has(name)) doubles.add(`${top.path}${jsonPointer(name)}`)
      top.names.add(name)
      top.step = name
      top.naming = false
    }
  }
}
