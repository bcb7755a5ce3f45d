import Negotiator from 'negotiator'
import { limits } from '../../shared/limits.ts'
import { badHeader } from './problemDetails.ts'
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
