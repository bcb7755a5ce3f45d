import type { RequestListener } from 'node:http'
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
    const { problem, headers } = problemOf(
      new HttpError('UNAVAILABLE', 'The catalog is starting: /readyz says what it waits for.'),
    )
    response.writeHead(problem.status, { ...headers, 'Content-Type': 'application/problem+json' })
    response.end(JSON.stringify(problem))
  }
