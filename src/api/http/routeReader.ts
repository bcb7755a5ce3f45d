import { notFound } from '../../commands/errors.ts'
import { apiPrefix, mount } from './mount.ts'
import { problemOf } from './problemDetails.ts'
import { permissionOf, type Policies } from '../auth/policies.ts'
import type { ApiRequest, Route } from './route.ts'

/** Asks a GET route on behalf of a request that is being answered. @returns the text of the answer */
export type RouteReader = (request: ApiRequest, path: string) => Promise<string>

/** Lets one route ask others, with the rights of its own caller. */
export const makeRouteReader = (routes: readonly Route[], policies: Pick<Policies, 'permits'>): RouteReader => {
  const table = mount(routes)
  return async (request, path) => {
    const { pathname, search } = new URL(path, 'http://inner')
    const match = table.find('GET', `${apiPrefix}${pathname}`)
    if (match.found !== 'route') throw notFound(`Nothing is at ${pathname}.`)
    const { route, readQuery } = match.value
    const permission = permissionOf(route, request.actor, policies)
    const inner = {
      ...request,
      permission,
      params: match.params,
      query: readQuery(search.slice(1)),
      headers: {},
      body: undefined,
    }
    const { body } = await route.handle(inner).catch((error: unknown) => {
      throw new Error(problemOf(error).problem.message, { cause: error })
    })
    if (typeof body === 'string') return body
    if (body !== undefined && 'json' in body) return JSON.stringify(body.json)
    throw new Error(`${pathname} does not answer with JSON.`)
  }
}
