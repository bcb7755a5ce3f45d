import cors from 'cors'
import type { RequestHandler } from 'express'
import { answerHeaders } from './headers.ts'

export interface BrowserOptions {
  /** Origins whose pages may call the API; `*` for any. Default: only its own. */
  readonly corsOrigins?: readonly string[] | undefined
  /** Whether the service itself speaks HTTPS. */
  readonly secure?: boolean | undefined
}

/** The headers of Helmet, for answers that are data; pages set their own policies. */
const dataHeaders: Readonly<Record<string, string>> = {
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

/** What lets the pages of other origins call the API. */
export const corsHandler = ({ corsOrigins }: BrowserOptions): RequestHandler | undefined =>
  corsOrigins &&
  cors({
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: Object.keys(answerHeaders),
    maxAge: 600,
  })

/** Security headers and `Vary` for all answers that do not set their own. */
export const safetyHeaders = ({ corsOrigins, secure = false }: BrowserOptions): Readonly<Record<string, string>> => ({
  ...dataHeaders,
  ...(secure && { 'Strict-Transport-Security': 'max-age=31536000' }),
  Vary: corsOrigins?.includes('*') === false ? 'Origin, Accept-Encoding' : 'Accept-Encoding',
})
