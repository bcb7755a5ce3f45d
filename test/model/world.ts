import type { Random } from '../../src/seed/random.ts'
import { kindOf, type Json, type Key } from './kinds.ts'
import type { Operation, Step, Values } from './operations.ts'

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
  /** Data assets that were in focus. */
  readonly assets: Key[]
}

export const nameOf = (kind: string, n: number): string =>
  kind === 'dataContract' ? 'contract' : `${kind.toLowerCase()}${n}`

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

const referable = (prefix: string): Record<string, Key[]> => ({
  owners: [`team ${prefix}team1`, `team ${prefix}team2`, `user ${prefix}user1`, `user ${prefix}user2`],
  tags: [
    `tag ${prefix}classification1.tag1`,
    `tag ${prefix}classification1.tag2`,
    `glossaryTerm ${prefix}glossary1.glossaryterm1`,
  ],
  domains: [`domain ${prefix}domain1`, `domain ${prefix}domain2`],
})

const texts = ['first', 'second', 'third', 'Some **text**'] as const

const valueFor = ({ random, prefix }: World, kind: string, name: string): Json => {
  const own = kindOf(kind).own?.[name]
  if (own !== undefined) return random.pick(own)
  const keys = referable(prefix)[name]
  if (keys === undefined)
    return name === 'extension' ? { [random.pick(['a', 'b'])]: random.between(1, 3) } : random.pick(texts)
  return random.sample(keys, name === 'domains' ? random.between(0, 1) : random.between(0, 2))
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
    ...Object.keys(kindOf(kind).own ?? {}),
  ]
  return Object.fromEntries(
    random
      .sample(names, random.between(0, 3))
      .map((name) => [name, clearing && random.chance(0.4) ? null : valueFor(world, kind, name)]),
  )
}
