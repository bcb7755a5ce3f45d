import type { Reference } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { referencesInside } from '../../kinds/edges.ts'
import { splitFqn } from '../../kinds/names.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { nestedReferences } from '../entities/entityRow.ts'
import type { EntityRow } from '../entities/row.ts'
import { facetMembers, isKind, referencesOf } from './facets.ts'

/** The parts of a row that are indexed. */
export type SearchRow = Pick<EntityRow, 'kind' | 'fullyQualifiedName' | 'shownAlways' | 'shownOnRequest' | 'references'>

/** Texts of an entity by part, not normalised. */
export interface SearchText {
  readonly name: string
  readonly displayName: string
  readonly path: readonly string[]
  /** FQN of the service; empty without one. */
  readonly service: string
  /** Names of columns and fields, or synonyms. */
  readonly fields: readonly string[]
  /** Including those on columns. */
  readonly tags: readonly Reference[]
  readonly owners: readonly Reference[]
  readonly description: string
}

type Members = Readonly<Record<string, Json>>

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export const fqnsOf = (references: readonly Reference[]): string[] => [
  ...new Set(references.map(({ fullyQualifiedName }) => fullyQualifiedName)),
]

const inside = (definition: KindDefinition, members: Members): Reference[] =>
  Object.entries(members).flatMap(([name, value]) => referencesInside(definition, name, value))

/** The searchable texts of a row. */
export const searchTextOf = (row: SearchRow): SearchText => {
  const shown = JSON.parse(row.shownAlways) as JsonObject & Members
  const references = referencesOf(row)
  const definition = isKind(row.kind) ? kindNamed(row.kind) : undefined
  const fieldsOf = definition?.behaviour.searchFields
  const hasNested = definition !== undefined && references[nestedReferences] !== undefined
  const members = fieldsOf || hasNested ? { ...shown, ...(JSON.parse(row.shownOnRequest) as JsonObject) } : shown
  return {
    name: textIn(shown['name']),
    displayName: textIn(shown['displayName']),
    path: splitFqn(row.fullyQualifiedName) ?? [],
    service: fqnsOf(references[facetMembers.service] ?? []).join(''),
    fields: (fieldsOf?.of(members) ?? []).flatMap(({ names }) => names),
    tags: [...(references['tags'] ?? []), ...(hasNested ? inside(definition, members as Members) : [])],
    owners: references['owners'] ?? [],
    description: textIn(shown['description']),
  }
}
