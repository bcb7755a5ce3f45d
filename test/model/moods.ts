import { keyOf, kindOf, modelKinds, parentOf } from './kinds.ts'
import { productLists, type Item, type Operation, type Values } from './operations.ts'
import { days, lastMet, nameOf, valueFor, valuesFor, type Focus, type Place, type World } from './world.ts'

const users = ['ann', 'bob', 'cid', 'dee', 'eve', 'fay'] as const

const asSomebody = ({ random }: World): { user: string } => ({ user: random.pick(users) })

/** A request that brings an entity into being, or back. */
const makingOf = (world: World, at: Place, how: 'create' | 'upsert'): Operation =>
  at.kind === 'lineage' ? stateOf(world, at) : { do: how, ...at, values: {}, ...asSomebody(world) }

const upsertOf = (world: World, at: Place): Operation => makingOf(world, at, 'upsert')

/** Upstreams of which some exist and some have gone; often the same as before. */
const stateOf = (world: World, at: Place): Operation => {
  const { random } = world
  const met = new Set(lastMet(world, fedKinds, 6))
  const others = [...met].filter((key) => key !== parentOf(keyOf(at.kind, at.fqn)))
  const edges = random.sample(others, random.between(0, 2)).map((from) => ({
    from,
    ...(random.chance(0.3) && { sql: random.pick(['select 1', 'select 2']) }),
  }))
  return { do: 'state', ...at, source: random.pick(['manual', 'dbt']), edges, ...asSomebody(world) }
}

/** Kinds of assets that others come from. */
const fedKinds = ['table', 'topic', 'dashboard', 'chart', 'pipeline', 'mlmodel', 'container', 'searchIndex']

/** Brings the path into being, or back, and a few children. */
export const build = (world: World, { path, children }: Focus, share: number): void => {
  for (const at of path) world.steps.push(upsertOf(world, at), { do: 'wait' })
  for (const at of children) if (world.random.chance(share)) world.steps.push(upsertOf(world, at))
}

/** Brings back one of those that are missing, if any is. */
const revive = (world: World, { path }: Focus): void => {
  if (world.random.chance(0.3)) world.steps.push(upsertOf(world, world.random.pick(path)))
}

const changeOf = (world: World, at: Place): Operation => {
  const { random } = world
  if (at.kind === 'lineage') return stateOf(world, at)
  const seen = random.chance(0.1) ? { ifSeen: true } : {}
  const merge = random.chance(0.7)
  switch (random.pick(['create', 'upsert', 'upsert', 'upsert', 'patch', 'patch', 'patch', 'revert'] as const)) {
    case 'create':
      return { do: 'create', ...at, values: valuesFor(world, at.kind, false), ...asSomebody(world) }
    case 'upsert':
      return { do: 'upsert', ...at, values: valuesFor(world, at.kind, true), ...asSomebody(world), ...seen }
    case 'revert':
      return { do: 'revert', ...at, version: random.between(1, 6), ...asSomebody(world), ...seen }
    case 'patch':
      return { do: 'patch', ...at, merge, values: valuesFor(world, at.kind, merge), ...asSomebody(world), ...seen }
  }
}

const socialOf = (world: World, at: Place): Operation => {
  const { random, prefix } = world
  if (at.kind === 'dataProduct' && random.chance(0.5) && lastMet(world, assetKinds, 1).length > 0)
    return assetsOf(world, at)
  if (at.kind === 'testCase' && random.chance(0.5)) return resultOf(world, at)
  if (at.kind !== 'lineage' && random.chance(0.15)) {
    const next = random.pick([{}, ...days.map((confirmBy) => ({ confirmBy }))])
    return { do: 'confirm', ...at, ...next, ...asSomebody(world) }
  }
  if (kindOf(at.kind).social !== true) return changeOf(world, at)
  const follower = random.pick([`${prefix}user1`, `${prefix}user2`, `${prefix}user3`])
  const vote = random.pick(['votedUp', 'votedDown', 'unVoted'] as const)
  return random.chance(0.6)
    ? { do: 'vote', ...at, vote, ...asSomebody(world) }
    : { do: random.pick(['follow', 'unfollow'] as const), ...at, follower, ...asSomebody(world) }
}

/** Results of few moments: they come in any order, are told again, and correct one another. */
const resultOf = (world: World, at: Place): Operation => {
  const { random } = world
  const status = random.pick(['Success', 'Failed', 'Aborted'] as const)
  return { do: 'result', ...at, status, timestamp: 1_790_000_000_000 + random.between(1, 12), ...asSomebody(world) }
}

const assetKinds = Object.keys(modelKinds).filter((kind) => kindOf(kind).social === true && kindOf(kind).bulk === true)

/** Assets of which some exist and some have gone. */
const assetsOf = (world: World, at: Place): Operation => {
  const { random } = world
  const list = random.pick(productLists)
  const some = random.sample(lastMet(world, assetKinds, 8), random.between(1, 2))
  return { do: 'assets', ...at, list, add: random.chance(0.7), assets: some, ...asSomebody(world) }
}

const readOf = (world: World, at: Place): Operation => {
  const { random } = world
  const include = random.pick(['all', 'deleted', 'non-deleted', 'non-deleted'] as const)
  const { filter } = kindOf(at.kind)
  const parts = at.fqn.split('.')
  if (filter === undefined || parts.length === 1 || random.chance(0.6))
    return { do: 'get', ...at, include, ...asSomebody(world) }
  const fqn = filter.by === 'root' ? (parts[0] as string) : parts.slice(0, -1).join('.')
  return { do: 'list', kind: at.kind, fqn, include, ...asSomebody(world) }
}

const deleteOf = (world: World, at: Place): Operation => {
  const { random } = world
  const how = { hard: random.chance(0.3), recursive: random.chance(0.5) }
  return { do: 'delete', ...at, ...how, ...asSomebody(world), ...(random.chance(0.05) && { ifSeen: true }) }
}

const bulkOf = (world: World, parent: Place, kind: string, count: number): Operation => {
  const { random } = world
  const items: Item[] = Array.from({ length: count }, (_, index) => ({
    fqn: `${parent.fqn}.${nameOf(kind, index + 1)}`,
    values: valuesFor(world, kind, false),
  }))
  return { do: 'bulk', kind, items, ...asSomebody(world), ...(random.chance(0.3) && { ifSeen: true }) }
}

const proposedIn = ({ random }: World): Values => ({
  [random.pick(['displayName', 'description'])]: random.pick([null, 'proposed', 'proposed otherwise']),
})

const propose = (world: World, at: Place): void => {
  const { steps, open } = world
  if (at.kind === 'lineage' || at.kind === 'user') return
  const step = { do: 'propose', ...at, slot: steps.length, values: proposedIn(world), ...asSomebody(world) } as const
  steps.push(step)
  open.push(step)
}

/** Decides on the proposal that has waited longest, sometimes twice at once. */
const decide = (world: World): void => {
  const { random, steps, open } = world
  const proposal = open.shift()
  for (let times = random.chance(0.3) ? 2 : 1; proposal !== undefined && times > 0; times--) {
    const how = random.pick(['accept', 'accept', 'amend', 'refuse'] as const)
    const amended = how === 'amend' && { values: proposedIn(world) }
    steps.push({ ...proposal, do: how, ...amended, ...asSomebody(world) })
  }
}

/** Reads, changes, votes: what a catalog sees on most days. */
export const calm = (world: World, focus: Focus): void => {
  const { random } = world
  const { path, children } = focus
  const at = random.pick([...path.slice(-2), ...children])
  const often = [changeOf, changeOf, socialOf, readOf]
  const make = random.pick([...often, ...often, ...often, deleteOf])
  world.steps.push(make(world, at))
  if (random.chance(0.1)) revive(world, focus)
  if (random.chance(0.25)) propose(world, at)
  if (random.chance(0.25)) decide(world)
  if (random.chance(0.05)) world.steps.push({ do: 'restore', ...at, ...asSomebody(world) })
}

/** Tests run, and what they test goes and comes. */
export const runs = (world: World, focus: Focus): void => {
  const { random } = world
  const tests = focus.children.filter(({ kind }) => kind === 'testCase')
  if (tests.length === 0) return calm(world, focus)
  const at = random.pick(tests)
  if (random.chance(0.5)) world.steps.push(upsertOf(world, at))
  for (let count = random.between(1, 5); count > 0; count--) world.steps.push(resultOf(world, at))
  if (random.chance(0.2)) tides(world, focus)
  if (random.chance(0.3)) world.steps.push(changeOf(world, at), readOf(world, at))
}

/** The entity of a neighbourhood that has columns. */
export const withColumns = ({ path, children }: Focus): Place | undefined =>
  [...path, ...children].find(({ kind }) => kindOf(kind).own?.['columns'] !== undefined)

/** Loaders say again which columns there are, while stewards describe and tag them. */
export const loads = (world: World, focus: Focus): void => {
  const { random, steps } = world
  const at = withColumns(focus)
  if (at === undefined) return calm(world, focus)
  const values = (): Values => ({ columns: valueFor(world, at.kind, 'columns') })
  steps.push({ do: 'patch', ...at, merge: true, values: values(), ...asSomebody(world) })
  for (let times = random.between(1, 2); times > 0; times--)
    steps.push({ do: 'upsert', ...at, values: values(), ...asSomebody(world) })
  if (random.chance(0.7)) return
  steps.push({ do: 'delete', ...at, hard: false, recursive: true, ...asSomebody(world) }, { do: 'wait' })
  steps.push({ do: 'upsert', ...at, values: values(), ...asSomebody(world) })
}

/** Children come while their parent goes, behind a queue of votes. */
export const rush = (world: World, focus: Focus): void => {
  const { random } = world
  const { path, children } = focus
  const hot = path.at(-1) as Place
  world.steps.push(upsertOf(world, hot), { do: 'wait' })
  const votes = kindOf(hot.kind).social === true ? random.between(0, 6) : 0
  for (let count = 0; count < votes; count++)
    world.steps.push({ do: 'vote', ...hot, vote: random.pick(['votedUp', 'votedDown'] as const), ...asSomebody(world) })
  const going = deleteOf(world, hot)
  const coming = children.map((at) => makingOf(world, at, random.pick(['create', 'upsert'] as const)))
  const place = random.between(0, coming.length)
  world.steps.push(...coming.slice(0, place), going, ...coming.slice(place))
  if (random.chance(0.5)) world.steps.push({ do: 'restore', ...hot, ...asSomebody(world) })
}

/** A subtree goes and comes while parts of it go and come. */
export const tides = (world: World, focus: Focus): void => {
  const { random } = world
  const { path, children } = focus
  const hot = path.at(-1) as Place
  const child = children[0]
  revive(world, focus)
  if (child !== undefined && kindOf(child.kind).bulk === true && random.chance(0.4))
    world.steps.push(bulkOf(world, hot, child.kind, random.chance(0.05) ? 600 : random.between(3, 60)))
  const somewhere = (): Place => random.pick([...path, hot, ...children.slice(0, 1)])
  for (let turn = 0; turn < 3; turn++) {
    const going = {
      do: 'delete',
      hard: random.chance(0.05),
      recursive: random.chance(0.9),
      ...somewhere(),
      ...asSomebody(world),
    } as const
    world.steps.push(going)
    const coming: Operation = {
      do: 'restore',
      ...(random.chance(0.7) ? { kind: going.kind, fqn: going.fqn } : somewhere()),
      ...asSomebody(world),
    }
    if (random.chance(0.8)) world.steps.push(coming)
  }
}
