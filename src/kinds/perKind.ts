import type { JsonObject } from '../shared/json.ts'
import type { KindDefinition } from './defineKind.ts'

/** What follows from the definition of a kind alone, made once for each. */
export const perKind = <T>(make: (definition: KindDefinition) => T): ((definition: KindDefinition) => T) => {
  const made = new WeakMap<KindDefinition, T>()
  return (definition) => {
    let known = made.get(definition)
    if (known === undefined) made.set(definition, (known = make(definition)))
    return known
  }
}

/** Names of the members that say who somebody is. */
export const personalMembers: (definition: KindDefinition) => ReadonlySet<string> = perKind(
  ({ fields }) => new Set(Object.keys(fields).filter((name) => fields[name]?.personal === true)),
)

/** Values that members have when a create request leaves them out. */
export const defaultsOf = perKind(({ fields }): JsonObject => {
  const defaults: JsonObject = {}
  for (const [name, field] of Object.entries(fields)) if (field.default !== undefined) defaults[name] = field.default
  return defaults
})

/** Members of every entity that the catalog answers: no kind has such a field, and no request sets one. */
export const systemMembers: ReadonlySet<string> = new Set([
  'id',
  'name',
  'fullyQualifiedName',
  'version',
  'updatedAt',
  'updatedBy',
  'href',
  'deleted',
  'changeDescription',
  'votes',
])
