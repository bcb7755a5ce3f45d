import { visit } from 'jsonc-parser'
import { isChangedNumber, jsonPointer, mayChangeNumbers } from '../../shared/json.ts'

/** The string values of an object by member. Its text may be truncated or end with no JSON. */
export const textMembersIn = (bytes: Buffer): Record<string, string> => {
  const texts = new Map<string, string>()
  // What follows the first mistake may nest deeper than the stack.
  const mistake = new Error('not JSON')
  try {
    visit(bytes.toString(), {
      onLiteralValue: (literal, ...[, , , , pathTo]) => {
        const path = pathTo()
        if (path.length === 1 && typeof literal === 'string') texts.set(String(path[0]), literal.toWellFormed())
      },
      onError: () => {
        throw mistake
      },
    })
  } catch (error) {
    if (error !== mistake) throw error
  }
  return Object.fromEntries(texts)
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
