import type { Hiding, ListQuery } from './port.ts'

type Count = (query: ListQuery) => number

/** {@link EntityLists.countSettled} for stores that keep totals by name and read several at one moment. */
export const settledTotal = (count: Count, query: ListQuery, { hidden, gone }: Hiding): number => {
  const whole = { ...query, limit: 0, after: undefined, before: undefined }
  const below = (include: ListQuery['include'], names: readonly string[]): number =>
    names.reduce((total, name) => total + count({ ...whole, include, scopes: [...query.scopes, name] }), 0)
  const all = count(whole)
  const { include } = query
  if (include !== 'deleted') return all - below(include, include === 'all' ? gone : hidden)
  return all - below('deleted', gone) + below('non-deleted', hidden) - below('non-deleted', gone)
}
