import { makeAcceptCheck } from './accept.ts'
import { makeReadQuery, type ReadQuery } from './queryParameters.ts'
import type { Route } from './route.ts'
import { makeRouteTable, type RouteTable } from './routeTable.ts'

export interface Mounted {
  readonly route: Route
  /** Path from the root of the server. */
  readonly template: string
  readonly accepts: (header: string | undefined) => boolean
  readonly readQuery: ReadQuery
}

export const apiPrefix = '/api'

export const fullPath = (route: Pick<Route, 'path' | 'atRoot'>): string =>
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
