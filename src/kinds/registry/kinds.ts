import { assets } from '../definitions/assets.ts'
import { contractsAndLineage } from '../definitions/contracts.ts'
import { databases } from '../definitions/databases.ts'
import { dataQuality } from '../definitions/dataQuality.ts'
import type { Field, KindDefinition } from '../defineKind.ts'
import { labelRelations } from '../edges.ts'
import { domains, glossaries } from '../definitions/glossaries.ts'
import { people } from '../definitions/people.ts'
import { personalMembers } from '../perKind.ts'
import { proposalsOf } from '../definitions/proposals.ts'
import { services } from '../definitions/services.ts'
import { storage } from '../definitions/storage.ts'

const defined = [
  ...people,
  ...domains,
  ...glossaries,
  ...services,
  ...databases,
  ...assets,
  ...storage,
  ...dataQuality,
  ...contractsAndLineage,
]

export const assetKinds: readonly string[] = defined.filter(({ traits }) => traits.asset).map(({ name }) => name)

const spelledOut = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => (name === '*' ? assetKinds : [name]))

const withKindsSpelledOut = (field: Field): Field =>
  field.references?.kinds.includes('*')
    ? { ...field, references: { ...field.references, kinds: spelledOut(field.references.kinds) } }
    : field

/** The definition with `'*'` replaced by all asset kinds. */
const resolved = (definition: KindDefinition): KindDefinition => ({
  ...definition,
  parents: definition.parents.map((parent) => ({ ...parent, kinds: spelledOut(parent.kinds) })),
  fields: Object.fromEntries(
    Object.entries(definition.fields).map(([member, field]) => [member, withKindsSpelledOut(field)]),
  ),
})

/** All catalogued kinds, parents before children. */
export const kinds: readonly KindDefinition[] = defined.map(resolved)

/** All kinds, including internal ones without the uniform routes. */
export const storedKinds: readonly KindDefinition[] = [...kinds, proposalsOf(defined)]

/** Names of the personal members of each kind. */
export const personalByKind = new Map(storedKinds.map((kind) => [kind.name, personalMembers(kind)]))

const byName = new Map(storedKinds.map((kind) => [kind.name, kind]))

/** @throws Error when there is no such kind: names come from definitions and events, not from users */
export const kindNamed = (name: string): KindDefinition => {
  const kind = byName.get(name)
  if (kind === undefined) throw new Error(`There is no kind ${name}.`)
  return kind
}

/** Kinds of possible children, dependent ones too. */
export const childKinds = (name: string): readonly KindDefinition[] =>
  kinds.filter(({ parents }) => parents.some((parent) => parent.kinds.includes(name)))

/** Kinds of possible descendants, nearest first; the kind itself only if it nests. */
export const descendantKinds = (name: string): readonly KindDefinition[] => {
  const found = new Set<KindDefinition>()
  const visit = (above: string): void => {
    const children = childKinds(above).filter((kind) => !found.has(kind))
    for (const child of children) found.add(child)
    for (const child of children) visit(child.name)
  }
  visit(name)
  return [...found]
}

/** Kinds that a member refers to, of whatever kind it is. */
export const referredKinds = (member: string): string[] => [
  ...new Set(kinds.flatMap(({ fields }) => fields[member]?.references?.kinds ?? [])),
]

export const labelKinds: readonly string[] = [...new Set(labelRelations.flatMap(referredKinds))]

export const principalKind = 'user'

export const contractKind = 'dataContract'

export const testKind = 'testCase'

/** Member of tests: a failure opens it, a success or a person resolves it. */
export const incidentMember = 'incident'

/** The kind of lineage: the upstream edges of an asset. */
export const lineageKind = 'lineage'

export const pipelineKind = 'pipeline'

export const queryKind = 'query'

export const proposalKind = 'proposal'

export const contractedKinds: readonly string[] = kindNamed(contractKind).parents.flatMap((parent) => parent.kinds)

const validatingKinds = new Set([contractKind, ...kinds.filter(({ traits }) => traits.results).map(({ name }) => name)])

/** Do entities of the kind say of what they stand below whether it is as it should be? */
export const isValidatingKind = (kind: string): boolean => validatingKinds.has(kind)
