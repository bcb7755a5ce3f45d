import Negotiator from 'negotiator'
import { limits } from '../../shared/limits.ts'
import { badHeader, problemOf } from './problemDetails.ts'
import { makeReadQuery, type ReadQuery } from './queryParameters.ts'
import { type Route, permissionOf, type ApiRequest, type PermissionPolicy } from './route.ts'
import { makeRouteTable, type RouteTable } from './routeTable.ts'
import { notFound } from '../../commands/errors.ts'

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

/**
 * The table that requests are looked up in. @throws Error without permission, or with the same id, or method and path
 */
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

/** Names that YAML had before it was registered: who asks for one of them is served as well. */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  'application/yaml': ['application/x-yaml', 'text/yaml', 'text/x-yaml'],
}

/** Parameters of media types, which no answer has to offer, but not their weight. */
const parameters = /;\s*(?!q\s*=)[^,;]*/gi

/** Makes the check whether an `Accept` header admits one of these media types; one without any range admits all. */
export const makeAcceptCheck = (mediaTypes: readonly string[]): ((header: string | undefined) => boolean) => {
  const served = mediaTypes.flatMap((type) => [type, ...(formerNames[type] ?? [])])
  return (header) => {
    if (header === undefined || header === '*/*' || served.length === 0 || served.includes(header)) return true
    if (header.length > limits.accept.value) throw badHeader('accept', `may have at most ${limits.accept.value} bytes.`)
    const negotiator = new Negotiator({ headers: { accept: header.replace(parameters, '') } })
    return negotiator.mediaTypes(served).length > 0 || !header.includes('/')
  }
}

/** Asks a GET route on behalf of a request that is being answered, with its caller's rights. @returns the answer's text */
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
