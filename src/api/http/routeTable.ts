import { HttpError, badHeader } from './problemDetails.ts'
import Negotiator from 'negotiator'
import { limits } from '../../shared/limits.ts'
import { isDecodable, makeReadQuery } from './queryParameters.ts'
import type { Actor, ApiRequest, Permission, PermissionPolicy, Route } from './route.ts'
import { didYouMean } from '../../shared/nearest.ts'
import { forbidden, notFound } from '../../commands/errors.ts'

/** The routes of one path by method (upper case). HEAD is served by GET. */
interface Resource<T> {
  readonly template: string
  /** What stands behind its fixed beginning; its groups are the parameters. */
  readonly pattern: RegExp
  readonly names: readonly string[]
  /** Sorts fixed segments before parameters, and what has more segments first. */
  readonly rank: string
  readonly methods: Map<string, T>
}

export type Match<T> =
  | { readonly found: 'route'; readonly value: T; readonly params: Readonly<Record<string, string>> }
  | { readonly found: 'path'; readonly allow: string }
  | { readonly found: 'nothing'; readonly hint: string }

/** Stands between decoded segments, which may hold `/` but not NUL. */
const separator = '\0'

const parameterName = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1]

/** Parameters that match several segments. */
const isTail = (segment: string): boolean => segment === '{fqn}'

const patternOf = (segment: string): string => {
  const name = parameterName(segment)
  if (name === undefined) return `${separator}${segment.replaceAll(/\W/g, '\\$&')}`
  return isTail(segment) ? `${separator}(.+)` : `${separator}([^${separator}]+)`
}

const rankOf = (segments: readonly string[]): string =>
  `${segments.map((segment) => (isTail(segment) ? 2 : parameterName(segment) === undefined ? 0 : 1)).join('')}9`

/** Paths by their fixed beginnings: look-up time depends on the length of the path, not on the number of routes. */
export const makeRouteTable = <T>() => {
  const byPrefix = new Map<string, Resource<T>[]>()
  const templates: string[][] = []

  /** @throws Error when method and path are taken */
  const add = (method: string, template: string, value: T): void => {
    const segments = template.split('/').slice(1)
    const firstParameter = segments.findIndex((segment) => parameterName(segment) !== undefined)
    const rest = firstParameter === -1 ? [] : segments.slice(firstParameter)
    const beginning = segments.slice(0, segments.length - rest.length).join(separator)
    const resources = byPrefix.get(beginning) ?? []
    const pattern = new RegExp(`^${rest.map(patternOf).join('')}$`, 's')
    let resource = resources.find((known) => known.pattern.source === pattern.source)
    if (resource?.methods.has(method))
      throw new Error(`${method} ${template} is mounted twice (as ${resource.template})`)
    if (resource === undefined) {
      const names = rest.flatMap((segment) => parameterName(segment) ?? [])
      resource = { template, pattern, names, rank: rankOf(rest), methods: new Map() }
      byPrefix.set(
        beginning,
        [...resources, resource].toSorted((a, b) => (a.rank < b.rank ? -1 : 1)),
      )
      templates.push(segments)
    }
    resource.methods.set(method, value)
  }

  /**
   * Finds the routes of a path without query. Literals beat parameters; `{fqn}` may match several segments.
   * @throws HttpError BAD_REQUEST for malformed percent escapes and NUL
   */
  const find = (method: string, path: string): Match<T> => {
    const segments = segmentsOf(path)
    const whole = segments.join(separator)
    for (let end = whole.length; end > 0; end = whole.lastIndexOf(separator, end - 1)) {
      const rest = whole.slice(end)
      for (const resource of byPrefix.get(whole.slice(0, end)) ?? []) {
        const values = resource.pattern.exec(rest)
        if (values !== null) return matchOf(resource, method, values)
      }
    }
    return { found: 'nothing', hint: hintFor(templates, segments) }
  }

  return { add, find }
}

const matchOf = <T>({ methods, names }: Resource<T>, method: string, values: readonly string[]): Match<T> => {
  const value = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined)
  if (value === undefined) {
    const allowed = [...methods.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    return { found: 'path', allow: allowed.join(', ') }
  }
  const params: Record<string, string> = {}
  for (const [at, name] of names.entries()) params[name] = (values[at + 1] as string).replaceAll(separator, '/')
  return { found: 'route', value, params }
}

/** A suggestion for an unknown path, by its first unknown segment. */
const hintFor = (templates: readonly string[][], segments: readonly string[]): string => {
  let known = templates
  for (const [index, segment] of segments.entries()) {
    const fixed = known.filter((each) => each[index] === segment)
    const isParameter = (name = ''): boolean => parameterName(name) !== undefined
    const next =
      fixed.length > 0 ? fixed : known.filter((each) => isParameter(each[index]) && !isTail(each[index] ?? ''))
    if (next.length === 0) {
      const names = new Set(known.flatMap((each) => (isParameter(each[index]) ? [] : (each[index] ?? []))))
      return didYouMean(segment, [...names], ['', ...segments.slice(0, index), ''].join('/'))
    }
    known = next
  }
  return ''
}

const segmentsOf = (path: string): string[] => {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length
  const segments = path.slice(1, end).split('/')
  if (!path.includes('%') && !path.includes(separator)) return segments
  if (!isDecodable(path))
    throw new HttpError('BAD_REQUEST', 'The path holds a percent escape that is malformed or not UTF-8.')
  const decoded = segments.map(decodeURIComponent)
  if (decoded.some((segment) => segment.includes(separator)))
    throw new HttpError('BAD_REQUEST', 'The path must not hold NUL.')
  return decoded
}

export const apiPrefix = '/api'

/** The bulkhead of a route's requests, with that of the past for what is asked of it. */
const bulkheadOf = (route: Pick<Route, 'parameters' | 'bulkhead'>): Route['bulkhead'] => {
  const { parameters = [], bulkhead } = route
  const ofThePast = parameters.flatMap(({ name }) => (name === 'asOf' || name === 'snapshot' ? name : []))
  if (ofThePast.length === 0) return bulkhead
  return (request) => {
    if (ofThePast.some((name) => request.query.has(name))) return 'past'
    return typeof bulkhead === 'function' ? bulkhead(request) : bulkhead
  }
}

/** @param template path from the root of the server */
const entryOf = (route: Route, template: string) => {
  const types = Object.values(route.answers).map((each) => each.contentType ?? 'application/json')
  const mediaTypes = [...new Set(types.map((type) => type.split(';', 1)[0] as string))]
  const mounted: Route = { ...route, bulkhead: bulkheadOf(route) }
  return { route: mounted, template, accepts: makeAcceptCheck(mediaTypes), mediaTypes, readQuery: makeReadQuery(route) }
}

/** Mounts all routes. @throws Error for a route without permission, or with a duplicate id or path */
export const mount = (routes: readonly Route[]) => {
  const table = makeRouteTable<ReturnType<typeof entryOf>>()
  const ids = new Set<string>()
  for (const route of routes) {
    const template = route.atRoot === true ? route.path : `${apiPrefix}${route.path}`
    const name = `${route.method.toUpperCase()} ${template}`
    if ((route.permission as unknown) === undefined) throw new Error(`${name} has no permission and so does not mount`)
    if (ids.has(route.id)) throw new Error(`${name}: another route has the id ${route.id} already`)
    ids.add(route.id)
    table.add(route.method.toUpperCase(), template, entryOf(route, template))
  }
  return table
}

export type RouteTable = ReturnType<typeof mount>

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

/** The caller's permission for a route. @throws DomainError `forbidden` */
export const permissionOf = (
  { permission: required }: Pick<Route, 'permission'>,
  actor: Actor,
  permits: PermissionPolicy,
): Exclude<Permission, 'no'> => {
  if (typeof required === 'string') return 'yes'
  const { operation, or, kind } = required
  const first = permits(actor, operation, kind)
  const permission = first === 'no' && or !== undefined ? permits(actor, or, kind) : first
  if (permission === 'no') {
    const needed = or === undefined ? operation : `${operation} or ${or}`
    const place = kind === undefined ? '' : ` on ${kind}`
    throw forbidden(`Your roles do not allow ${needed}${place}.`)
  }
  return permission
}

/** Calls a GET route on behalf of a running request, with its caller's permissions. @returns the answer's text */
export const readRoute = async (
  table: RouteTable,
  permits: PermissionPolicy,
  request: ApiRequest,
  path: string,
): Promise<string> => {
  // No URL is made of it: that would take a name such as `..` for the path above.
  const [pathname = '', search = ''] = path.split('?')
  const match = table.find('GET', `${apiPrefix}${pathname}`)
  if (match.found !== 'route') throw notFound(`Nothing is at ${pathname}.`)
  const { route, readQuery } = match.value
  const permission = permissionOf(route, request.actor, permits)
  const query = readQuery(search)
  const own = { route: route.id, permission, params: match.params, query, headers: {}, body: undefined }
  const { body } = await route.handle({ ...request, ...own })
  if (typeof body === 'string') return body
  throw new Error(`${pathname} does not answer with JSON.`)
}
