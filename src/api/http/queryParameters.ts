import { invalid } from '../../commands/errors.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { didYouMean } from '../../shared/nearest.ts'
import type { Route } from './route.ts'

/** Reads the query of a request. @throws DomainError `invalid` that names every wrong parameter */
export type ReadQuery = (search: string) => ReadonlyMap<string, string>

/** The error for a wrong query parameter. */
export const badQuery = (name: string, message: string) => invalid([{ path: `?${name}`, message }])

const none: ReadonlyMap<string, string> = new Map()

/** A name that is safe to show in an answer. */
const shown = (name: string): string => (/^[\w.-]{1,100}$/.test(name) ? name : encodeURIComponent(name).slice(0, 100))

const unknown = (name: string, known: readonly string[]): Problem => {
  const hint = didYouMean(name, known) || `; known are ${known.join(', ') || 'none'}`
  return { path: `?${shown(name)}`, message: `is no parameter of this operation${hint}` }
}

/**
 * Makes the reader of a route's query. Unknown parameters are refused, since a misspelt filter would otherwise return
 * everything. Open routes accept any.
 */
export const makeReadQuery = ({ parameters = [], permission }: Pick<Route, 'parameters' | 'permission'>): ReadQuery => {
  const open = permission === 'open'
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const known = new Set(names)
  return (search) => {
    if (search === '') return none
    const query = new Map<string, string>()
    const problems: Problem[] = []
    for (const [name, value] of new URLSearchParams(search)) {
      if (!known.has(name) && !open) problems.push(unknown(name, names))
      else if (query.has(name) && !open) problems.push({ path: `?${name}`, message: 'is given more than once' })
      else if (value.includes('\0')) problems.push({ path: `?${name}`, message: 'must not hold NUL' })
      query.set(name, value)
      if (problems.length === mostProblems) break
    }
    if (problems.length > 0) throw invalid(problems)
    return query
  }
}

const mostProblems = 20

/** Reads a boolean query parameter that is false when absent. @throws DomainError `invalid` */
export const readFlag = (query: ReadonlyMap<string, string>, name: string): boolean => {
  const text = query.get(name) ?? 'false'
  if (text === 'true' || text === '') return true
  if (text === 'false') return false
  throw badQuery(name, 'must be true or false')
}

/** Reads a whole number between both, inclusive. @throws DomainError `invalid` */
export const readNumber = (
  query: ReadonlyMap<string, string>,
  name: string,
  low: number,
  high: number,
  fallback: number,
): number => {
  const text = query.get(name)
  if (text === undefined) return fallback
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= low && number <= high)) throw badQuery(name, `must be a whole number from ${low} to ${high}`)
  return number
}

/** Reads a whole number from 0 to `max`. @throws DomainError `invalid` */
export const readCount = (query: ReadonlyMap<string, string>, name: string, fallback: number, max: number): number =>
  readNumber(query, name, 0, max, fallback)
