import { hash } from 'node:crypto'
import { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import type { Problem } from '../../kinds/defineKind.ts'
import { buildFqn, isUuid, splitFqn } from '../../kinds/names.ts'
import { problemsOf } from '../../kinds/request/zodProblems.ts'
import type { ListKey, ListPage } from '../../projections/entities/port.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import { readInstant } from '../../shared/instant.ts'
import { limits } from '../../shared/limits.ts'
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

const isDecodable = (search: string): boolean => {
  try {
    return decodeURIComponent(search) !== undefined
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
    if (!open && !isDecodable(search)) problems.push({ path: '?', message: 'holds a percent escape that is no UTF-8' })
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

/** Names as one parameter has them, each once. @param divide gives the names in its text; default: between commas */
export const namesText = (divide = (text: string): readonly string[] => text.split(',')) =>
  z.string().transform((text, context): string[] => {
    const names = [...new Set(divide(text).flatMap((name) => name.trim() || []))]
    const most = limits.names.value
    if (names.length > most) context.addIssue(`must have at most ${most} names and has ${names.length}`)
    return names
  })

/** The names of a parameter of {@link namesText}; `undefined` if there are none. */
export const readNames = (
  query: SentQuery,
  parameter: Parameter<ReturnType<typeof namesText>>,
): string[] | undefined => {
  const names = readParameter(query, parameter)
  return names?.length === 0 ? undefined : names
}

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

export interface PageRequest {
  readonly limit: number
  readonly after: ListKey | undefined
  readonly before: ListKey | undefined
  /** The position stored in its cursor. */
  readonly position: bigint | undefined
}

/** The largest limit of a page that is made at once, beside others. */
export const shortPage = 100

/**
 * Reads `limit`, `after` and `before`. Cursors must belong to this `scope` (a list with its filters). @throws
 * DomainError `invalid`
 */
export const readPage = (query: SentQuery, scope: string): PageRequest => {
  const after = query.get('after')
  const before = query.get('before')
  if (after !== undefined && before !== undefined) throw badQuery('before', 'give either before or after, not both')
  const found = {
    after: after === undefined ? undefined : readCursor(after, scope, 'after'),
    before: before === undefined ? undefined : readCursor(before, scope, 'before'),
  }
  const limit = Number(query.get('limit') ?? 10)
  return { limit, ...found, position: (found.after ?? found.before)?.position }
}

const checksum = (scope: string, payload: string): string =>
  hash('sha256', `${scope}\n${payload}`, 'base64url').slice(0, 12)

/** The key in a cursor, and the position of a list of the past. */
type CursorKey = ListKey & { readonly position?: bigint | undefined }

/** Makes an opaque cursor that is valid only for its own list. */
export const makeCursor = ({ fullyQualifiedName, id, position }: CursorKey, scope: string): string => {
  const parts = [fullyQualifiedName, id, ...(position === undefined ? [] : [String(position)])]
  const payload = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return `${payload}.${checksum(scope, payload)}`
}

const cursorParts = z.tuple([
  z.string(),
  z.string(),
  z
    .string()
    .regex(/^-?\d{1,19}$/)
    .optional(),
])

/** The parts of a cursor, if it has them: anybody can compute a checksum. */
const partsIn = (payload: string): z.infer<typeof cursorParts> | undefined => {
  try {
    return cursorParts.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  } catch {
    return undefined
  }
}

const readCursor = (cursor: string, scope: string, name: string): CursorKey => {
  const [payload = '', sum, ...rest] = cursor.split('.')
  const parts = rest.length > 0 || sum !== checksum(scope, payload) ? undefined : partsIn(payload)
  if (parts === undefined)
    throw badQuery(name, 'is no cursor of this list: use the cursors of its answers as they are, with the same filters')
  const [fullyQualifiedName, id, position] = parts
  return { fullyQualifiedName, id, position: position === undefined ? undefined : BigInt(position) }
}

/** The `paging` object of an answer. @param position stored in the cursors of a list of one moment */
export const pagingOf = (
  page: Pick<ListPage, 'total' | 'hasAfter' | 'hasBefore'> & {
    rows: readonly Pick<EntityRow, 'fullyQualifiedName' | 'id'>[]
  },
  scope: string,
  position?: bigint,
): { total: number; before?: string; after?: string; asOf?: string } => {
  const cursorAt = ({ fullyQualifiedName, id }: ListKey): CursorKey => ({ fullyQualifiedName, id, position })
  const first = page.rows[0]
  const last = page.rows.at(-1)
  return {
    total: page.total,
    ...(page.hasBefore && first && { before: makeCursor(cursorAt(first), scope) }),
    ...(page.hasAfter && last && { after: makeCursor(cursorAt(last), scope) }),
    ...(position !== undefined && position >= 0n && { asOf: `@${position}` }),
  }
}
