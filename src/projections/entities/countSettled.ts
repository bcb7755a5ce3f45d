import { countIn, type EntityDocuments, type QueryPlan } from './lists.ts'
import { placesBelow, rangeBelow, type PlaceRange } from './place.ts'
import type { ListQuery, PendingNames } from './port.ts'

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

type Count = (query: Partial<ListQuery>, besides?: readonly string[], below?: string) => Promise<number>

/** What is added or taken away, of everything or below a name. */
type Term = readonly [sign: 1 | -1, asked: Partial<ListQuery>, below?: string]

/** From totals by name: all are read at one moment. */
const fromTotals = async (
  count: Count,
  include: ListQuery['include'],
  { hidden, gone, restored }: PendingNames,
): Promise<number> => {
  const followed = (names: readonly string[], sign: 1 | -1): Term[] =>
    names.flatMap((name): Term[] => [
      [sign, { include: 'deleted' }, name],
      [sign === 1 ? -1 : 1, { include: 'deleted', own: true }, name],
    ])
  const inside = hidden.filter((name) => restored.some((above) => name.startsWith(`${above}.`)))
  const all: Term[] = [[1, { include: 'all' }], ...gone.map((name): Term => [-1, { include: 'all' }, name])]
  const live: Term[] = [
    [1, { include: 'non-deleted' }],
    ...hidden.map((name): Term => [-1, { include: 'non-deleted' }, name]),
    ...followed(restored, 1),
    ...followed(inside, -1),
  ]
  const without = live.map(([sign, ...rest]): Term => [sign === 1 ? -1 : 1, ...rest])
  const terms = { all, 'non-deleted': live, deleted: [...all, ...without] }[include]
  return sum(await Promise.all(terms.map(async ([sign, narrowed, below]) => sign * (await count(narrowed, [], below)))))
}

/** From parts that exclude each other: below a pending name live and deleted entities are counted together. */
const fromParts = async (count: Count, include: ListQuery['include'], names: PendingNames): Promise<number> => {
  const { hidden, gone, restored } = names
  if (include === 'all') return count({}, gone)
  const own = restored.map((name) => count({ include: 'deleted', own: true }, hidden, name))
  const beside = count({}, [...hidden, ...restored])
  if (include === 'deleted') {
    const below = hidden.map((name) => count({ include: 'all' }, gone, name))
    return sum(await Promise.all([beside, ...below, ...own]))
  }
  const back = restored.map((name) => count({ include: 'all' }, hidden, name))
  return sum(await Promise.all([beside, ...back])) - sum(await Promise.all(own))
}

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

/** See {@link EntityLists.countSettled}. */
export const countSettled = async (
  documents: EntityDocuments,
  query: QueryPlan,
  names: PendingNames,
): Promise<number> => {
  const count: Count = async (some, besides = [], below) => {
    const narrowed = { ...query, ...some, scopes: below === undefined ? query.scopes : [...query.scopes, below] }
    const range = rangeBelow(narrowed.scopes)
    const parts = range === undefined ? [] : partsBeside(range, besides)
    return sum(await Promise.all(parts.map((part) => countIn(documents, narrowed, part))))
  }
  return (documents.embedded ? fromTotals : fromParts)(count, query.include, names)
}
