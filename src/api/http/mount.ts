import { makeAcceptCheck } from './accept.ts'
import { makeReadQuery, type ReadQuery } from './query.ts'
import type { Route } from './route.ts'
import { makeRouteTable, type RouteTable } from './routeTable.ts'

/** A route with what is worked out once. */
export interface Mounted {
  readonly route: Route
  /** Path from the root of the server. */
  readonly template: string
  readonly accepts: (header: string | undefined) => boolean
  readonly readQuery: ReadQuery
}

/** Below this path stand all routes that are not `atRoot`. */
export const apiPrefix = '/api'

/** Path of a route from the root of the server. */
export const fullPath = (route: Pick<Route, 'path' | 'atRoot'>): string =>
  route.atRoot === true ? route.path : `${apiPrefix}${route.path}`

/**
 * Makes the table that requests are looked up in.
 * @throws Error when a route has no permission, or two share an id or a method and path
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
