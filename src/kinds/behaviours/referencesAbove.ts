import type { Members } from '../../events/events.ts'
import { objectsOf, type JsonObject } from '../../shared/json.ts'
import type { Facts } from '../defineKind.ts'

/**
 * References in members of these names, then those in the same members of what is referred to, as far as facts are
 * loaded. Each is there once, by its id.
 */
export const referencesAbove = (
  members: Members,
  names: readonly string[],
  facts: Facts,
): ReadonlyMap<string, JsonObject> => {
  const found = new Map<string, JsonObject>()
  const add = (some: Members): void => {
    for (const reference of names.flatMap((name) => objectsOf([some[name] ?? []].flat())))
      if (!found.has(reference['id'] as string)) found.set(reference['id'] as string, reference)
  }
  add(members)
  for (const id of found.keys()) add(facts.get(id)?.members ?? {})
  return found
}
