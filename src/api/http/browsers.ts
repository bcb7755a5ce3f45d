import compression from 'compression'
import cors from 'cors'
import type { Request, RequestHandler, Response } from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
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
  readonly compress: (request: IncomingMessage, response: ServerResponse, length?: number) => void
}

const compressionThreshold = 4096

/** The headers of Helmet, for answers that are data; pages set their own policies. */
const safetyHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
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
      ...Object.entries(safetyHeaders),
      ...(secure ? [['Strict-Transport-Security', 'max-age=31536000'] as const] : []),
      ['Vary', originMatters ? 'Origin, Accept-Encoding' : 'Accept-Encoding'],
    ]),
    compress: (request, response, length = Infinity) => {
      if (length < compressionThreshold || request.headers['accept-encoding'] === undefined) return
      // It uses nothing that Express adds.
      compressed(request as Request, response as Response, () => undefined)
    },
  }
}
