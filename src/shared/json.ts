import type { z } from 'zod'

/** A value that survives `JSON.parse(JSON.stringify(value))`. */
export type Json = null | boolean | number | string | Json[] | JsonObject

/** A JSON object. Keys keep their order; a missing member is absent, never `undefined`. */
export interface JsonObject {
  [key: string]: Json
}

/** True for a JSON object (not an array, not null). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of the object itself: not one that every object has, such as `constructor`. */
export const ownMember = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The objects of a list; none if it is not a list. */
export const objectsOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Structural equality; the order of an object's keys does not matter. */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
}

/** Length of the value as JSON without white space; an escaped character counts as one. */
export const jsonLength = (value: Json): number => {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  let length = 1
  if (Array.isArray(value)) for (const item of value) length += jsonLength(item) + 1
  else for (const key of Object.keys(value)) length += key.length + 4 + jsonLength(value[key] as Json)
  return Math.max(length, 2)
}

/**
 * Canonical JSON text after RFC 8785, equal for all values that {@link sameJson} considers equal. Unpaired surrogates,
 * which the RFC does not cover, are escaped.
 */
export const canonicalJson = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  let text = ''
  for (const name of Object.keys(value).sort()) {
    const member = value[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}

/** A JSON Pointer (RFC 6901) of these steps, e.g. `/columns/0/name`; of none it is the whole document. */
export const jsonPointer = (...steps: readonly PropertyKey[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The steps of a {@link jsonPointer}. */
export const pointerSteps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** What may be a number in JSON that a double does not keep: with many digits, or a very small exponent. */
const longNumbers = /[[:,]\s*(-?[\d.]{16,}(?:[eE][-+]?\d+)?|-?\d[\d.]*[eE]-\d{3,})(?=\s*[,\]}])/g

const decimal = /^[-+]?(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/

/** Equal for decimals of the same amount: the digits without zeros at the ends, and the power of ten of the last. */
const amountOf = (literal: string): string | undefined => {
  const [, whole = '', fraction = '', exponent = '0'] = decimal.exec(literal) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return end === 0 ? undefined : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}

/**
 * Whether a decimal is read as another finite number: it has more digits than a double gives back, or becomes 0.
 * Fractions may have the 17 digits with which some languages write doubles.
 */
export const isChangedNumber = (literal: string): boolean => {
  const value = Number(literal)
  if (!Number.isFinite(value) || String(value) === literal) return false
  const amount = amountOf(literal)
  if (amount === undefined || amount === amountOf(String(value))) return false
  return Number.isInteger(value) || amount !== amountOf(value.toPrecision(17))
}

/** Whether valid JSON may have such a number; it may also stand in a text. */
export const mayChangeNumbers = (text: string): boolean =>
  text.matchAll(longNumbers).some(([, literal = '']) => isChangedNumber(literal))

/**
 * Zod's `safeParse` of JSON that others wrote. Zod measures whatever has a `length`, and throws where that is an object
 * that cannot be compared; such a value is wrong without it, too.
 */
export const safeParse = <Schema extends z.ZodType>(schema: Schema, value: unknown) => {
  try {
    return schema.safeParse(value)
  } catch {
    const text = JSON.stringify(value)
    return schema.safeParse(JSON.parse(text, (name, inner: unknown) => (name === 'length' ? undefined : inner)))
  }
}
