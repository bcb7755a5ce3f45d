import type { Field, KindDefinition, Parent } from './defineKind.ts'
import { perKind } from './perKind.ts'

const isAbove = (definition: KindDefinition, name: string): boolean =>
  definition.ancestors.includes(name) || definition.parents.some((parent) => parent.field === name)

/** Reference members that a list can be filtered by: name of the filter, name of the member, the member. */
export const referenceFilters = perKind((definition) =>
  Object.entries(definition.fields).flatMap(([name, field]): [string, string, Field][] => {
    if (field.references === undefined || isAbove(definition, name)) return []
    if (field.filter !== undefined) return [[field.filter, name, field]]
    if (!field.references.many) return [[name, name, field]]
    return (field.aliases ?? []).map((alias) => [alias, name, field])
  }),
)

/** A parent of which only the direct children are meant. */
export const isDirect = (definition: KindDefinition, parent: Parent): boolean =>
  parent.optional === true || definition.behaviour.identity === 'parent'

/** Names of the query parameters that narrow a list of this kind. */
export const filterNames = perKind((definition) => [
  ...new Set([
    ...definition.parents.map((parent) => parent.field),
    ...definition.ancestors,
    ...referenceFilters(definition).map(([name]) => name),
    'entityStatus',
  ]),
])

/** Members that a list is narrowed by, or that answers about others are computed from. */
export const keptRelations = (definition: KindDefinition, all: readonly KindDefinition[]): ReadonlySet<string> => {
  let made = relationsAmong.get(all)
  if (made === undefined) relationsAmong.set(all, (made = perKind((kind) => relationsOf(kind, all))))
  return made(definition)
}

const relationsAmong = new WeakMap<readonly KindDefinition[], (kind: KindDefinition) => ReadonlySet<string>>()

const relationsOf = (definition: KindDefinition, all: readonly KindDefinition[]): ReadonlySet<string> => {
  const computed = all.flatMap((kind) => Object.values(kind.computed))
  const related = computed.flatMap((member) => (member.from === 'related' ? [member.rel] : []))
  const filtered = referenceFilters(definition).map(([, member]) => member)
  const own = related.filter((member) => definition.fields[member]?.references && !isAbove(definition, member))
  return new Set([...filtered, ...own])
}

/** Are direct children of one parent asked for: by a filter, or by a computed member of the parent? */
export const asksForChildren = (definition: KindDefinition, all: readonly KindDefinition[]): boolean =>
  definition.parents.some((parent) => isDirect(definition, parent)) ||
  all.some((kind) =>
    Object.values(kind.computed).some((member) => member.from === 'children' && member.kind === definition.name),
  )
