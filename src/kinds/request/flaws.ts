import type { Json, JsonObject } from '../../shared/json.ts'
import type { Problem } from '../defineKind.ts'
import { sealedMember } from '../members/secrets.ts'

/** Deepest nesting of arrays and objects in a body. */
const maxDepth = 100

const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const isCleanKey = (key: string): boolean => key !== '__proto__' && key !== sealedMember && isCleanText(key)

/** Keys that were clean before: the same few come again and again. */
const cleanKeys = new Set<string>()

const isKnownCleanKey = (key: string): boolean => {
  if (cleanKeys.has(key)) return true
  if (!isCleanKey(key)) return false
  if (cleanKeys.size < 4096 && key.length < 64) cleanKeys.add(key)
  return true
}

/**
 * Is there nothing in the value that no member takes: texts with NUL or lone surrogates, numbers beyond what a double
 * holds, keys that mean something to the runtime or to the catalog itself, nesting without end?
 */
export const isFlawless = (value: Json, depth = 0): boolean => {
  if (typeof value === 'string') return isCleanText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth >= maxDepth) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isFlawless(item, depth + 1)) return false
    return true
  }
  for (const key of Object.keys(value)) {
    if (!isKnownCleanKey(key) || !isFlawless((value as JsonObject)[key] as Json, depth + 1)) return false
  }
  return true
}

/** Where a value is not flawless, and why. */
export const findFlaws = (value: Json, path = '', depth = 0): Problem[] => {
  if (typeof value === 'string')
    return isCleanText(value) ? [] : [{ path, message: 'must have no NUL and no lone surrogate in it' }]
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [{ path, message: 'is too large a number' }]
  if (typeof value !== 'object' || value === null) return []
  if (depth >= maxDepth) return [{ path, message: `is nested more than ${maxDepth} levels deep` }]
  if (Array.isArray(value)) return value.flatMap((item, index) => findFlaws(item, `${path}/${index}`, depth + 1))
  return Object.keys(value).flatMap((key) => {
    const at = `${path}/${key.replaceAll('\0', '\uFFFD').toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (!isCleanKey(key)) return [{ path: at, message: 'this name is reserved' }]
    return findFlaws((value as JsonObject)[key] as Json, at, depth + 1)
  })
}
