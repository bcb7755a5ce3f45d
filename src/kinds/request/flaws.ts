import type { Json, JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Problem } from '../defineKind.ts'
import { tooMany } from '../../shared/bounds.ts'
import { personalMember, sealedMember } from '../../shared/secrets/sealed.ts'

/** Deepest nesting of arrays and objects in a body. */
const maxDepth = limits.depth.value

const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const ownMembers = new Set(['__proto__', sealedMember, personalMember])

const isCleanKey = (key: string): boolean => !ownMembers.has(key) && isCleanText(key)

/** Cache of clean keys: the same few are used again and again. */
const cleanKeys = new Set<string>()

const isKnownCleanKey = (key: string): boolean => {
  if (cleanKeys.has(key)) return true
  if (!isCleanKey(key)) return false
  if (cleanKeys.size < 4096 && key.length < 64) cleanKeys.add(key)
  return true
}

/**
 * Whether a value is free of what no member accepts: NUL, lone surrogates, numbers beyond a double, reserved keys, and
 * unbounded nesting or lists.
 */
export const isFlawless = (value: Json): boolean => isClean(value, 0, { left: limits.values.value })

const isClean = (value: Json, depth: number, values: { left: number }): boolean => {
  if (values.left-- <= 0) return false
  if (typeof value === 'string') return isCleanText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth >= maxDepth) return false
  if (tooMany(value) !== undefined) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isClean(item, depth + 1, values)) return false
    return true
  }
  for (const key of Object.keys(value)) {
    if (!isKnownCleanKey(key) || !isClean((value as JsonObject)[key] as Json, depth + 1, values)) return false
  }
  return true
}

/** Finds where a value is not flawless, and why. */
export const findFlaws = (value: Json, path = '', depth = 0): Problem[] => {
  if (typeof value === 'string')
    return isCleanText(value) ? [] : [{ path, message: 'must have no NUL and no lone surrogate in it' }]
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [{ path, message: 'is too large a number' }]
  if (typeof value !== 'object' || value === null) return []
  if (depth >= maxDepth) return [{ path, message: `is nested more than ${maxDepth} levels deep` }]
  const message = tooMany(value)
  if (message !== undefined) return [{ path, message }]
  if (Array.isArray(value)) return value.flatMap((item, index) => findFlaws(item, `${path}/${index}`, depth + 1))
  return Object.keys(value).flatMap((key) => {
    const at = `${path}/${key.replaceAll('\0', '\uFFFD').toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (!isCleanKey(key)) return [{ path: at, message: 'this name is reserved' }]
    return findFlaws((value as JsonObject)[key] as Json, at, depth + 1)
  })
}
