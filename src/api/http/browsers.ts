import { Socket } from 'node:net'
import compression from 'compression'
import cors from 'cors'
import type { Request, RequestHandler, Response } from 'express'
import type { IncomingMessage as Asked, ServerResponse as Answered } from 'node:http'
import helmet from 'helmet'
import { IncomingMessage, ServerResponse } from '../../shared/nodeHttp.ts'
import { answerHeaders } from './headers.ts'

export interface BrowserOptions {
  /** Origins whose pages may call the API; `*` for any. Default: only its own. */
  readonly corsOrigins?: readonly string[] | undefined
  /** Whether the service itself speaks HTTPS. */
  readonly secure?: boolean | undefined
}

export interface BrowserHandlers {
  readonly handlers: readonly RequestHandler[]
  /** Security headers and `Vary` for all answers that do not set their own. */
  readonly safety: ReadonlyMap<string, string>
  /** Compresses an answer if the client accepts it. @param length bytes, if known */
  readonly compress: (request: Asked, response: Answered, length?: number) => void
}

/** Smallest answer that is compressed, in bytes. */
const compressionThreshold = 4096

/** Helmet's headers, computed once since they never change. */
const safetyHeaders = (secure: boolean): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  response.setHeader = (name, value) => {
    headers.set(name, String(value))
    return response
  }
  const set = helmet({
    // Answers are data; pages set their own policies.
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

export const makeBrowserHandlers = ({ corsOrigins, secure = false }: BrowserOptions): BrowserHandlers => {
  const compressed = compression({ threshold: compressionThreshold })
  const originMatters = corsOrigins?.includes('*') === false
  return {
    handlers:
      corsOrigins === undefined
        ? []
        : [
            cors({
              origin: originMatters ? [...corsOrigins] : '*',
              methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
              exposedHeaders: Object.keys(answerHeaders),
              maxAge: 600,
            }),
          ],
    safety: new Map([
      ...safetyHeaders(secure),
      ['Vary', originMatters ? 'Origin, Accept-Encoding' : 'Accept-Encoding'],
    ]),
    compress: (request, response, length = Infinity) => {
      if (length < compressionThreshold || request.headers['accept-encoding'] === undefined) return
      // It uses nothing that Express adds.
      compressed(request as Request, response as Response, () => undefined)
    },
  }
}
