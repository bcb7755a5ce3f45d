import type { KindDefinition } from '../../src/kinds/defineKind.ts'
import { systemMembers } from '../../src/kinds/perKind.ts'

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
    ...kind.parents.flatMap(({ field, kinds: list }) => unknown(`parent ${field}`, list)),
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
