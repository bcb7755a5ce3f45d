import type { Reference, TagLabel } from '../api/types.ts'

/** A tag as lists of entities have it. */
export const asReference = ({ tagFQN, name = tagFQN, displayName = name, source }: TagLabel): Reference => ({
  id: tagFQN,
  type: source === 'Glossary' ? 'glossaryTerm' : 'tag',
  name,
  displayName,
  fullyQualifiedName: tagFQN,
})
