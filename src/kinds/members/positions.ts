import type { Json, JsonObject } from '../../shared/json.ts'

const positionOf = (node: JsonObject): Json | undefined => node['ordinalPosition']

/** The first number after a position that no other node has. */
const nextFree = (last: Json | undefined, taken: ReadonlySet<Json | undefined>, own?: Json): number => {
  let next = Number(last) + 1
  while (taken.has(next) && next !== own) next++
  return next
}

/** The positions of nodes among their siblings: the given ones; each of the others follows the one before it. */
export const ordinalsIn = (nodes: readonly JsonObject[]): Json[] => {
  const taken = new Set(nodes.map(positionOf))
  let last: Json = 0
  return nodes.map((node) => {
    last = positionOf(node) ?? nextFree(last, taken)
    taken.add(last)
    return last
  })
}

/** The nodes whose position is the one that {@link ordinalsIn} gives them: nobody else need have given it. */
export const countedIn = (nodes: readonly JsonObject[]): ReadonlySet<JsonObject> => {
  const taken = new Set(nodes.map(positionOf))
  const before = [0, ...nodes.map(positionOf)]
  return new Set(nodes.filter((node, index) => positionOf(node) === nextFree(before[index], taken, positionOf(node))))
}
