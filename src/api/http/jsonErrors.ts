import { parse, printParseErrorCode, visit, type ParseErrorCode } from 'jsonc-parser'
import { jsonPointer } from '../../shared/json.ts'

/** The string value of a member of an object, which may be truncated. */
export const textOfMember = (bytes: Buffer, member: string): string | undefined => {
  const value = (parse(bytes.toString()) as Partial<Record<string, unknown>> | undefined)?.[member]
  return typeof value === 'string' && value !== '' ? value.toWellFormed() : undefined
}

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
export const findSyntaxError = (text: string): Mistake => {
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
