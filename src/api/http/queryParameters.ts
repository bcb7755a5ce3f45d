import { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { buildFqn, splitFqn } from '../../kinds/names.ts'
import { problemsOf } from '../../kinds/request/zodProblems.ts'
import { readInstant } from '../../shared/instant.ts'
import { didYouMean, unknownNames } from '../../shared/nearest.ts'
import type { Parameter, Route } from './route.ts'

/** The parameters of a query, as they were sent. Each is as its route declares it: {@link readParameter} reads it. */
export type SentQuery = ReadonlyMap<string, string>

/** Reads the query of a request. @throws DomainError `invalid` that names every wrong parameter */
export type ReadQuery = (search: string) => SentQuery

/** The error for a wrong query parameter. */
export const badQuery = (name: string, message: string) => invalid([{ path: `?${name}`, message }])

const none: SentQuery = new Map()

/** A name that is safe to show in an answer. */
const shown = (name: string): string => (/^[\w.-]{1,100}$/.test(name) ? name : encodeURIComponent(name).slice(0, 100))

const unknown = (name: string, known: readonly string[]): Problem => {
  const hint = didYouMean(name, known) || `; known are ${known.join(', ') || 'none'}`
  return { path: `?${shown(name)}`, message: `is no parameter of this operation${hint}` }
}

/** The JSON value that a text stands for. */
const valueOf = (schema: z.ZodType, text: string): unknown => {
  const own = schema instanceof z.ZodDefault ? schema.unwrap() : schema
  if (own instanceof z.ZodNumber) return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (own instanceof z.ZodBoolean) return ['true', '', 'false'].includes(text) ? text !== 'false' : text
  return text
}

const problemsIn = ({ name, schema, required = false }: Parameter, query: SentQuery): Problem[] => {
  const text = query.get(name)
  if (text === undefined) return required ? [{ path: `?${name}`, message: 'is required' }] : []
  const value = valueOf(schema, text)
  const { error } = schema.safeParse(value)
  return error === undefined ? [] : problemsOf(error, value, { path: `?${name}` })
}

/**
 * Makes the reader of a route's query. Unknown parameters are refused, since a misspelt filter would otherwise return
 * everything. Open routes accept any.
 */
export const makeReadQuery = ({ parameters = [], permission }: Pick<Route, 'parameters' | 'permission'>): ReadQuery => {
  const open = permission === 'open'
  const declared = parameters.filter((parameter) => parameter.in === 'query')
  const names = declared.map(({ name }) => name)
  const known = new Set(names)
  const needsSome = declared.some(({ required }) => required)
  return (search) => {
    if (search === '' && !needsSome) return none
    const query = new Map<string, string>()
    const problems: Problem[] = []
    for (const [name, value] of new URLSearchParams(search)) {
      if (!known.has(name) && !open) problems.push(unknown(name, names))
      else if (query.has(name) && !open) problems.push({ path: `?${name}`, message: 'is given more than once' })
      else if (value.includes('\0')) problems.push({ path: `?${name}`, message: 'must not hold NUL' })
      query.set(name, value)
      if (problems.length === mostProblems) break
    }
    if (problems.length === 0) for (const one of declared) problems.push(...problemsIn(one, query))
    if (problems.length > 0) throw invalid(problems)
    return query
  }
}

const mostProblems = 20

type Given<S extends z.ZodType> = S extends z.ZodDefault ? z.output<S> : z.output<S> | undefined

/** The value of a declared parameter; its default, if it is not sent. */
export const readParameter = <S extends z.ZodType>(query: SentQuery, { name, schema }: Parameter<S>): Given<S> => {
  const text = query.get(name)
  const value = text === undefined ? undefined : valueOf(schema, text)
  return (value === undefined && !(schema instanceof z.ZodDefault) ? undefined : schema.parse(value)) as Given<S>
}

/** Whether a declared boolean parameter is true. */
export const readFlag = (query: SentQuery, name: string): boolean => ['true', ''].includes(query.get(name) ?? 'false')

/** Some of these names, separated by commas. */
export const someOf = <Name extends string>(known: readonly Name[]) =>
  z.string().transform((text, context): Name[] => {
    const names = text.split(',').flatMap((name) => name.trim() || [])
    const problem = unknownNames(names, known)
    if (problem !== undefined) context.addIssue(problem)
    return [...new Set(names as Name[])]
  })

/** A fully qualified name, read in canonical quoting. */
export const fqnText = z.string().transform((text, context) => {
  const parts = splitFqn(text)
  if (parts === undefined) context.addIssue('is no fully qualified name')
  return buildFqn(parts ?? [])
})

/** An ISO 8601 instant, read as epoch milliseconds. */
export const instantText = z.string().transform((text, context) => {
  const time = readInstant(text)
  if (Number.isNaN(time)) context.addIssue('must be an ISO 8601 instant')
  return time
})
