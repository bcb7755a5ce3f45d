import { kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { ancestorFqns } from '../../kinds/names.ts'
import type { EntityRow } from '../entities/row.ts'

/** Members that refer to other entities: hits are counted by each of those. */
const referring = ['owners', 'tags', 'domains'] as const
type One<Many> = Many extends `${infer Name}s` ? Name : never

const nameOf = <Many extends string>(member: Many) => member.slice(0, -1) as One<Many>

/** Facets whose values are lives of entities, as `incarnationKey` names them. */
export const referringFacets = referring.map(nameOf)

/** The relation whose targets are the values of a facet. */
export const relationOf = (name: FacetName): string => (name === 'validation' ? name : `${name}s`)

/** Those whose names are words of what refers to them. */
const labelling = ['owners', 'tags'] as const
export const labelFacets = labelling.map((part) => ({ part, facet: nameOf(part) }))

export const facetNames = ['kind', ...referringFacets, 'service', 'entityStatus', 'validation'] as const
export type FacetName = (typeof facetNames)[number]

export interface FacetValue {
  /** A kind, a status, how a validation ended, the FQN of a service, or the life that is referred to, as `incarnationKey` names it. */
  readonly value: string
  readonly count: number
}

export interface Facet {
  /** The most frequent first. */
  readonly values: readonly FacetValue[]
  /** Hits of values that are not told. */
  readonly others: number
  /** Not all hits were looked at: there are at least so many of each value. */
  readonly atLeast?: true
}

export type Facets = Partial<Record<FacetName, Facet>>

export type Faceted = Pick<EntityRow, 'kind' | 'entityStatus' | 'fullyQualifiedName' | 'edges'>

/** So many values are told of each facet. */
const most = 50

const known: ReadonlySet<string> = new Set(kinds.map(({ name }) => name))

export const isKind = (name: string): boolean => known.has(name)

/** Does the FQN of entities of this kind begin with that of a service? */
export const standsInService = (kind: string): boolean => {
  if (!isKind(kind)) return false
  const { ancestors, parents } = kindNamed(kind)
  return ancestors.includes('service') || parents.some(({ field }) => field === 'service')
}

const targets = ({ edges }: Faceted, rel: string): string[] =>
  edges.filter((edge) => edge.rel === rel).map(({ target }) => target)

const ownValues: Readonly<Record<string, (hit: Faceted) => readonly string[]>> = {
  kind: ({ kind }) => [kind],
  service: ({ kind, fullyQualifiedName }) =>
    standsInService(kind) ? ancestorFqns(fullyQualifiedName).slice(0, 1) : [],
  entityStatus: ({ entityStatus }) => (entityStatus === '' ? [] : [entityStatus]),
}

export const facetValuesOf = (hit: Faceted, name: FacetName): readonly string[] =>
  ownValues[name]?.(hit) ?? targets(hit, relationOf(name))

/** The facet of how many hits there are of each value; of a value that comes several times the sum. */
export const facetFrom = (counted: Iterable<readonly [value: string, count: number]>): Facet => {
  const counts = new Map<string, number>()
  for (const [value, count] of counted) counts.set(value, (counts.get(value) ?? 0) + count)
  const values = [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  const others = values.slice(most).reduce((sum, { count }) => sum + count, 0)
  return { values: values.slice(0, most), others }
}

export const facetsOf = (hits: readonly Faceted[], names: readonly FacetName[]): Facets =>
  Object.fromEntries(
    names.map((name) => [
      name,
      facetFrom(hits.flatMap((hit) => facetValuesOf(hit, name).map((value) => [value, 1] as const))),
    ]),
  )
