import { randomFor } from '../support/random.ts'
import { keyOf, modelKinds } from './kinds.ts'
import { build, calm, loads, runs, rush, tides, withColumns } from './moods.ts'
import type { Kill, Step } from './operations.ts'
import { cast, nameOf, type Focus, type World } from './world.ts'

/** Ways down from a root, over every kind. */
const families: readonly (readonly string[])[] = [
  ['databaseService', 'database', 'databaseSchema', 'table', 'testCase'],
  ['databaseService', 'database', 'databaseSchema', 'table', 'dataContract'],
  ['databaseService', 'database', 'databaseSchema', 'table', 'lineage'],
  ['messagingService', 'topic', 'lineage'],
  ['dashboardService', 'dashboard', 'lineage'],
  ['databaseService', 'database', 'databaseSchema', 'storedProcedure'],
  ['messagingService', 'topic', 'dataContract'],
  ['dashboardService', 'dashboard'],
  ['dashboardService', 'chart'],
  ['pipelineService', 'pipeline'],
  ['databaseService', 'query'],
  ['mlmodelService', 'mlmodel'],
  ['storageService', 'container', 'container'],
  ['searchService', 'searchIndex'],
  ['apiService', 'apiCollection', 'apiEndpoint'],
  ['glossary', 'glossaryTerm', 'glossaryTerm'],
  ['glossary', 'glossaryTerm'],
  ['classification', 'tag', 'tag'],
  ['domain', 'domain', 'domain'],
  ['dataProduct'],
  ['team'],
  ['user'],
  ['testDefinition'],
  ['testSuite'],
]

/** Tables have elements, results and contracts: they need a whole way down, and come often. */
const ofTables = families.filter((family) => family.includes('table'))

const makeFocus = (world: World): Focus => {
  const { random, prefix } = world
  const isOfTable = random.chance(0.25)
  const family = random.pick(isOfTable ? ofTables : families)
  const first = random.chance(0.6)
    ? (world.roots += 1)
    : random.between(Math.max(2, world.roots - 2), Math.max(2, world.roots))
  const deepest = Math.max(0, family.length - 2)
  const depth = isOfTable ? deepest : Math.max(random.between(0, deepest), random.between(0, deepest))
  const path: { kind: string; fqn: string }[] = []
  for (const [level, kind] of family.slice(0, depth + 1).entries()) {
    const name = nameOf(kind, level === 0 ? first : random.between(1, 2))
    path.push({ kind, fqn: level === 0 ? prefix + name : `${path[level - 1]?.fqn}.${name}` })
  }
  const below = family[depth + 1]
  const hot = path[depth]
  const children =
    below === undefined || hot === undefined
      ? []
      : [1, 2, 3].map((n) => ({ kind: below, fqn: `${hot.fqn}.${nameOf(below, n, hot.kind)}` }))
  return { path, children: below === 'dataContract' || below === 'lineage' ? children.slice(0, 1) : children }
}

/** An episode: everything in it has names of its own, so that it can be played again anywhere. */
export const generate = (seed: string, prefix: string, count: number, kills: readonly Kill[]): Step[] => {
  const random = randomFor(seed)
  const world: World = { random, prefix, steps: cast(prefix), roots: 2, met: [], open: [] }
  while (world.steps.length < count) {
    const focus = makeFocus(world)
    for (const { kind, fqn } of [...focus.path, ...focus.children.slice(0, 1)]) world.met.push(keyOf(kind, fqn))
    const mood = random.pick(withColumns(focus) ? [calm, runs, rush, tides, loads, loads] : [calm, runs, rush, tides])
    build(world, focus, mood === rush ? 0.2 : 0.8)
    const rounds = mood === calm ? random.between(5, 25) : random.between(1, 5)
    for (let round = 0; round < rounds; round++) mood(world, focus)
  }
  const { steps } = world
  for (const kill of kills) steps.splice(random.between(20, steps.length), 0, kill)
  return steps
}

if (new Set(families.flat()).size !== Object.keys(modelKinds).length) {
  throw new Error('The generator leaves kinds of the model out.')
}

/** The same steps under other names. */
export const renamed = (steps: readonly Step[], from: string, to: string): Step[] =>
  JSON.parse(JSON.stringify(steps).replaceAll(from, to)) as Step[]
