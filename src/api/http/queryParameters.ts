import { hash } from 'node:crypto'
import { z } from 'zod'
import { invalid, invalidAt } from '../../commands/errors.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { isUuid, readFqn } from '../../kinds/names.ts'
import { problemsOf } from '../../kinds/request/zodProblems.ts'
import type { ListKey, ListPage } from '../../projections/entities/port.ts'
import type { SearchPlace } from '../../projections/search/port.ts'
import { maxHits } from '../../projections/search/rank.ts'
import { readInstant } from '../../shared/instant.ts'
import { limits } from '../../shared/limits.ts'
import { didYouMean, unknownNames } from '../../shared/nearest.ts'
import { filledText, type ApiRequest, type Parameter, type Route } from './route.ts'

/** The parameters of a query, as they were sent. Each is as its route declares it: {@link readParameter} reads it. */
export type SentQuery = ReadonlyMap<string, string>

/** Reads the query of a request. @throws DomainError `invalid` that names every wrong parameter */
type ReadQuery = (search: string) => SentQuery

/** The error for a wrong query parameter. */
export const badQuery = (name: string, message: string) => invalidAt(`?${name}`, message)

const none: SentQuery = new Map()

/** A name that is safe to show in an answer. */
const safeName = (name: string): string =>
  /^[\w.-]{1,100}$/.test(name) ? name : encodeURIComponent(name).slice(0, 100)

const unknown = (name: string, known: readonly string[]): Problem => {
  const hint = didYouMean(name, known) || (known.length > 0 ? `; known are ${known.join(', ')}` : ', which has none')
  return { path: `?${safeName(name)}`, message: `is not a parameter of this operation${hint}` }
}

/** The JSON value that a text stands for. */
const valueOf = (schema: z.ZodType, text: string): unknown => {
  const own = schema instanceof z.ZodDefault ? schema.unwrap() : schema
  if (own instanceof z.ZodNumber) return /^(?!-0+$)-?\d{1,15}(\.\d*[1-9])?$/.test(text) ? Number(text) : text
  if (own instanceof z.ZodBoolean) return ['true', 'false'].includes(text) ? text === 'true' : text
  return text
}

const problemsIn = ({ name, schema, required = false }: Parameter, query: SentQuery): Problem[] => {
  const text = query.get(name)
  if (text === undefined) return required ? [{ path: `?${name}`, message: 'is required' }] : []
  const value = valueOf(schema, text)
  const { error } = schema.safeParse(value)
  if (error === undefined) return []
  const problems = problemsOf(error, value, { path: `?${name}` })
  if (text !== '' || required) return problems
  return problems.map(({ path, message }) => ({ path, message: `${message}: give a value or leave it out` }))
}

/** Whether all percent escapes of a part of a URL are UTF-8. */
export const isDecodable = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
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
    if (!open && !isDecodable(search)) problems.push({ path: '?', message: 'holds a percent escape that is not UTF-8' })
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
export const readFlag = (query: SentQuery, name: string): boolean => query.get(name) === 'true'

/** Names as one parameter has them, each once. @param divide gives the names in its text; default: between commas */
export const namesText = (divide = (text: string): readonly string[] => text.split(',')) =>
  z.string().transform((text, context): string[] => {
    const names = [...new Set(divide(text).flatMap((name) => name.trim() || []))]
    const most = limits.names.value
    if (names.length > most) context.addIssue(`must have at most ${most} names and has ${names.length}`)
    return names
  })

/** Names that select something: at least one. */
export const selectedNames = (divide?: (text: string) => readonly string[]) =>
  namesText(divide).refine((names) => names.length > 0, 'must have a name')

/** Some of these names, separated by commas. */
export const someOf = <Name extends string>(known: readonly Name[]) =>
  namesText().transform((names, context): Name[] => {
    const problem = unknownNames(names, known)
    if (problem !== undefined) context.addIssue(problem)
    return names as Name[]
  })

/** The id of an entity, also one that stands for a name that the caller may not know. */
export const idText = z.string().refine(isUuid, 'must be a UUID').meta({ format: 'uuid' })

/** A fully qualified name, read in canonical quoting. */
export const fqnText = filledText.max(limits.fqn.value).transform((text, context) => {
  const fqn = readFqn(text)
  if (fqn === undefined) context.addIssue('is not a fully qualified name')
  return fqn ?? ''
})

/** As {@link readInstant}; the `+` of an offset arrives as a blank if it was not encoded. */
export const readSentInstant = (text: string): number => readInstant(text.replace(/ (?=\d\d:?\d\d$)/, '+'))

/** An ISO 8601 instant, read as epoch milliseconds. */
export const instantText = z.string().transform((text, context) => {
  const time = readSentInstant(text)
  if (Number.isNaN(time)) context.addIssue('must be an ISO 8601 instant')
  return time
})

/** The largest limit of a page that is made at once, beside others. */
export const shortPage = 100

interface PageRequest<Key> {
  readonly limit: number
  readonly after: Key | undefined
  readonly before: Key | undefined
  /** Makes an opaque cursor that is valid only for this list with its filters. */
  readonly cursorAt: (key: Key) => string
}

/** Parameters that change only how a list is shown, and so may differ from page to page. */
const presentation = new Set(['limit', 'after', 'before', 'fields', 'snapshot', 'columns', 'proof'])

type PagedRequest = Pick<ApiRequest, 'route' | 'params'> & { readonly query: SentQuery }

/** Reads `limit`, `after` and `before` of a list whose cursors hold such keys. @throws DomainError `invalid` */
export const readPage = <Key>({ route, params, query }: PagedRequest, key: z.ZodType<Key>): PageRequest<Key> => {
  const scope = JSON.stringify([route, params, [...query].filter(([name]) => !presentation.has(name)).toSorted()])
  const signed = (payload: string): string =>
    `${payload}.${hash('sha256', `${scope}\n${payload}`, 'base64url').slice(0, 12)}`
  const read = (name: string): Key | undefined => {
    const cursor = query.get(name)
    if (cursor === undefined) return undefined
    const [payload = ''] = cursor.split('.', 1)
    // Anybody can compute a checksum.
    const { data } = key.safeParse(cursor === signed(payload) ? jsonIn(payload) : undefined)
    if (data !== undefined) return data
    throw badQuery(
      name,
      'is not a cursor of this list: start again, and use the cursors of its answers as they are, with the same filters',
    )
  }
  if (query.has('after') && query.has('before')) throw badQuery('before', 'give either before or after, not both')
  const cursorAt = (at: Key) => signed(Buffer.from(JSON.stringify(z.encode(key, at))).toString('base64url'))
  return { limit: Number(query.get('limit') ?? 10), after: read('after'), before: read('before'), cursorAt }
}

const jsonIn = (payload: string): unknown => {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** The key of a list by position, revision or offset: text of a number that no store refuses. */
export const numberKey = z.codec(z.stringFormat('integer', /^-?\d{1,18}$/), z.bigint(), {
  decode: BigInt,
  encode: String,
})

/** By relevance as many hits are found as match, and as many that are spelt similarly. */
const hitOffset = z
  .int()
  .min(0)
  .max(maxHits * 2)

/** The key of a list that is sorted otherwise, or by relevance. */
export const searchKey: z.ZodType<SearchPlace> = z.union([
  z.object({
    from: z.literal(0),
    after: z.union([z.tuple([z.string()]), z.tuple([z.union([z.string(), z.number()]), z.string()])]),
  }),
  z.object({ from: hitOffset }),
])

/** The key of a list by name, and the position of a list of the past. */
export const listKey = z.object({ fullyQualifiedName: z.string(), id: z.string(), position: numberKey.optional() })

type CursorKey = z.output<typeof listKey>

/** The `paging` object of an answer. @param position stored in the cursors of a list of one moment */
export const pagingOf = (
  page: Pick<ListPage, 'total' | 'hasAfter' | 'hasBefore'> & { readonly rows: readonly ListKey[] },
  cursorAt: (key: CursorKey) => string,
  position?: bigint,
): { total: number; before?: string; after?: string; asOf?: string } => {
  const [first, last] = [page.rows[0], page.rows.at(-1)]
  return {
    total: page.total,
    ...(page.hasBefore && first && { before: cursorAt({ ...first, position }) }),
    ...(page.hasAfter && last && { after: cursorAt({ ...last, position }) }),
    ...(position !== undefined && position >= 0n && { asOf: `@${position}` }),
  }
}
