/** A value that survives `JSON.parse(JSON.stringify(value))`. */
export type Json = null | boolean | number | string | Json[] | JsonObject

/** A JSON object. Keys keep their order; a missing member is absent, never `undefined`. */
export interface JsonObject {
  [key: string]: Json
}

/** True for a JSON object (not an array, not null). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Structural equality; the order of an object's keys does not matter. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && sameJson(a[key], b[key]))
}

/**
 * Canonical text of a JSON value after RFC 8785: keys sorted by UTF-16 code units, no white space.
 * Two values that {@link sameJson} calls equal have the same text.
 */
export const canonicalJson = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`)
  return `{${members.join(',')}}`
}
