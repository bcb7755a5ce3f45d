import type { Members } from '../../events/events.ts'
import { columnsIn, type AssetColumn } from '../members/assetColumns.ts'
import { assets } from '../definitions/assets.ts'
import { contracts, lineages } from '../definitions/contracts.ts'
import { databases } from '../definitions/databases.ts'
import { dataQuality } from '../definitions/dataQuality.ts'
import type { Field, KindDefinition } from '../defineKind.ts'
import { domains, glossaries } from '../definitions/glossaries.ts'
import { people } from '../definitions/people.ts'
import { proposalsOf } from '../definitions/proposals.ts'
import { services } from '../definitions/services.ts'
import { storage } from '../definitions/storage.ts'
import { systemMembers } from '../perKind.ts'

/** Checks that the definitions are consistent. @throws Error that names every mistake */
export const checkKinds = (kinds: readonly KindDefinition[]): void => {
  const mistakes = [
    ...repeated(kinds.map((kind) => kind.name)).map((name) => `kind ${name} is defined twice`),
    ...repeated(kinds.map((kind) => kind.path)).map((path) => `path ${path} is used twice`),
    ...kinds.flatMap((kind) => mistakesOf(kind, kinds).map((mistake) => `${kind.name}: ${mistake}`)),
  ]
  if (mistakes.length > 0) throw new Error(`The kinds are not consistent:\n${mistakes.join('\n')}`)
}

const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index)

const mistakesOf = (kind: KindDefinition, kinds: readonly KindDefinition[]): string[] => {
  const names = new Set(kinds.map((each) => each.name))
  const unknown = (where: string, list: readonly string[]) =>
    list.filter((name) => !names.has(name)).map((name) => `${where} names an unknown kind ${name}`)
  return [
    ...(/^[a-z][a-zA-Z]*$/.test(kind.name) ? [] : ['its name is not made of letters alone']),
    ...kind.parents.flatMap(({ field, kinds: list }) => [
      ...unknown(`parent ${field}`, list),
      ...(kind.fields[field] === undefined ? [`parent ${field} is no member`] : []),
    ]),
    ...orderMistakes(kind, kinds),
    ...Object.entries(kind.fields).flatMap(([member, field]) => [
      ...unknown(member, field.references?.kinds ?? []),
      ...(systemMembers.has(member) ? [`${member} is a member of every entity`] : []),
      ...(field.shown === 'only-request' && !field.readOnly
        ? [`${member} would be lost by a patch: single answers must have it`]
        : []),
      ...(field.required && field.default !== undefined ? [`${member} is required and has a default`] : []),
      ...aliasMistakes(kind, member, field.aliases ?? []),
    ]),
    ...Object.entries(kind.computed).flatMap(([member, computed]) => [
      ...(member in kind.fields ? [`${member} is both a member and computed`] : []),
      ...('kind' in computed ? unknown(member, [computed.kind]) : []),
    ]),
    ...(kind.traits.dataAsset && !kind.traits.asset ? ['a data asset must be an asset'] : []),
    ...(kind.behaviour.identity === 'parent' && kind.parents.length === 0
      ? ['its parent is its identity, but it has none']
      : []),
    ...ancestorMistakes(kind, kinds),
  ]
}

const aliasMistakes = (kind: KindDefinition, member: string, aliases: readonly string[]): string[] =>
  aliases.flatMap((alias) => {
    const taken = alias in kind.fields || alias in kind.computed
    return taken ? [`${alias} stands for ${member} and is a member itself`] : []
  })

/** Parents must come first, since starters and registries process kinds in order. */
const orderMistakes = (kind: KindDefinition, kinds: readonly KindDefinition[]): string[] => {
  const own = kinds.indexOf(kind)
  return kind.parents
    .flatMap(({ kinds: list }) => list)
    .filter((name) => kinds.findIndex((each) => each.name === name) > own)
    .map((name) => `it comes before its parent ${name}`)
}

/** Ancestors are copied from the parent, so it must have them. */
const ancestorMistakes = (kind: KindDefinition, kinds: readonly KindDefinition[]): string[] =>
  kind.ancestors.flatMap((ancestor) =>
    kind.parents
      .flatMap((parent) => kinds.filter((each) => parent.kinds.includes(each.name)))
      .filter((parent) => parent.fields[ancestor] === undefined && !parent.ancestors.includes(ancestor))
      .map((parent) => `its parent ${parent.name} has no ${ancestor} to take over`),
  )

export type { AssetColumn } from '../members/assetColumns.ts'
export { maskSecrets } from '../../shared/secrets/sealed.ts'

const defined = [
  ...people,
  ...domains,
  ...glossaries,
  ...services,
  ...databases,
  ...assets,
  ...storage,
  ...dataQuality,
  ...contracts,
  ...lineages,
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

checkKinds(storedKinds)

const byName = new Map(storedKinds.map((kind) => [kind.name, kind]))

/** @throws Error when there is no such kind: names come from definitions and events, not from users */
export const kindNamed = (name: string): KindDefinition => {
  const kind = byName.get(name)
  if (kind === undefined) throw new Error(`There is no kind ${name}.`)
  return kind
}

/** Kinds of possible descendants, nearest first; the kind itself only if it nests. */
export const descendantKinds = (name: string): readonly KindDefinition[] => {
  const found = new Set<KindDefinition>()
  const visit = (above: string): void => {
    const children = kinds.filter(
      (kind) => !found.has(kind) && kind.parents.some((parent) => parent.kinds.includes(above)),
    )
    for (const child of children) found.add(child)
    for (const child of children) visit(child.name)
  }
  visit(name)
  return [...found]
}

export const principalKind = 'user'

export const contractKind = 'dataContract'

/** The kind of test cases. */
export const testKind = 'testCase'

/** The kind of lineage: the upstream edges of an asset. */
export const lineageKind = 'lineage'

/** The kind of pipelines. */
export const pipelineKind = 'pipeline'

export const queryKind = 'query'

/** The kind of proposals. */
export const proposalKind = 'proposal'

export const contractedKinds: readonly string[] = kindNamed(contractKind).parents.flatMap((parent) => parent.kinds)

const judging = new Set([contractKind, ...kinds.filter(({ traits }) => traits.results).map(({ name }) => name)])

/** Do entities of the kind say of what they stand below whether it is as it should be? */
export const isJudging = (kind: string): boolean => judging.has(kind)

/** The top-level columns or fields of an asset, under the names that contracts use. */
export const assetColumns = (_kind: string, members: Members): readonly AssetColumn[] => columnsIn(members)
