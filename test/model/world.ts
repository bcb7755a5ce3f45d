import type { Random } from '../support/random.ts'
import { kindOf, partsOf, type Json, type Key } from './kinds.ts'
import type { Operation, ProposalStep, Step, Values } from './operations.ts'

export interface Place {
  readonly kind: string
  readonly fqn: string
}

/** A small neighbourhood that many requests meet in: an entity, what stands above it, and a few children. */
export interface Focus {
  /** Root first; the last is the hot one. */
  readonly path: readonly Place[]
  readonly children: readonly Place[]
}

export interface World {
  readonly random: Random
  readonly prefix: string
  readonly steps: Step[]
  /** Number of roots that were made; the next focus takes one of the last. */
  roots: number
  /** Entities that were in focus: others refer to the last of them. */
  readonly met: Key[]
  /** Proposals that nobody was asked to decide on. */
  readonly open: ProposalStep[]
}

/** @param above kind of the parent */
export const nameOf = (kind: string, n: number, above?: string): string =>
  kind === 'dataContract' ? 'contract' : kind === 'lineage' ? `${above}Lineage` : `${kind.toLowerCase()}${n}`

/** Entities that others refer to, and what test cases need: they are made first. */
export const cast = (prefix: string): Step[] => {
  const make = (kind: string, fqn: string): Operation => ({
    do: 'upsert',
    kind,
    fqn: prefix + fqn,
    values: {},
    user: 'ann',
  })
  return [
    make('testDefinition', 'testdefinition1'),
    make('testSuite', 'testsuite1'),
    make('team', 'team1'),
    make('team', 'team2'),
    make('user', 'user1'),
    make('user', 'user2'),
    make('domain', 'domain1'),
    make('domain', 'domain2'),
    make('classification', 'classification1'),
    make('glossary', 'glossary1'),
    { do: 'wait' },
    make('tag', 'classification1.tag1'),
    make('tag', 'classification1.tag2'),
    make('glossaryTerm', 'glossary1.glossaryterm1'),
    { do: 'wait' },
  ]
}

/** What stands from the beginning, for each member that refers to others. */
const referable = (prefix: string): Readonly<Record<string, readonly Key[]>> => ({
  owners: [`team ${prefix}team1`, `user ${prefix}user1`],
  tags: [`tag ${prefix}classification1.tag1`, `glossaryTerm ${prefix}glossary1.glossaryterm1`],
  domains: [`domain ${prefix}domain1`],
})

const kindsIn: Readonly<Record<string, readonly string[]>> = {
  owners: ['team', 'user'],
  tags: ['tag', 'glossaryTerm'],
  domains: ['domain'],
}

/** The last entities in focus of these kinds: some exist, some have gone, some have come again. */
export const lastMet = ({ met }: World, kinds: readonly string[], count: number): Key[] =>
  met.filter((key) => kinds.includes(partsOf(key).kind)).slice(-count)

/** Days by which something is to be confirmed; after a start what was to be by the first of them is due. */
export const days = ['2020-01-31', '2099-06-30', '2099-12-31'] as const

const texts = ['first', 'second', 'third', 'Some **text**'] as const

/** A column, often with a tag. */
const tagged = (random: Random, column: Json, tags: readonly Key[]): Json =>
  random.chance(0.5) ? { ...(column as object), tags: random.sample([...tags], random.chance(0.8) ? 1 : 0) } : column

/** A value for a member. */
export const valueFor = (world: World, kind: string, name: string): Json => {
  const { random, prefix } = world
  const own = kindOf(kind).own?.[name]
  const { tags = [], ...others } = referable(prefix)
  if (own !== undefined) {
    const value = random.pick(own)
    const taggable = [...tags, ...lastMet(world, kindsIn['tags'] ?? [], 2)]
    return name === 'columns' ? (value as Json[]).map((each) => tagged(random, each, taggable)) : value
  }
  if (name === 'confirmBy') return random.pick(days)
  const keys = name === 'tags' ? tags : others[name]
  if (keys === undefined)
    return name === 'extension' ? { [random.pick(['a', 'b'])]: random.between(1, 3) } : random.pick(texts)
  const some = [...keys, ...lastMet(world, kindsIn[name] ?? [], 2)]
  return random.sample(some, name === 'domains' ? random.between(0, 1) : random.between(0, 2))
}

/** Some members with values; with `clearing` some of them are cleared instead. */
export const valuesFor = (world: World, kind: string, clearing: boolean): Values => {
  const { random } = world
  const names = [
    'displayName',
    'description',
    'owners',
    'tags',
    'domains',
    'extension',
    'confirmBy',
    ...Object.keys(kindOf(kind).own ?? {}),
  ]
  return Object.fromEntries(
    random
      .sample(names, random.between(0, 3))
      .map((name) => [name, clearing && random.chance(0.4) ? null : valueFor(world, kind, name)]),
  )
}
