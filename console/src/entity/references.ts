import type { Entity, Reference, TagLabel } from '../api/types.ts'

/** What a test case tests, as its link names it: an asset, or a column of one. */
export const testedIn = (entity: Entity): Pick<Reference, 'type' | 'fullyQualifiedName'> | undefined => {
  const [, type, fullyQualifiedName] = /^<#E::(\w+)::(.+?)(?:::.*)?>$/.exec(String(entity['entityLink'])) ?? []
  return type === undefined || fullyQualifiedName === undefined ? undefined : { type, fullyQualifiedName }
}

/** The tag or term as an entity carries it: both can have one name. */
export const asLabel = ({ type, fullyQualifiedName }: Reference): Pick<TagLabel, 'tagFQN' | 'source'> => ({
  tagFQN: fullyQualifiedName,
  source: type === 'glossaryTerm' ? 'Glossary' : 'Classification',
})

/** A tag as lists of entities have it. */
export const asReference = ({ tagFQN, name = tagFQN, displayName = name, source }: TagLabel): Reference => ({
  id: tagFQN,
  type: source === 'Glossary' ? 'glossaryTerm' : 'tag',
  name,
  displayName,
  fullyQualifiedName: tagFQN,
})
