import type { ListQuery, PendingNames } from './port.ts'

type Count = (query: ListQuery) => number

/** {@link EntityLists.countSettled} for stores with totals by name that can be read together. */
export const settledTotal = (count: Count, query: ListQuery, { hidden, gone, restored }: PendingNames): number => {
  const whole = { ...query, limit: 0, after: undefined, before: undefined }
  const within = (asked: Partial<ListQuery>, names: readonly string[]): number =>
    names.reduce((total, name) => total + count({ ...whole, ...asked, scopes: [...query.scopes, name] }), 0)
  const followed = (names: readonly string[]): number =>
    within({ include: 'deleted' }, names) - within({ include: 'deleted', own: true }, names)
  const all = (): number => count({ ...whole, include: 'all' }) - within({ include: 'all' }, gone)
  const inside = hidden.filter((name) => restored.some((above) => name.startsWith(`${above}.`)))
  const live = (): number =>
    count({ ...whole, include: 'non-deleted' }) -
    within({ include: 'non-deleted' }, hidden) +
    followed(restored) -
    followed(inside)
  if (query.include === 'all') return all()
  return query.include === 'non-deleted' ? live() : all() - live()
}
