import type { Request } from 'express'
import { apiPrefix } from './mount.ts'
import { HttpError } from './problemDetails.ts'

const hostPattern = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/

/** Tells the absolute URL of `/api`: the configured one, else by scheme and host of the request. @throws HttpError */
export const makeBaseUrl = (configured: string | undefined): ((request: Request) => string) => {
  if (configured !== undefined) return () => `${configured}${apiPrefix}`
  let last = { host: '', protocol: '', url: '' }
  return (request) => {
    const host = request.host ?? ''
    const { protocol } = request
    if (host !== last.host || protocol !== last.protocol || last.url === '') {
      if (!hostPattern.test(host) || (protocol !== 'http' && protocol !== 'https')) {
        throw new HttpError('BAD_REQUEST', 'The Host header is malformed.')
      }
      last = { host, protocol, url: `${protocol}://${host}${apiPrefix}` }
    }
    return last.url
  }
}

/** What HTTP itself demands of a request beyond its syntax. @throws HttpError */
export const mustBeProper = ({ headers, rawHeaders, httpVersion }: Request): void => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts += 1
  if (hosts > 1) throw new HttpError('BAD_REQUEST', 'There is more than one Host header.')
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new HttpError('BAD_REQUEST', 'The Host header is missing.')
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new HttpError('EXPECTATION_FAILED', 'Expect can only be 100-continue.')
  }
}
