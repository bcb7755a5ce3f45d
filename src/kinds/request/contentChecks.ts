import { isObject, jsonPointer, type Json } from '../../shared/json.ts'
import { storableText } from '../../shared/entityName.ts'
import { limits } from '../../shared/limits.ts'
import type { Problem } from '../defineKind.ts'
import { sizeProblem } from '../../shared/bounds.ts'
import { personalMember, sealedMember } from '../../shared/secrets/sealed.ts'

const maxDepth = limits.depth.value

const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Names that mean something to the runtime or to the catalog. */
const reserved = new Set(['__proto__', sealedMember, personalMember])

/** What no member takes of a value itself: NUL, lone surrogates, numbers beyond a double, nesting or lists without end. */
const valueProblem = (value: Json, depth: number): string | undefined => {
  if (typeof value === 'string') return isCleanText(value) ? undefined : 'must have no NUL and no lone surrogate in it'
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'is too large a number'
  if (typeof value !== 'object' || value === null) return undefined
  return depth >= maxDepth ? `is nested more than ${maxDepth} levels deep` : sizeProblem(value)
}

/** The value with names and texts that can be stored, see {@link storableText}. */
export const mendedJson = (value: Json): Json => {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(mendedJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storableText(name), mendedJson(each)]))
}

/** What a value has in it that is not accepted, and where; too many values are one problem of the whole. */
export const contentProblems = (value: Json): Problem[] => {
  const most = limits.values.value
  const problems: Problem[] = []
  const steps: string[] = []
  let left = most
  const report = (message: string): void =>
    void problems.push({ path: jsonPointer(...steps.map(storableText)), message })
  const visit = (each: Json): void => {
    if (left-- <= 0) return
    const depth = steps.length
    const message = valueProblem(each, depth)
    if (message !== undefined) return report(message)
    if (typeof each !== 'object' || each === null) return
    for (const [step, inner] of Object.entries(each)) {
      steps[depth] = step
      if (reserved.has(step) || !isCleanText(step)) report('this name is reserved')
      else visit(inner)
    }
    steps.length = depth
  }
  visit(value)
  return left < 0 ? [{ path: '', message: `must have at most ${most} values in total: send fewer at once` }] : problems
}
