import { countIn, type EntityDocuments, type QueryPlan } from './lists.ts'
import { placesBelow, rangeBelow, type PlaceRange } from './place.ts'
import type { ListQuery, PendingNames } from './port.ts'

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const partsBeside = (range: PlaceRange, names: readonly string[]): PlaceRange[] => {
  const parts: PlaceRange[] = []
  let rest = range
  const cuts = names.map(placesBelow).toSorted((a, b) => (a.$gte < b.$gte ? -1 : 1))
  for (const { $gte, $lt } of cuts) {
    if (rest.$lt !== undefined && $gte >= rest.$lt) break
    if (rest.$gte !== undefined && $lt <= rest.$gte) continue
    if (rest.$gte === undefined || rest.$gte < $gte) parts.push({ ...rest, $lt: $gte })
    rest = { ...rest, $gte: $lt }
    if (rest.$lt !== undefined && rest.$lt <= $lt) return parts
  }
  return [...parts, rest]
}

/**
 * See {@link EntityLists.countSettled}. It is the sum of parts that exclude each other: below a pending name live and
 * deleted entities are counted together, whether they have their event or not.
 */
export const countSettled = async (
  documents: EntityDocuments,
  query: QueryPlan,
  { hidden, gone, restored }: PendingNames,
): Promise<number> => {
  const count = async (some: Partial<ListQuery>, besides: readonly string[], below: readonly string[] = []) => {
    const narrowed = { ...query, ...some, scopes: [...query.scopes, ...below] }
    if (besides.length === 0) return countIn(documents, narrowed)
    const range = rangeBelow(narrowed.scopes)
    const parts = range === undefined ? [] : partsBeside(range, besides)
    return sum(await Promise.all(parts.map((part) => countIn(documents, narrowed, part))))
  }
  if (query.include === 'all') return count({}, gone)
  const beside = count({}, [...hidden, ...restored])
  const own = restored.map((name) => count({ include: 'deleted', own: true }, hidden, [name]))
  const isLive = query.include === 'non-deleted'
  const within = isLive
    ? restored.map((name) => count({ include: 'all' }, hidden, [name]))
    : hidden.map((name) => count({ include: 'all' }, gone, [name]))
  const sums = await Promise.all([beside, ...within])
  return sum(sums) + (isLive ? -1 : 1) * sum(await Promise.all(own))
}
