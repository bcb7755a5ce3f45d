import type { RequestListener } from 'node:http'
import { apiPrefix } from '../api/http/mount.ts'

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
