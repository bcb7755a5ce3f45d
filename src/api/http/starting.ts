import type { RequestListener } from 'node:http'
import { asksForEvents } from './exchange.ts'
import { apiPrefix } from './mount.ts'
import type { Pages } from './pages.ts'
import { HttpError, problemOf } from './problemDetails.ts'

/** Paths that are answered while the stores are not there yet. */
const answered = new Set(['/livez', '/readyz', '/metrics'])

/** What listens until the stores are open: health is told, the console says that it waits, everything else is 503. */
export const startingHandler =
  (pages: Pages, system: RequestListener): RequestListener =>
  (request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const page = path.startsWith('/api/') ? undefined : pages({ method: request.method ?? 'GET', path, request })
    if (answered.has(path) || page !== undefined) return system(request, response)
    if (asksForEvents(request)) return void request.destroy()
    const { problem, headers } = problemOf(
      new HttpError('UNAVAILABLE', 'The catalog is starting: /readyz says what it waits for.'),
    )
    response.writeHead(problem.status, { ...headers, 'Content-Type': 'application/problem+json' })
    response.end(JSON.stringify(problem))
  }

/**
 * The same handler, which has something done once, behind the first answer that a client has got: what a service needs
 * that is used, and one that only waits does not. Refusals, and what probes ask outside of the API, do not count.
 */
export const afterFirst = (handler: RequestListener, work: () => void): RequestListener => {
  let done = false
  return (request, response) => {
    if (!done && request.url?.startsWith(`${apiPrefix}/`) === true)
      response.once('close', () => {
        if (done || response.statusCode >= 400) return
        done = true
        work()
      })
    handler(request, response)
  }
}
