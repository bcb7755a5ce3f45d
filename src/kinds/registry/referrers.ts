import type { KindDefinition } from '../defineKind.ts'
import { isDirect, relationsOf } from '../edges.ts'
import { kindNamed, kinds } from './kinds.ts'

/** How entities of a kind refer to those of another. */
export interface Relation {
  /** The referring kind. */
  readonly definition: KindDefinition
  /** The referring member. */
  readonly member: string
  /** `reference`: an edge; `parent`: a direct child; `above`: a descendant by its FQN. */
  readonly by: 'reference' | 'parent' | 'above'
}

/** Whether direct children are queried, by a filter or by a computed member of the parent. */
export const queriesChildren = (definition: KindDefinition): boolean =>
  definition.parents.some((parent) => isDirect(definition, parent)) ||
  kinds.some((kind) =>
    Object.values(kind.computed).some((member) => member.from === 'children' && member.kind === definition.name),
  )

/** Whether an ancestor member of a kind can refer to the other kind. */
export const isAncestorKind = ({ parents, ancestors }: KindDefinition, member: string, kind: string): boolean =>
  parents.some((parent) => parent.field === member && parent.kinds.includes(kind)) ||
  (ancestors.includes(member) &&
    parents.some((parent) => parent.kinds.some((above) => isAncestorKind(kindNamed(above), member, kind))))

/** Kinds that an ancestor member refers to, of the given kinds. */
export const ancestorKinds = (member: string, of: readonly KindDefinition[] = kinds): readonly string[] =>
  kinds.map(({ name }) => name).filter((kind) => of.some((below) => isAncestorKind(below, member, kind)))

/** All relations by which other kinds refer to a kind, ordered by kind and member. */
export const referrersOf = (kind: string): readonly Relation[] =>
  kinds.flatMap((definition) => {
    const { parents, ancestors, fields } = definition
    const above = [...new Set([...parents.map(({ field }) => field), ...ancestors])]
    return [
      ...relationsOf(definition)
        .filter((member) => fields[member]?.references?.kinds.includes(kind))
        .map((member): Relation => ({ definition, member, by: 'reference' })),
      ...above
        .filter((member) => isAncestorKind(definition, member, kind))
        .map((member): Relation => {
          const parent = parents.find(({ field }) => field === member)
          return { definition, member, by: parent && isDirect(definition, parent) ? 'parent' : 'above' }
        }),
    ]
  })
