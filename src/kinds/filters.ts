import type { Field, KindDefinition, Parent } from './defineKind.ts'
import { measuresOf } from './coverage.ts'
import { perKind } from './perKind.ts'
import { categoriesOf, relationsOf } from './edges.ts'

/** What a reference member is filtered by: `owners` by `owner`. */
const filtersOf = (name: string, { filter, aliases = [], references }: Field): readonly string[] => {
  if (filter !== undefined) return [filter]
  if (references?.many !== true) return [name]
  return aliases.length > 0 ? aliases : [name.replace(/s$/, '')]
}

/** Reference members that a list can be filtered by: name of the filter, name of the member, the member. */
export const referenceFilters = perKind((definition) =>
  relationsOf(definition).flatMap((name) => {
    const field = definition.fields[name] as Field
    return filtersOf(name, field).map((filter): [string, string, Field] => [filter, name, field])
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
    ...categoriesOf(definition).map(({ filter }) => filter),
    ...measuresOf(definition).map(({ name }) => name),
  ]),
])

/** Are direct children of one parent asked for: by a filter, or by a computed member of the parent? */
export const asksForChildren = (definition: KindDefinition, all: readonly KindDefinition[]): boolean =>
  definition.parents.some((parent) => isDirect(definition, parent)) ||
  all.some((kind) =>
    Object.values(kind.computed).some((member) => member.from === 'children' && member.kind === definition.name),
  )
