import { HttpError, badHeader, problemOf } from './problemDetails.ts'
import Negotiator from 'negotiator'
import { limits } from '../../shared/limits.ts'
import { makeReadQuery, type ReadQuery } from './queryParameters.ts'
import { type Route, permissionOf, type ApiRequest, type PermissionPolicy } from './route.ts'
import { didYouMean } from '../../shared/nearest.ts'
import { notFound } from '../../commands/errors.ts'

/** The routes of one path by method (upper case). HEAD is served by GET. */
interface Resource<T> {
  readonly template: string
  /** Names of the parameters in path order. */
  readonly names: readonly string[]
  readonly methods: Map<string, T>
}

/** A path below a `{fqn}`: literals, or `undefined` for a parameter. */
interface Tail<T> {
  readonly segments: readonly (string | undefined)[]
  readonly resource: Resource<T>
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter?: Node<T>
  /** Longest first. */
  readonly tails: Tail<T>[]
  resource?: Resource<T>
}

export type Match<T> =
  | { readonly found: 'route'; readonly value: T; readonly params: Readonly<Record<string, string>> }
  | { readonly found: 'path'; readonly allow: string }
  | { readonly found: 'nothing'; readonly hint: string }

export interface RouteTable<T> {
  /** @throws Error when method and path are taken */
  readonly add: (method: string, template: string, value: T) => void
  /**
   * Finds the routes of a path without query. Literals beat parameters; `{fqn}` and `{tile}` may match several
   * segments. @throws HttpError BAD_REQUEST for malformed percent escapes and NUL
   */
  readonly find: (method: string, path: string) => Match<T>
}

const newNode = <T>(): Node<T> => ({ literals: new Map(), tails: [] })

/** Parameters that match several segments. */
const tails: ReadonlySet<string> = new Set(['fqn', 'tile'])

const parameterName = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1]

const noParams = Object.freeze({})

/** A tree of path segments: look-up time depends on the length of the path, not on the number of routes. */
export const makeRouteTable = <T>(): RouteTable<T> => {
  const root = newNode<T>()

  const add = (method: string, template: string, value: T): void => {
    const segments = template.split('/').slice(1)
    const resource = resourceAt(root, template, segments)
    if (resource.methods.has(method)) {
      throw new Error(`${method} ${template} is mounted twice (as ${resource.template})`)
    }
    resource.methods.set(method, value)
  }

  const find = (method: string, path: string): Match<T> => {
    const segments = segmentsOf(path)
    const values: string[] = []
    const resource = search(root, segments, 0, values)
    if (resource === undefined) return { found: 'nothing', hint: hintFor(root, segments) }
    const value = resource.methods.get(method) ?? (method === 'HEAD' ? resource.methods.get('GET') : undefined)
    if (value === undefined) return { found: 'path', allow: allowOf(resource) }
    return { found: 'route', value, params: paramsOf(resource, values) }
  }

  return { add, find }
}

/** A suggestion for an unknown path, by its first unknown segment. */
const hintFor = <T>(root: Node<T>, segments: readonly string[]): string => {
  let node = root
  for (const [index, segment] of segments.entries()) {
    const next = node.literals.get(segment) ?? node.parameter
    if (next === undefined) {
      return didYouMean(segment, [...node.literals.keys()], `/${segments.slice(0, index).join('/')}/`)
    }
    node = next
  }
  return ''
}

const resourceAt = <T>(root: Node<T>, template: string, segments: readonly string[]): Resource<T> => {
  const names = segments.map(parameterName).filter((name) => name !== undefined)
  const made: Resource<T> = { template, names, methods: new Map() }
  let node = root
  for (const [index, segment] of segments.entries()) {
    const name = parameterName(segment)
    if (name !== undefined && tails.has(name)) return tailAt(node, segments.slice(index + 1), made)
    if (name === undefined) {
      let next = node.literals.get(segment)
      if (next === undefined) node.literals.set(segment, (next = newNode()))
      node = next
    } else {
      node = node.parameter ??= newNode()
    }
  }
  return (node.resource ??= made)
}

const tailAt = <T>(node: Node<T>, rest: readonly string[], made: Resource<T>): Resource<T> => {
  const segments = rest.map((segment) => (parameterName(segment) === undefined ? segment : undefined))
  const known = node.tails.find((tail) => tail.segments.join('/') === segments.join('/'))
  if (known !== undefined) return known.resource
  node.tails.push({ segments, resource: made })
  node.tails.sort((a, b) => b.segments.length - a.segments.length)
  return made
}

const segmentsOf = (path: string): string[] => {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length
  const segments = path.slice(1, end).split('/')
  if (!path.includes('%')) return segments
  try {
    const decoded = segments.map(decodeURIComponent)
    if (decoded.some((segment) => segment.includes('\0')))
      throw new HttpError('BAD_REQUEST', 'The path must not hold NUL.')
    return decoded
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new HttpError('BAD_REQUEST', 'The path holds a percent escape that is malformed or no UTF-8.')
  }
}

const search = <T>(
  node: Node<T>,
  segments: readonly string[],
  at: number,
  values: string[],
): Resource<T> | undefined => {
  if (at === segments.length) return node.resource
  const segment = segments[at] as string
  const literal = node.literals.get(segment)
  if (literal !== undefined) {
    const found = search(literal, segments, at + 1, values)
    if (found !== undefined) return found
  }
  if (segment !== '' && node.parameter !== undefined) {
    values.push(segment)
    const found = search(node.parameter, segments, at + 1, values)
    if (found !== undefined) return found
    values.pop()
  }
  return node.tails.length === 0 ? undefined : searchTails(node.tails, segments, at, values)
}

const searchTails = <T>(
  tails: readonly Tail<T>[],
  segments: readonly string[],
  at: number,
  values: string[],
): Resource<T> | undefined => {
  for (const tail of tails) {
    const from = segments.length - tail.segments.length
    const fqn = segments.slice(at, Math.max(at, from)).join('/')
    if (
      fqn === '' ||
      !tail.segments.every((expected, index) => expected === undefined || expected === segments[from + index])
    )
      continue
    values.push(fqn)
    for (const [index, expected] of tail.segments.entries()) {
      if (expected === undefined) values.push(segments[from + index] as string)
    }
    return tail.resource
  }
  return undefined
}

const allowOf = <T>(resource: Resource<T>): string =>
  [...resource.methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')

const paramsOf = <T>(resource: Resource<T>, values: readonly string[]): Readonly<Record<string, string>> => {
  if (resource.names.length === 0) return noParams
  const params: Record<string, string> = {}
  resource.names.forEach((name, index) => {
    params[name] = values[index] as string
  })
  return params
}

export interface Mounted {
  readonly route: Route
  /** Path from the root of the server. */
  readonly template: string
  readonly accepts: (header: string | undefined) => boolean
  readonly readQuery: ReadQuery
}

export const apiPrefix = '/api'

const fullPath = (route: Pick<Route, 'path' | 'atRoot'>): string =>
  route.atRoot === true ? route.path : `${apiPrefix}${route.path}`

/** Mounts all routes. @throws Error for a route without permission, or with a duplicate id or path */
export const mount = (routes: readonly Route[]): RouteTable<Mounted> => {
  const table = makeRouteTable<Mounted>()
  const ids = new Set<string>()
  for (const route of routes) {
    const template = fullPath(route)
    const name = `${route.method.toUpperCase()} ${template}`
    if ((route.permission as unknown) === undefined) throw new Error(`${name} has no permission and so does not mount`)
    if (ids.has(route.id)) throw new Error(`${name}: another route has the id ${route.id} already`)
    ids.add(route.id)
    const types = Object.values(route.answers).map((each) => each.contentType ?? 'application/json')
    const accepts = makeAcceptCheck([...new Set(types.map((type) => type.split(';', 1)[0] as string))])
    table.add(route.method.toUpperCase(), template, { route, template, accepts, readQuery: makeReadQuery(route) })
  }
  return table
}

/** Unregistered media types of YAML, which are accepted as well. */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  'application/yaml': ['application/x-yaml', 'text/yaml', 'text/x-yaml'],
}

/** Media type parameters other than the weight, which no answer offers. */
const parameters = /;\s*(?!q\s*=)[^,;]*/gi

/** Makes the check whether an `Accept` header accepts one of these media types; an empty header accepts all. */
export const makeAcceptCheck = (mediaTypes: readonly string[]): ((header: string | undefined) => boolean) => {
  const served = mediaTypes.flatMap((type) => [type, ...(formerNames[type] ?? [])])
  return (header) => {
    if (header === undefined || header === '*/*' || served.length === 0 || served.includes(header)) return true
    if (header.length > limits.accept.value) throw badHeader('accept', `may have at most ${limits.accept.value} bytes.`)
    const negotiator = new Negotiator({ headers: { accept: header.replace(parameters, '') } })
    return negotiator.mediaTypes(served).length > 0 || !header.includes('/')
  }
}

/** Calls a GET route on behalf of a running request, with its caller's permissions. @returns the answer's text */
export const readRoute = async (
  table: RouteTable<Mounted>,
  permits: PermissionPolicy,
  request: ApiRequest,
  path: string,
): Promise<string> => {
  const { pathname, search } = new URL(path, 'http://inner')
  const match = table.find('GET', `${apiPrefix}${pathname}`)
  if (match.found !== 'route') throw notFound(`Nothing is at ${pathname}.`)
  const { route, readQuery } = match.value
  const permission = permissionOf(route, request.actor, permits)
  const query = readQuery(search.slice(1))
  const inner = { ...request, permission, params: match.params, query, headers: {}, body: undefined }
  const { body } = await route.handle(inner).catch((error: unknown) => {
    throw new Error(problemOf(error).problem.message, { cause: error })
  })
  if (typeof body === 'string') return body
  if (body !== undefined && 'json' in body) return JSON.stringify(body.json)
  throw new Error(`${pathname} does not answer with JSON.`)
}
