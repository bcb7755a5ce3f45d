import type { KindDefinition } from './defineKind.ts'
import { relationsOf } from './edges.ts'
import { isDirect } from './filters.ts'

/** How entities of a kind refer to those of another. */
export interface Relation {
  /** The kind that refers. */
  readonly definition: KindDefinition
  /** The member by which it does. */
  readonly member: string
  /** `reference`: an edge; `parent`: it stands directly below; `above`: somewhere below, by its FQN. */
  readonly by: 'reference' | 'parent' | 'above'
}

/** Does a member of a kind that names what stands above name one of the other kind? */
const namesAbove = (
  { parents, ancestors }: KindDefinition,
  member: string,
  kind: string,
  all: readonly KindDefinition[],
): boolean => {
  if (parents.some(({ field, kinds }) => field === member && kinds.includes(kind))) return true
  if (!ancestors.includes(member)) return false
  const above = parents.flatMap(({ kinds }) => all.filter(({ name }) => kinds.includes(name)))
  return above.some((parent) => namesAbove(parent, member, kind, all))
}

/** All the ways in which others refer to entities of a kind; by kinds, in the order of their members. */
export const referrersOf = (kind: string, all: readonly KindDefinition[]): readonly Relation[] =>
  all.flatMap((definition) => {
    const { parents, ancestors, fields } = definition
    const above = [...new Set([...parents.map(({ field }) => field), ...ancestors])]
    return [
      ...relationsOf(definition)
        .filter((member) => fields[member]?.references?.kinds.includes(kind))
        .map((member): Relation => ({ definition, member, by: 'reference' })),
      ...above
        .filter((member) => namesAbove(definition, member, kind, all))
        .map((member): Relation => {
          const parent = parents.find(({ field }) => field === member)
          return { definition, member, by: parent && isDirect(definition, parent) ? 'parent' : 'above' }
        }),
    ]
  })
