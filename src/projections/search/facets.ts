import { labelRelations } from '../../kinds/edges.ts'
import { kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { ancestorFqns } from '../../kinds/names.ts'
import type { EntityRow } from '../entities/row.ts'

const referring = ['owners', 'tags', 'domains'] as const
type One<Many> = Many extends `${infer Name}s` ? Name : never

const nameOf = <Many extends string>(member: Many) => member.slice(0, -1) as One<Many>

/** Facets whose values are incarnation keys. */
export const referringFacets = referring.map(nameOf)

/** The relation whose targets are a facet's values. */
export const relationOf = (name: FacetName): string => (name === 'validation' ? name : `${name}s`)

/** Facets whose names are also searchable words. */
export const labelFacets = labelRelations.map((part) => ({ part, facet: nameOf(part) }))

export const facetNames = ['kind', ...referringFacets, 'service', 'entityStatus', 'validation'] as const
export type FacetName = (typeof facetNames)[number]

interface FacetValue {
  /** A kind, a status, a validation outcome, the FQN of a service, or an incarnation key. */
  readonly value: string
  readonly count: number
}

export interface Facet {
  /** Most frequent first. */
  readonly values: readonly FacetValue[]
  /** Hits with other values. */
  readonly others: number
  /** Whether the counts are lower bounds, because not all hits were examined. */
  readonly atLeast?: true
}

export type Facets = Partial<Record<FacetName, Facet>>

type Faceted = Pick<EntityRow, 'kind' | 'entityStatus' | 'fullyQualifiedName' | 'edges'>

const most = 50

const known: ReadonlySet<string> = new Set(kinds.map(({ name }) => name))

export const isKind = (name: string): boolean => known.has(name)

/** Whether FQNs of the kind begin with a service. */
export const isWithinService = (kind: string): boolean => {
  if (!isKind(kind)) return false
  const { ancestors, parents } = kindNamed(kind)
  return ancestors.includes('service') || parents.some(({ field }) => field === 'service')
}

const targets = ({ edges }: Faceted, rel: string): string[] =>
  edges.filter((edge) => edge.rel === rel).map(({ target }) => target)

const ownValues: Readonly<Record<string, (hit: Faceted) => readonly string[]>> = {
  kind: ({ kind }) => [kind],
  service: ({ kind, fullyQualifiedName }) =>
    isWithinService(kind) ? ancestorFqns(fullyQualifiedName).slice(0, 1) : [],
  entityStatus: ({ entityStatus }) => (entityStatus === '' ? [] : [entityStatus]),
}

export const facetValuesOf = (hit: Faceted, name: FacetName): readonly string[] =>
  ownValues[name]?.(hit) ?? targets(hit, relationOf(name))

/** Makes a facet from counts; counts of equal values are added. */
export const facetFrom = (counted: Iterable<readonly [value: string, count: number]>): Facet => {
  const counts = new Map<string, number>()
  for (const [value, count] of counted) counts.set(value, (counts.get(value) ?? 0) + count)
  const values = [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  const others = values.slice(most).reduce((sum, { count }) => sum + count, 0)
  return { values: values.slice(0, most), others }
}

/** Each value of a facet as a text; names of facets contain no space. */
export const facetTextsOf = (hit: Faceted): string[] =>
  facetNames.flatMap((name) => facetValuesOf(hit, name).map((value) => `${name} ${value}`))

/** Makes facets from counts of {@link facetTextsOf}. */
export const facetsCounted = (
  counted: readonly (readonly [text: string, count: number])[],
  names: readonly FacetName[],
): Facets =>
  Object.fromEntries(
    names.map((name) => {
      const beginning = `${name} `
      const own = counted.filter(([text]) => text.startsWith(beginning))
      return [name, facetFrom(own.map(([text, count]) => [text.slice(beginning.length), count]))]
    }),
  )
