import { ancestorFqns } from '../../kinds/names.ts'
import { countIn, type EntityDocuments, type QueryPlan } from './lists.ts'
import type { ListQuery, PendingNames } from './port.ts'

const sum = async (counts: readonly Promise<number>[]): Promise<number> =>
  (await Promise.all(counts)).reduce((total, count) => total + count, 0)

/** Those that are below no other one. */
const outermost = (names: readonly string[]): string[] => {
  const all = new Set(names)
  return [...all].filter((name) => !ancestorFqns(name).some((above) => all.has(above)))
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
    const countBelow = (names: readonly string[]) =>
      countIn(documents, { ...query, ...some, scopes: [...query.scopes, ...below, ...names] })
    const [all, others] = [countBelow([]), sum(outermost(besides).map((name) => countBelow([name])))]
    return (await all) - (await others)
  }
  if (query.include === 'all') return count({}, gone)
  const beside = count({}, [...hidden, ...restored])
  const own = restored.map((name) => count({ include: 'deleted', own: true }, hidden, [name]))
  const isLive = query.include === 'non-deleted'
  const within = isLive
    ? restored.map((name) => count({ include: 'all' }, hidden, [name]))
    : hidden.map((name) => count({ include: 'all' }, gone, [name]))
  return (await sum([beside, ...within])) + (isLive ? -1 : 1) * (await sum(own))
}
