import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from '../http/problemDetails.ts'
import type { Actor } from './actor.ts'
import type { Authenticate } from './authenticate.ts'
import type { Sessions } from './sessions.ts'

export interface Credentials {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The ticket in the query, where the route takes one. */
  readonly ticket?: string | undefined
}

/** Tells who makes a request. Throws, or rejects, as {@link Authenticate} does, or with HttpError FORBIDDEN. */
export type Identify = (credentials: Credentials) => Actor | Promise<Actor>

const changesNothing = new Set(['GET', 'HEAD', 'OPTIONS'])

const hostOf = (origin: string): string => (URL.canParse(origin) ? new URL(origin).host : '')

/**
 * Refuses what a page of another origin makes a browser send: browsers say in a header where a request comes from,
 * unless it is plain reading. @throws HttpError FORBIDDEN
 */
export const mustBeOurs = ({ method, headers }: Pick<Credentials, 'method' | 'headers'>): void => {
  if (changesNothing.has(method)) return
  const site = headers['sec-fetch-site']
  const { origin, host = '' } = headers
  const ours = site !== undefined ? site === 'same-origin' : origin === undefined || hostOf(origin) === host
  if (ours) return
  throw new HttpError(
    'FORBIDDEN',
    'This request comes from a page of another origin: only the console uses the session.',
  )
}

/** A token in the header, else a ticket, else the session of the cookie. */
export const makeIdentify = (
  authenticate: Authenticate,
  sessions: Pick<Sessions, 'actorOf' | 'actorOfTicket'>,
): Identify => {
  const bySession = async (credentials: Credentials): Promise<Actor> => {
    const actor = await sessions.actorOf(credentials.headers)
    if (actor === undefined) return authenticate(undefined)
    mustBeOurs(credentials)
    return actor
  }
  return (credentials) => {
    const { headers, ticket } = credentials
    if (headers.authorization !== undefined) return authenticate(headers.authorization)
    if (ticket !== undefined) return sessions.actorOfTicket(ticket)
    return bySession(credentials)
  }
}
