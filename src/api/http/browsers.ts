import compression from 'compression'
import cors from 'cors'
import type { RequestHandler, Response } from 'express'
import helmet from 'helmet'
import { answerHeaders } from '../openapi/headers.ts'

export interface BrowserOptions {
  /** Origins whose pages may call the API; `*`: any. Left out: none but its own. */
  readonly corsOrigins?: readonly string[] | undefined
  /** It speaks HTTPS itself. */
  readonly secure?: boolean | undefined
}

const isEvents = (response: Response): boolean =>
  String(response.getHeader('Content-Type')).startsWith('text/event-stream')

/** Bytes from which an answer is compressed for those who take it so. */
const worthCompressing = 4096

/** What browsers and networks expect of a service: headers that keep it safe, other origins, compression. */
export const forBrowsers = ({ corsOrigins, secure }: BrowserOptions): RequestHandler[] => [
  helmet({
    // Answers are data; the pages of the service bring policies of their own.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: secure === true ? { includeSubDomains: false } : false,
  }),
  ...(corsOrigins === undefined
    ? []
    : [
        cors({
          origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
          methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
          exposedHeaders: Object.keys(answerHeaders),
          maxAge: 600,
        }),
      ]),
  compression({
    threshold: worthCompressing,
    // Events must go out at once, not when there are enough to be compressed.
    filter: (request, response) => !isEvents(response) && compression.filter(request, response),
  }),
]
