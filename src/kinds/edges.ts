import { isObject, type Json } from '../shared/json.ts'
import { incarnationKey, type Members, type Reference } from '../events/events.ts'
import type { KindDefinition, Field, Parent } from './defineKind.ts'
import { buildFqn } from './names.ts'
import { perKind } from './perKind.ts'

/** A relation to another entity or to a category, by which lists are filtered and hits are counted. */
export interface Edge {
  /**
   * A reference member, optionally with the suffix {@link selfOnly} or {@link inColumns}; or the filter of a category.
   */
  readonly rel: string
  /** The referenced incarnation as an `incarnationKey`, or a value of the category. */
  readonly target: string
}

/** Suffixes of relations that say where a reference is; without one it may be anywhere. */
export const selfOnly = '.self'
export const inColumns = '.columns'

/** Reference members that make no relation, such as voters. */
const unrelated = new Set(['upVoters', 'downVoters'])

/** Whether a member refers to an ancestor, which the entity's place already says. */
export const isAncestorMember = (definition: KindDefinition, member: string): boolean =>
  definition.ancestors.includes(member) || definition.parents.some((parent) => parent.field === member)

/** Reference members by which entities of a kind can be found. */
export const relationsOf = perKind((definition): readonly string[] =>
  Object.entries(definition.fields).flatMap(([member, { references }]) =>
    references === undefined || unrelated.has(member) || isAncestorMember(definition, member) ? [] : [member],
  ),
)

/** Members by whose category entities of a kind can be found. */
export const categoriesOf = perKind((definition) =>
  Object.entries(definition.fields).flatMap(([member, { filter = member, category }]) =>
    category === undefined ? [] : [{ member, filter, category }],
  ),
)

/** Whether coverage is counted for the kind. */
export const hasCoverage = ({ traits }: KindDefinition): boolean => traits.asset === true

/** Whether a description, or its stored form, is not empty. */
export const isDescribed = (description: Json | undefined): boolean =>
  typeof description === 'string' ? description.trim() !== '' : description === true

/** The member whose references also occur inside other members: tags of columns and fields. */
export const nestedRelation = 'tags'

/** Whether elements of the kind, such as columns, have tags of their own. */
export const hasNested = perKind((definition) => Object.values(definition.fields).some(({ nested }) => nested))

/** Distinct references inside a member, such as the tags of columns. */
export const referencesInside = (definition: KindDefinition, member: string, value: Json): Reference[] => {
  const found = new Map<string, Reference>()
  definition.fields[member]?.nested?.(value, (reference) => {
    found.set(incarnationKey(reference as Reference), reference as Reference)
    return undefined
  })
  return [...found.values()]
}

/**
 * All relations of an entity: the only source of everything by which it can be found.
 * @param members at least those with a category, and the description
 * @param references references by member; those inside a member under its name
 */
export const edgesOf = (
  definition: KindDefinition,
  members: Members,
  references: Iterable<readonly [member: string, references: readonly Reference[]]>,
): Edge[] => {
  const edges = new Map<string, Edge>()
  const add = (rel: string, target: string): void => void edges.set(`${rel} ${target}`, { rel, target })
  for (const { member, filter, category } of categoriesOf(definition)) {
    const group = category.of(members[member])
    if (group !== undefined) add(filter, group)
  }
  for (const [member, list] of references) {
    const isInside = definition.fields[member]?.nested !== undefined
    if (!isInside && !relationsOf(definition).includes(member)) continue
    const rel = isInside ? nestedRelation : member
    const place = isInside ? inColumns : rel === nestedRelation && hasNested(definition) ? selfOnly : undefined
    for (const target of list.map(incarnationKey)) {
      add(rel, target)
      if (place !== undefined) add(rel + place, target)
    }
  }
  if (!hasCoverage(definition)) return [...edges.values()]
  if (isDescribed(members['description'])) add('described', 'true')
  const rels = new Set([...edges.values()].map(({ rel }) => rel))
  for (const [rel, member] of coveredBy) if (rels.has(member)) add(rel, 'true')
  return [...edges.values()]
}

/** Measures of coverage, and the relation by which an asset is covered. */
const coveredBy = new Map<string, string>([
  ['owned', 'owners'],
  ['classified', nestedRelation],
])

export const labelRelations = ['owners', nestedRelation] as const

export const isLabelRelation = (rel: string): rel is (typeof labelRelations)[number] =>
  labelRelations.some((each) => each === rel)

/** The owners and tags that an asset is covered by, as `incarnationKey`s. */
export const coveringTargets = (edges: readonly Edge[]): string[] =>
  edges.some(({ rel }) => coveredBy.has(rel))
    ? edges.flatMap(({ rel, target }) => (isLabelRelation(rel) ? target : []))
    : []

/** The relations without the measures of an asset whose owners, or tags, have all been hard-deleted. */
export const withoutRemoved = (edges: readonly Edge[], isRemoved: (target: string) => boolean): readonly Edge[] =>
  edges.filter(({ rel }) => {
    const member = coveredBy.get(rel)
    return member === undefined || edges.some((edge) => edge.rel === member && !isRemoved(edge.target))
  })

/** Names along a JSON Pointer into a value, of members and of list elements. */
const namesAlong = (value: Json, pointer: string): string[] => {
  const names: string[] = []
  let at: Json | undefined = value
  for (const step of pointer.split('/').slice(1)) {
    if (Array.isArray(at)) at = at[Number(step)]
    else if (isObject(at)) {
      if (step !== 'children') names.push(step)
      at = at[step]
    }
    if (isObject(at) && typeof at['name'] === 'string') names.push(at['name'])
  }
  return names
}

/** A reference inside a member. */
interface PlacedReference {
  /** The names on the way to its list: `columns.address.city.tags`, quoted as in an FQN. */
  readonly path: string
  /** Its JSON Pointer: `/columns/1/children/0/tags/0`. */
  readonly pointer: string
  readonly reference: Reference
}

/** All references inside a member, such as those to tags of columns, in order. */
export const placedReferences = (
  { fields }: Pick<KindDefinition, 'fields'>,
  member: string,
  value: Json | undefined,
): PlacedReference[] => {
  const found: PlacedReference[] = []
  if (value === undefined) return found
  fields[member]?.nested?.(value, (reference, pointer) => {
    const list = pointer.slice(0, pointer.lastIndexOf('/'))
    const path = buildFqn([member, ...namesAlong(value, list)])
    found.push({ path, pointer: `/${member}${pointer}`, reference: reference as Reference })
    return undefined
  })
  return found
}

/** References inside some members that only one of two states has. */
export const placedDifference = (
  definition: KindDefinition,
  names: readonly string[],
  before: Members,
  after: Members,
): { readonly lost: PlacedReference[]; readonly added: PlacedReference[] } => {
  const keyOf = ({ path, reference }: PlacedReference): string => `${path} ${incarnationKey(reference)}`
  const [was, is] = [before, after].map((members) =>
    names.flatMap((name) => placedReferences(definition, name, members[name])),
  ) as [PlacedReference[], PlacedReference[]]
  const without = (some: PlacedReference[], others: PlacedReference[]): PlacedReference[] => {
    const known = new Set(others.map(keyOf))
    return some.filter((one) => !known.has(keyOf(one)))
  }
  return { lost: without(was, is), added: without(is, was) }
}

/** Paths at which members refer to something: `owners`, or `columns.address.city.tags`, quoted as in an FQN. */
export const pathsWhere = (
  definition: KindDefinition,
  members: Members,
  isWanted: (reference: Reference, member: string) => boolean,
): string[] =>
  Object.entries(members).flatMap(([member, value]): string[] => {
    if (value === undefined) return []
    if (definition.fields[member]?.references !== undefined || isAncestorMember(definition, member)) {
      const list = (Array.isArray(value) ? value : [value]) as Reference[]
      return list.some((reference) => isWanted(reference, member)) ? [member] : []
    }
    const wanted = placedReferences(definition, member, value).filter(({ reference }) =>
      isWanted(reference, nestedRelation),
    )
    return [...new Set(wanted.map(({ path }) => path))]
  })

/** Paths at which members refer to an incarnation. */
export const pathsTo = (definition: KindDefinition, members: Members, target: string): string[] =>
  pathsWhere(definition, members, (reference) => incarnationKey(reference) === target)

/** A measure of coverage, and the list filter that finds the covered assets. */
export interface Measure {
  readonly name: string
  readonly description: string
  /** The kind of a required direct child; if absent, the asset's own members decide. */
  readonly child?: string
  /** The only kind that has such children; if absent, every asset. */
  readonly on?: string
}

export const measures: readonly Measure[] = [
  { name: 'described', description: 'Only those with a description, or without one' },
  { name: 'owned', description: 'Only those that have an owner, or none' },
  { name: 'classified', description: 'Only those with a tag on them or on a column or field, or without one' },
  {
    name: 'contracted',
    description: 'Only those with a data contract of their own, or without one',
    child: 'dataContract',
  },
  { name: 'tested', description: 'Only those with a test case, or without one', child: 'testCase', on: 'table' },
]

/** The measures of a kind; only assets have any. */
export const measuresOf = perKind((definition): readonly Measure[] =>
  hasCoverage(definition) ? measures.filter(({ on = definition.name }) => on === definition.name) : [],
)

/** Filter names of a reference member, such as `owner` for `owners`. */
const filtersOf = (name: string, { filter, aliases = [], references }: Field): readonly string[] => {
  if (filter !== undefined) return [filter]
  if (references?.many !== true) return [name]
  return aliases.length > 0 ? aliases : [name.replace(/s$/, '')]
}

/** Reference members that lists can be filtered by: filter name, member name, member. */
export const referenceFilters = perKind((definition) =>
  relationsOf(definition).flatMap((name) => {
    const field = definition.fields[name] as Field
    return filtersOf(name, field).map((filter): [string, string, Field] => [filter, name, field])
  }),
)

/** Whether only the direct children of a parent are meant. */
export const isDirect = (definition: KindDefinition, parent: Parent): boolean =>
  parent.optional === true || definition.behaviour.identity === 'parent'

/** Query parameters that filter a list of this kind. */
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
