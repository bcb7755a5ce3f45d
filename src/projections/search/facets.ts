import { incarnationKey, type Reference } from '../../events/events.ts'
import { isLabelRelation } from '../../kinds/edges.ts'
import { kinds } from '../../kinds/registry/kinds.ts'
import type { EntityRow } from '../entities/row.ts'

/** Facets whose values are incarnation keys, and the members that refer to these. */
export const facetMembers = { owner: 'owners', tag: 'tags', domain: 'domains', service: 'service' } as const

export type ReferenceFacet = keyof typeof facetMembers
export const referenceFacets = Object.keys(facetMembers) as ReferenceFacet[]
export const isReferenceFacet = (name: FacetName): name is ReferenceFacet => Object.hasOwn(facetMembers, name)

/** Facets whose names are also searchable words. */
export const labelFacets = referenceFacets.flatMap((facet) => {
  const part = facetMembers[facet]
  return isLabelRelation(part) ? [{ part, facet }] : []
})

export const facetNames = ['kind', ...referenceFacets, 'entityStatus', 'validation'] as const
export type FacetName = (typeof facetNames)[number]

interface FacetValue {
  /** A kind, a status, a validation outcome, or an incarnation key. */
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

type Faceted = Pick<EntityRow, 'kind' | 'entityStatus' | 'edges' | 'references'>

/** Most values of a facet; the others are counted together. */
export const maxFacetValues = 50

/** The number of hits with a facet text. */
export type FacetCount = readonly [text: string, count: number]

const known: ReadonlySet<string> = new Set(kinds.map(({ name }) => name))

export const isKind = (name: string): boolean => known.has(name)

/** The reference members of a row. */
export const referencesOf = ({ references }: Pick<EntityRow, 'references'>) =>
  JSON.parse(references) as Readonly<Record<string, readonly Reference[]>>

const targetsOf =
  (rel: string) =>
  ({ edges }: Faceted): string[] =>
    edges.filter((edge) => edge.rel === rel).map(({ target }) => target)

const facetValues: Readonly<Record<FacetName, (hit: Faceted) => readonly string[]>> = {
  kind: ({ kind }) => [kind],
  owner: targetsOf(facetMembers.owner),
  tag: targetsOf(facetMembers.tag),
  domain: targetsOf(facetMembers.domain),
  // An ancestor is not an edge.
  service: (hit) => (referencesOf(hit)[facetMembers.service] ?? []).map(incarnationKey),
  entityStatus: ({ entityStatus }) => (entityStatus === '' ? [] : [entityStatus]),
  validation: targetsOf('validation'),
}

export const facetValuesOf = (hit: Faceted, name: FacetName): readonly string[] => facetValues[name](hit)

/** Makes a facet from counts; counts of equal values are added. */
const facetFrom = (counted: Iterable<readonly [value: string, count: number]>): Facet => {
  const counts = new Map<string, number>()
  for (const [value, count] of counted) counts.set(value, (counts.get(value) ?? 0) + count)
  const values = [...counts]
    .map(([value, count]) => ({ value, count }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  const others = values.slice(maxFacetValues).reduce((sum, { count }) => sum + count, 0)
  return { values: values.slice(0, maxFacetValues), others }
}

/** A value of a facet as a text; names of facets contain no space. */
export const facetText = (name: FacetName, value: string): string => `${name} ${value}`

export const facetTextsOf = (hit: Faceted): string[] =>
  facetNames.flatMap((name) => facetValuesOf(hit, name).map((value) => facetText(name, value)))

/**
 * Makes facets from counts of {@link facetTextsOf}.
 * @param existingAmong gives those of some incarnations that have not ended: others are not counted
 */
export const facetsCounted = async (
  counted: readonly FacetCount[],
  names: readonly FacetName[],
  existingAmong: (incarnations: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Facets> => {
  const facets: Facets = {}
  for (const name of names) {
    const beginning = `${name} `
    const own = counted
      .filter(([text]) => text.startsWith(beginning))
      .map(([text, count]) => [text.slice(beginning.length), count] as const)
    const existing = isReferenceFacet(name) ? await existingAmong(own.map(([value]) => value)) : undefined
    facets[name] = facetFrom(existing === undefined ? own : own.filter(([value]) => existing.has(value)))
  }
  return facets
}
