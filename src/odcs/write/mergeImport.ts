import { isList, isObject, textOf, type Json, type JsonObject } from '../model/types.ts'

/**
 * The new document with what the old one has and it lacks: lists are replaced as a whole, service levels, custom
 * properties and parts of `description` one by one.
 */
export const mergeImport = (old: JsonObject, incoming: JsonObject): JsonObject => {
  const merged: JsonObject = { ...incoming }
  for (const [member, value] of Object.entries(old)) {
    const now = Object.hasOwn(incoming, member) ? incoming[member] : undefined
    if (now === undefined) merged[member] = value
    else if (member === 'description' && isObject(now) && isObject(value))
      merged[member] = { ...now, ...absent(value, now) }
    else if (member === 'slaProperties') merged[member] = joined(now, value, ['property', 'element', 'driver'])
    else if (member === 'customProperties') merged[member] = joined(now, value, ['property'])
  }
  return merged
}

const absent = (old: JsonObject, now: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(old).filter(([member]) => !Object.hasOwn(now, member)))

// The new items, then the old ones that no new one stands for.
const joined = (now: Json, old: Json, identity: readonly string[]): Json => {
  if (!isList(now) || !isList(old)) return now
  const key = (item: Json): string =>
    isObject(item)
      ? identity.map((member) => textOf(item[member])?.toLowerCase() ?? '').join('\n')
      : JSON.stringify(item)
  const known = new Set(now.map(key))
  const kept = old.filter((item) => !known.has(key(item)))
  return kept.length === 0 ? now : [...now, ...kept]
}
