import { kindOf } from './kinds.ts'
import type { Item, Operation } from './operations.ts'
import { nameOf, valuesFor, type Focus, type Place, type World } from './world.ts'

const users = ['ann', 'bob', 'cid', 'dee', 'eve', 'fay'] as const

const asSomebody = ({ random }: World): { user: string } => ({ user: random.pick(users) })

/** Brings the path into being, or back. */
export const build = (world: World, { path }: Focus): void => {
  for (const at of path) world.steps.push({ do: 'upsert', ...at, values: {}, ...asSomebody(world) })
}

const changeOf = (world: World, at: Place): Operation => {
  const { random } = world
  const seen = random.chance(0.1) ? { ifSeen: true } : {}
  const merge = random.chance(0.7)
  switch (random.pick(['create', 'upsert', 'upsert', 'patch', 'patch', 'patch'] as const)) {
    case 'create':
      return { do: 'create', ...at, values: valuesFor(world, at.kind, false), ...asSomebody(world) }
    case 'upsert':
      return { do: 'upsert', ...at, values: valuesFor(world, at.kind, true), ...asSomebody(world), ...seen }
    case 'patch':
      return { do: 'patch', ...at, merge, values: valuesFor(world, at.kind, merge), ...asSomebody(world), ...seen }
  }
}

const socialOf = (world: World, at: Place): Operation => {
  const { random, prefix } = world
  if (at.kind === 'dataProduct' && random.chance(0.5)) return assetsOf(world, at)
  if (kindOf(at.kind).social !== true) return changeOf(world, at)
  const follower = random.pick([`${prefix}user1`, `${prefix}user2`, `${prefix}user3`])
  const vote = random.pick(['votedUp', 'votedDown', 'unVoted'] as const)
  return random.chance(0.6)
    ? { do: 'vote', ...at, vote, ...asSomebody(world) }
    : { do: random.pick(['follow', 'unfollow'] as const), ...at, follower, ...asSomebody(world) }
}

/** Assets of the last roots: some of them exist. */
const assetsOf = (world: World, at: Place): Operation => {
  const { random, prefix } = world
  const n = random.between(1, world.roots)
  const assets = [
    `database ${prefix}databaseservice${n}.database1`,
    `topic ${prefix}messagingservice${n}.topic1`,
    `glossary ${prefix}glossary1`,
  ].slice(0, 2)
  const list = random.pick(['assets', 'inputPorts', 'outputPorts'] as const)
  return { do: 'assets', ...at, list, add: random.chance(0.7), assets: random.sample(assets, 1), ...asSomebody(world) }
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
  const items: Item[] = Array.from({ length: count }, (_, index) => ({
    fqn: `${parent.fqn}.${nameOf(kind, index + 1)}`,
    values: valuesFor(world, kind, false),
  }))
  return { do: 'bulk', kind, items, ...asSomebody(world) }
}

/** Reads, changes, votes: what a catalog sees on most days. */
export const calm = (world: World, { path, children }: Focus): void => {
  const { random } = world
  const at = random.pick([...path.slice(-2), ...children])
  const make = random.pick([changeOf, changeOf, changeOf, socialOf, readOf, readOf, deleteOf])
  world.steps.push(make(world, at))
  if (random.chance(0.1)) world.steps.push({ do: 'restore', ...at, ...asSomebody(world) })
}

/** Children come while their parent goes, behind a queue of votes. */
export const rush = (world: World, { path, children }: Focus): void => {
  const { random } = world
  const hot = path.at(-1) as Place
  const votes = kindOf(hot.kind).social === true ? random.between(0, 6) : 0
  for (let count = 0; count < votes; count++)
    world.steps.push({ do: 'vote', ...hot, vote: random.pick(['votedUp', 'votedDown'] as const), ...asSomebody(world) })
  const going = deleteOf(world, hot)
  const coming = children.map((at): Operation => ({ do: 'create', ...at, values: {}, ...asSomebody(world) }))
  const place = random.between(0, coming.length)
  world.steps.push(...coming.slice(0, place), going, ...coming.slice(place))
  if (random.chance(0.5)) world.steps.push({ do: 'restore', ...hot, ...asSomebody(world) })
}

/** A subtree goes and comes while parts of it go and come. */
export const tides = (world: World, { path, children }: Focus): void => {
  const { random } = world
  const hot = path.at(-1) as Place
  const child = children[0]
  if (child !== undefined && kindOf(child.kind).bulk === true && random.chance(0.4))
    world.steps.push(bulkOf(world, hot, child.kind, random.between(3, 60)))
  for (const at of random.sample([...path, ...path, ...children.slice(0, 1)], 4)) {
    const going = { do: 'delete', hard: random.chance(0.05), recursive: random.chance(0.9), ...at } as const
    world.steps.push(
      random.chance(0.5) ? { ...going, ...asSomebody(world) } : { do: 'restore', ...at, ...asSomebody(world) },
    )
  }
}
