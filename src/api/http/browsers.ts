import { Socket } from 'node:net'
import compression from 'compression'
import cors from 'cors'
import type { Request, RequestHandler, Response } from 'express'
import type { IncomingMessage as Asked, ServerResponse as Answered } from 'node:http'
import helmet from 'helmet'
import { IncomingMessage, ServerResponse } from '../../shared/nodeHttp.ts'
import { answerHeaders } from './headers.ts'

export interface BrowserOptions {
  /** Origins whose pages may call the API; `*`: any. Left out: none but its own. */
  readonly corsOrigins?: readonly string[] | undefined
  /** It speaks HTTPS itself. */
  readonly secure?: boolean | undefined
}

export interface ForBrowsers {
  readonly handlers: readonly RequestHandler[]
  /** Headers that keep browsers safe: names with values, for all answers that do not bring their own. */
  readonly safety: ReadonlyMap<string, string>
  /** Prepares an answer to be compressed, if the client takes it so; `length` in bytes, as far as it is known. */
  readonly compress: (request: Asked, response: Answered, length?: number) => void
}

/** Bytes from which an answer is compressed. */
const worthCompressing = 4096

/** The headers that helmet sets: the same for each answer, so it is asked once. */
const safetyHeaders = (secure: boolean): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  response.setHeader = (name, value) => {
    headers.set(name, String(value))
    return response
  }
  const set = helmet({
    // Answers are data; the pages of the service bring policies of their own.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: secure ? { includeSubDomains: false } : false,
  })
  set(request, response, (error) => {
    if (error !== undefined) throw error
  })
  return headers
}

export const forBrowsers = ({ corsOrigins, secure = false }: BrowserOptions): ForBrowsers => {
  const compressed = compression({ threshold: worthCompressing })
  return {
    handlers:
      corsOrigins === undefined
        ? []
        : [
            cors({
              origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
              methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
              exposedHeaders: Object.keys(answerHeaders),
              maxAge: 600,
            }),
          ],
    safety: safetyHeaders(secure),
    compress: (request, response, length = Infinity) => {
      if (length < worthCompressing || request.headers['accept-encoding'] === undefined) return
      // It asks for nothing that Express adds.
      compressed(request as Request, response as Response, () => undefined)
    },
  }
}
