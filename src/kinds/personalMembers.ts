import type { KindDefinition } from './defineKind.ts'
import { perKind } from './perKind.ts'

/** Names of the members that say who somebody is. */
export const personalMembers: (definition: KindDefinition) => ReadonlySet<string> = perKind(
  ({ fields }) => new Set(Object.keys(fields).filter((name) => fields[name]?.personal === true)),
)
