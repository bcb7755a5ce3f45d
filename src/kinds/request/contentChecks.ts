import { isObject, jsonPointer, type Json } from '../../shared/json.ts'
import { storableText } from '../../shared/entityName.ts'
import { limits } from '../../shared/limits.ts'
import type { Problem } from '../defineKind.ts'
import { sizeProblem } from '../../shared/bounds.ts'
import { personalMember, sealedMember } from '../../shared/secrets/sealed.ts'

const maxDepth = limits.depth.value

const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const ownMembers = new Set(['__proto__', sealedMember, personalMember])

const isCleanKey = (key: string): boolean => !ownMembers.has(key) && isCleanText(key)

/** What no member takes of a value itself: NUL, lone surrogates, numbers beyond a double, nesting or lists without end. */
const valueProblem = (value: Json, depth: number): string | undefined => {
  if (typeof value === 'string') return isCleanText(value) ? undefined : 'must have no NUL and no lone surrogate in it'
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'is too large a number'
  if (typeof value !== 'object' || value === null) return undefined
  return depth >= maxDepth ? `is nested more than ${maxDepth} levels deep` : sizeProblem(value)
}

/** Is nothing of this in the value, no key that means something to the runtime or to the catalog, and not too much? */
export const isCleanJson = (value: Json, depth = 0, values = { left: limits.values.value }): boolean => {
  if (values.left-- <= 0 || valueProblem(value, depth) !== undefined) return false
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((item) => isCleanJson(item, depth + 1, values))
  for (const key in value) if (!isCleanKey(key) || !isCleanJson(value[key] as Json, depth + 1, values)) return false
  return true
}

/** The value with names and texts that can be stored, see {@link storableText}. */
export const mendedJson = (value: Json): Json => {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(mendedJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storableText(name), mendedJson(each)]))
}

/** What stands in a list that is too long itself is not counted. */
const exceedsBudget = (value: Json, values: { left: number }): boolean => {
  if (values.left-- <= 0) return true
  if (typeof value !== 'object' || value === null || sizeProblem(value) !== undefined) return false
  return Object.values(value).some((each) => exceedsBudget(each, values))
}

/** Finds where a value is not flawless, and why. */
export const contentProblems = (value: Json): Problem[] => {
  const most = limits.values.value
  if (!exceedsBudget(value, { left: most })) return flawsIn(value, '', 0)
  return [{ path: '', message: `must have at most ${most} values in total: send fewer at once` }]
}

const flawsIn = (value: Json, path: string, depth: number): Problem[] => {
  const message = valueProblem(value, depth)
  if (message !== undefined) return [{ path, message }]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => flawsIn(item, `${path}/${index}`, depth + 1))
  return Object.keys(value).flatMap((key) => {
    const at = `${path}${jsonPointer(storableText(key))}`
    return isCleanKey(key)
      ? flawsIn(value[key] as Json, at, depth + 1)
      : [{ path: at, message: 'this name is reserved' }]
  })
}
