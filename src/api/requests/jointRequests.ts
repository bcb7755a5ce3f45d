import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { orderedUuid } from '../../shared/uuids.ts'
import type { Actor } from '../auth/actor.ts'
import type { Sessions } from '../auth/sessions.ts'
import { badHeader } from '../http/problemDetails.ts'
import type { Route } from '../http/route.ts'

/** Seconds for which calls can join a request. */
const length = 24 * 60 * 60

const header = 'catalog-request'

type Signing = Pick<Sessions, 'sign' | 'verify'>

/** The request that a call joins by its `Catalog-Request` header. @throws HttpError where it is not the caller's */
export const makeJointRequests =
  ({ verify }: Signing) =>
  ({ name }: Actor, headers: IncomingHttpHeaders): string | undefined => {
    const given = headers[header]
    if (given === undefined) return undefined
    const { request, user } = verify(String(given)) ?? {}
    if (typeof request === 'string' && user === name) return request
    throw badHeader(header, 'is no token of an open request of yours: POST /v1/requests gives one for a day.')
  }

const opened = z
  .object({
    correlationId: z.uuid(),
    token: z.string().describe('To be sent with each call, as `Catalog-Request`'),
    until: z.iso.datetime(),
  })
  .meta({ id: 'OpenRequest', description: 'A request that several calls make up.' })

export const jointRequestRoutes = ({ sign }: Signing): Route[] => [
  {
    method: 'post',
    path: '/v1/requests',
    id: 'openRequest',
    summary: 'Open a request that several calls make up: a run of a loader',
    description:
      'What calls with its token in `Catalog-Request` write is one request: it is listed as one, and can be taken ' +
      'back as one. Only the user who opened it can use the token. Nothing is kept: a request without writes is none.',
    tag: 'requests',
    permission: 'signedIn',
    answers: { 201: { description: 'The request', schema: opened } },
    handle: async ({ actor, time }) => {
      const correlationId = orderedUuid()
      const token = sign({ request: correlationId, user: actor.name }, length)
      const until = new Date(time.getTime() + length * 1000).toISOString()
      return { status: 201, body: { json: { correlationId, token, until } } }
    },
  },
]
