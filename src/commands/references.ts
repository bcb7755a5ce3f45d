import type { Members, Reference } from '../events/events.ts'
import type { Field, KindDefinition } from '../kinds/defineKind.ts'
import type { Json } from '../shared/json.ts'

/** The value of a member with only those references that `keep` says; `undefined` when it was one that goes. */
export const keepReferences = (
  field: Field | undefined,
  value: Json,
  keep: (reference: Reference) => boolean,
): Json | undefined => {
  if (field?.references === undefined) {
    return field?.nested?.(value, (reference) => (keep(reference as Reference) ? reference : undefined)) ?? value
  }
  if (!Array.isArray(value)) return keep(value as Reference) ? value : undefined
  return value.filter((item) => keep(item as Reference))
}

export const referredIds = (definition: KindDefinition, members: Members, names: readonly string[]): string[] => {
  const ids: string[] = []
  const note = ({ id }: Reference): boolean => {
    ids.push(id)
    return true
  }
  for (const name of names) {
    const value = members[name]
    if (value !== undefined) keepReferences(definition.fields[name], value, note)
  }
  return ids
}

/** Is there still the life that a reference means? @param present the reference to what is there now, of an id */
export const isThere =
  (present: (id: string) => Reference | undefined) =>
  ({ id, life }: Reference): boolean => {
    const reference = present(id)
    return reference !== undefined && reference.life === life
  }
