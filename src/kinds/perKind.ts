import type { JsonObject } from '../shared/json.ts'
import { memoize } from '../shared/memoize.ts'
import type { Field, KindDefinition } from './defineKind.ts'
import { words } from '../shared/wordLists.ts'

/** Memoises a function of a kind's definition. */
export const perKind: <T>(make: (definition: KindDefinition) => T) => (definition: KindDefinition) => T = memoize

/** Names of the personal members. */
export const personalMembers: (definition: KindDefinition) => ReadonlySet<string> = perKind(
  ({ fields }) => new Set(Object.keys(fields).filter((name) => fields[name]?.personal === true)),
)

/** Whether requests or imported documents set a member; the catalog itself sets the others. */
export const isWritten = (field: Field | undefined): boolean =>
  field !== undefined && (field.readOnly !== true || field.imported === true)

/** Default values of members on create. */
export const defaultsOf = perKind(({ fields }): JsonObject => {
  const defaults: JsonObject = {}
  for (const [name, field] of Object.entries(fields)) if (field.default !== undefined) defaults[name] = field.default
  return defaults
})

/** System members of every answer: no kind defines them and no request sets them. */
export const systemMembers: ReadonlySet<string> = new Set(
  words('id name fullyQualifiedName version updatedAt updatedBy href deleted changeDescription provenance votes'),
)
