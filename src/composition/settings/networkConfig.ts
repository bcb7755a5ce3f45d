import { isIP } from 'node:net'
import { z } from 'zod'
import { limits } from '../../shared/limits.ts'

const listIn = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const isOrigin = (text: string): boolean =>
  text === '*' || (/^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text)

const isAddress = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  return ['loopback', 'linklocal', 'uniquelocal'].includes(text) || (version !== 0 && more.length === 0 && fits)
}

const trustProxy = z.string().transform((text, context): false | number | string => {
  if (text === 'false') return false
  if (text === 'true') {
    context.addIssue(
      'cannot be true, which would let every client choose its address: name the number of proxies, or their addresses',
    )
    return z.NEVER
  }
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const addresses = listIn(text)
  if (addresses.length > 0 && addresses.every(isAddress)) return addresses.join(', ')
  context.addIssue('must be false, a number of proxies, or addresses such as loopback, 10.0.0.0/8')
  return z.NEVER
})

export const integer = (low: number, high: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${low} to ${high}`)
    .transform(Number)
    .refine((value) => value >= low && value <= high, `must be a whole number from ${low} to ${high}`)

export const networkVariables = {
  CATALOG_CORS_ORIGINS: z
    .string()
    .transform(listIn)
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://portal.example.org, or *')
    .optional(),
  CATALOG_TRUST_PROXY: trustProxy.default(false),
  CATALOG_RATE_LIMIT: integer(1, 1_000_000_000).optional(),
  CATALOG_MAX_CONNECTIONS: integer(1, 1_000_000).default(limits.connections.value),
  CATALOG_TLS_CERT_FILE: z.string().optional(),
  CATALOG_TLS_KEY_FILE: z.string().optional(),
}

type Values = z.output<z.ZodObject<typeof networkVariables>>

export const toNetworkConfig = (values: Values) => {
  const { CATALOG_TLS_CERT_FILE: certFile, CATALOG_TLS_KEY_FILE: keyFile } = values
  return {
    /** Origins whose pages may call the API, or `*`; `undefined`: none but its own. */
    corsOrigins: values.CATALOG_CORS_ORIGINS,
    /** Proxies whose forwarded headers are believed: none, so many hops, or these addresses. */
    trustProxy: values.CATALOG_TRUST_PROXY,
    /** Requests that a caller may send in a minute; `undefined`: any number. */
    rateLimit: values.CATALOG_RATE_LIMIT,
    maxConnections: values.CATALOG_MAX_CONNECTIONS,
    /** PEM files; `undefined`: plain HTTP. */
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
  }
}

/** How the service is met on a network. */
export type NetworkConfig = ReturnType<typeof toNetworkConfig>
