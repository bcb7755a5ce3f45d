import { printParseErrorCode, visit, type JSONVisitor, type ParseErrorCode } from 'jsonc-parser'
import { isChangedNumber, jsonPointer, mayChangeNumbers } from '../../shared/json.ts'

interface Mistake {
  /** Index into the text, in UTF-16 code units. */
  readonly at: number
  readonly code: ParseErrorCode
}

/** Visits a text up to its first mistake: what follows may nest deeper than the stack. @returns the mistake */
const visitValid = (text: string, visitor: JSONVisitor = {}): Mistake | undefined => {
  let mistake: Mistake | undefined
  const onError = (code: ParseErrorCode, at: number): never => {
    mistake = { at, code }
    throw mistake
  }
  try {
    visit(text, { ...visitor, onError }, { disallowComments: true })
  } catch (error) {
    if (error !== mistake) throw error
  }
  return mistake
}

/** The string values of an object by member. Its text may be truncated or end with no JSON. */
export const textMembersIn = (bytes: Buffer): Record<string, string> => {
  const texts = new Map<string, string>()
  visitValid(bytes.toString(), {
    onLiteralValue: (literal, ...[, , , , pathTo]) => {
      const path = pathTo()
      if (path.length === 1 && typeof literal === 'string') texts.set(String(path[0]), literal.toWellFormed())
    },
  })
  return Object.fromEntries(texts)
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
  sign === '"'
    ? 'a string that is not closed or holds what must be escaped stands'
    : 'something that is not JSON stands'

/** Finds where a text that `JSON.parse` refused stops being JSON: an index in UTF-16 code units. */
export const findSyntaxError = (text: string): { readonly at: number; readonly message: string } => {
  const mistake = visitValid(text)
  const at = mistake?.at ?? 0
  const wanted = mistake && expected[printParseErrorCode(mistake.code)]
  if (wanted === undefined) return { at, message: unreadable(text[at]) }
  return { at, message: at < text.length ? `${wanted} should stand` : `it ends where ${wanted} should follow` }
}

/** JSON Pointers of the numbers in valid JSON that a double does not keep. */
export const findChangedNumbers = (text: string): string[] => {
  const changed: string[] = []
  if (mayChangeNumbers(text))
    visit(text, {
      onLiteralValue: (value, offset, length, ...[, , pathTo]) => {
        const isChanged = typeof value === 'number' && isChangedNumber(text.slice(offset, offset + length))
        if (isChanged) changed.push(jsonPointer(...pathTo()))
      },
    })
  return changed
}

/** JSON Pointers of duplicate members in valid JSON. */
export const findDuplicates = (text: string): string[] => {
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
