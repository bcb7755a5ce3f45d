import { isIP } from 'node:net'
import { z } from 'zod'
import { LinesError } from '../../shared/errors/linesError.ts'
import { limits } from '../../shared/limits.ts'
import { listIn, witnessSettings } from '../../subscriptions/witnesses/setting.ts'
import { withoutTrailingSlashes } from '../../shared/returnPath.ts'

/** The environment is not a valid configuration; the message lists every mistake, one per line. */
export class ConfigError extends LinesError {
  override readonly name = 'ConfigError'
  constructor(mistakes: readonly string[]) {
    super(['The configuration cannot be used:', ...mistakes.map((mistake) => `  - ${mistake}`)])
  }
}

const text = z.string()

const oneOf = <const Names extends readonly string[]>(...names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`)

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true')

const integer = (low: number, high: number) =>
  text
    .regex(/^\d{1,15}$/, `must be a whole number from ${low} to ${high}`)
    .transform(Number)
    .refine((value) => value >= low && value <= high, `must be a whole number from ${low} to ${high}`)

const units: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

const bytesIn = (value: string): number => {
  const [, digits, unit] = /^(\d{1,15}(?:\.\d+)?) ?([KMG]iB)?$/.exec(value) ?? []
  return Math.floor(Number(digits) * (unit === undefined ? 1 : (units[unit] as number)))
}

/** A number of bytes, such as `536870912`, `512MiB` or `1.5GiB`. */
const bytes = (low: string, high: string) =>
  text.transform((value, context) => {
    const found = bytesIn(value)
    if (found >= bytesIn(low) && found <= bytesIn(high)) return found
    context.addIssue(`must be a number of bytes, or of KiB, MiB or GiB such as 512MiB, from ${low} to ${high}`)
    return z.NEVER
  })

const secret = text.refine((value) => Buffer.byteLength(value) >= 32, 'must have at least 32 bytes')

const schemeOf = (value: string): string => /^([a-z][a-z0-9+.-]*):\/\/./i.exec(value)?.[1]?.toLowerCase() ?? ''

const url = (...schemes: string[]) =>
  text.refine(
    (value) => schemes.includes(schemeOf(value)),
    `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )

const hasCredentials = (value: string): boolean => {
  const { username = '', password = '' } = URL.parse(value) ?? {}
  return username + password !== ''
}

const webUrl = url('http', 'https')
  .refine((value) => URL.canParse(value), 'must be a complete address')
  .refine((value) => !hasCredentials(value), 'must have no user name and no password: it is logged and shown')

const baseUrl = webUrl
  .refine((value) => !URL.canParse(value) || !/[?#]/.test(value), 'must have no query and no fragment')
  .transform((value) => withoutTrailingSlashes(new URL(value).href))

/** `namespace=service, …`; only the namespace may contain equals signs. */
const serviceNames = text.transform((value, context) => {
  const pairs = value.split(',').map((each) => /^(.+)=([^=]+)$/.exec(each.trim()))
  if (pairs.includes(null)) {
    context.addIssue('must be namespace=service, separated by commas')
    return z.NEVER
  }
  const services = new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
  if (services.size < pairs.length) context.addIssue('must name each namespace once')
  return services
})

const isOrigin = (value: string): boolean =>
  value === '*' || (/^https?:\/\//.test(value) && URL.canParse(value) && new URL(value).origin === value)

const isAddress = (value: string): boolean => {
  const [address = '', bits, ...more] = value.split('/')
  const version = isIP(address)
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  return ['loopback', 'linklocal', 'uniquelocal'].includes(value) || (version !== 0 && more.length === 0 && fits)
}

const trustProxy = text.transform((value, context): false | number | string => {
  if (value === 'false') return false
  if (/^\d{1,2}$/.test(value)) return Number(value)
  const addresses = listIn(value)
  if (addresses.length > 0 && addresses.every(isAddress)) return addresses.join(', ')
  context.addIssue(
    value === 'true'
      ? 'cannot be true, which would let every client choose its address: name the number of proxies, or their addresses'
      : 'must be false, a number of proxies, or addresses such as loopback, 10.0.0.0/8',
  )
  return z.NEVER
})

const from = <S extends z.ZodType>(variable: string, schema: S): S => schema.meta({ variable })

/** Objects that are optional are set as a whole or not at all. */
const settings = z.object({
  host: from('CATALOG_HOST', text.default('127.0.0.1')),
  /** 0: any free port. */
  port: from('CATALOG_PORT', integer(0, 65_535).default(8585)),
  /** Folder of the embedded stores and of generated keys. */
  dataDir: from('CATALOG_DATA_DIR', text.default('./data')),
  /** Public base URL before `/api`, without a trailing slash; `undefined`: taken from each request. */
  baseUrl: from('CATALOG_BASE_URL', baseUrl.optional()),
  logLevel: from(
    'CATALOG_LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  ),
  /** `auto`: text in a terminal, JSON elsewhere. */
  logFormat: from('CATALOG_LOG_FORMAT', oneOf('auto', 'text', 'json').default('auto')),
  jwt: z.object({
    /** HS256 secret, at least 32 bytes. */
    secret: from('CATALOG_JWT_SECRET', secret.optional()),
    /** PEM file with an RSA or P-256 public key. */
    publicKeyFile: from('CATALOG_JWT_PUBLIC_KEY_FILE', text.optional()),
    jwksUrl: from('CATALOG_JWKS_URL', webUrl.optional()),
    issuer: from('CATALOG_JWT_ISSUER', text.optional()),
    audience: from('CATALOG_JWT_AUDIENCE', text.optional()),
    /** Tokens without `exp` are refused. */
    requireExpiry: from('CATALOG_JWT_REQUIRE_EXPIRY', flag(true)),
    /** Name of the claim with the roles, or a dotted path to it. */
    rolesClaim: from('CATALOG_JWT_ROLES_CLAIM', text.default('roles')),
    /** Role of a token that names none. */
    defaultRole: from('CATALOG_DEFAULT_ROLE', text.default('DataConsumer')),
  }),
  /** OpenID Connect provider for signing in to the console. */
  oidc: z
    .object({
      issuer: from('CATALOG_OIDC_ISSUER', webUrl),
      clientId: from('CATALOG_OIDC_CLIENT_ID', text),
      clientSecret: from('CATALOG_OIDC_CLIENT_SECRET', text.optional()),
    })
    .optional(),
  /** YAML file with roles in addition to the shipped ones. */
  policiesFile: from('CATALOG_POLICIES_FILE', text.optional()),
  /** Encryption key for secrets in the log, at least 32 bytes; `undefined`: one in the data folder. */
  secretKey: from('CATALOG_SECRET_KEY', secret.optional()),
  /** File with the signing key of checkpoints; `undefined`: one in the data folder. */
  auditKeyFile: from('CATALOG_AUDIT_KEY_FILE', text.optional()),
  /** Witnesses of checkpoints (absolute paths and addresses), and how often they receive one. */
  auditWitness: z.object({
    targets: from('CATALOG_AUDIT_WITNESS', witnessSettings.targets),
    /** Public keys of the witnesses with addresses. */
    keys: from('CATALOG_AUDIT_WITNESS_KEYS', witnessSettings.keys),
    every: from('CATALOG_AUDIT_WITNESS_EVERY', witnessSettings.every),
  }),
  /** Mail server and sender for inbox notifications. */
  mail: z
    .object({
      url: from('CATALOG_SMTP_URL', url('smtp', 'smtps').refine(URL.canParse, 'must be a complete address')),
      from: from('CATALOG_MAIL_FROM', text.regex(/^[^\r\n@]*@[^\r\n]*$/, 'must be a mail address')),
    })
    .optional(),
  /** Whether webhooks may have private addresses. */
  webhookAllowPrivate: from('CATALOG_WEBHOOK_ALLOW_PRIVATE', flag(false)),
  /** EventStoreDB connection string; `undefined`: the embedded event store. */
  eventStoreUrl: from(
    'CATALOG_EVENTSTORE_URL',
    url('esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover').optional(),
  ),
  /** Largest append that EventStoreDB accepts, in bytes of event data. */
  eventStoreMaxAppendBytes: from('CATALOG_EVENTSTORE_MAX_APPEND_BYTES', integer(65_536, 16_777_215).default(1_048_576)),
  /** MongoDB connection string; `undefined`: the embedded read models. */
  mongodbUrl: from('CATALOG_MONGODB_URL', url('mongodb', 'mongodb+srv').optional()),
  /** Services by OpenLineage namespace, if their names differ. */
  openLineageServices: from('CATALOG_OPENLINEAGE_SERVICES', serviceNames.default(new Map())),
  /** Percent of what stands below its scope that a sweep deletes unconfirmed; `undefined`: a third. */
  sweepShare: from('CATALOG_SWEEP_SHARE', integer(0, 100).optional()),
  /** Bytes for caches of the embedded stores; `undefined`: a share of the machine's memory. */
  memory: from('CATALOG_MEMORY', bytes('64MiB', '1024GiB').optional()),
  /** Timeout in seconds for reaching the stores at the start. */
  startTimeout: from('CATALOG_START_TIMEOUT', integer(1, 86_400).default(300)),
  /** Whether to write although the log is far ahead of the machine's clock. */
  acceptLogAhead: from('CATALOG_ACCEPT_LOG_AHEAD', flag(false)),
  network: z.object({
    /** Origins that may call the API, or `*`; `undefined`: only its own. */
    corsOrigins: from(
      'CATALOG_CORS_ORIGINS',
      text
        .transform(listIn)
        .refine((origins) => origins.every(isOrigin), 'must be origins such as https://portal.example.org, or *')
        .optional(),
    ),
    /** Proxies with trusted forwarding headers: none, a number of hops, or addresses. */
    trustProxy: from('CATALOG_TRUST_PROXY', trustProxy.default(false)),
    /** Requests per minute and caller; `undefined`: unlimited. */
    rateLimit: from('CATALOG_RATE_LIMIT', integer(1, 1_000_000_000).optional()),
    maxConnections: from('CATALOG_MAX_CONNECTIONS', integer(1, 1_000_000).default(limits.connections.value)),
    /** PEM files for HTTPS; without them plain HTTP. */
    tls: z
      .object({ certFile: from('CATALOG_TLS_CERT_FILE', text), keyFile: from('CATALOG_TLS_KEY_FILE', text) })
      .optional(),
  }),
})

export type Config = z.output<typeof settings> & {
  /** Whether to take over stores that belong to another log. Command line only. */
  readonly takeOver: boolean
}

type Values = Readonly<Record<string, string | undefined>>

/** The members of an object, also of an optional one; `undefined` for a single setting. */
const membersOf = (schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined => {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  return inner instanceof z.ZodObject ? inner.shape : undefined
}

const variablesIn = (schema: z.ZodType): string[] =>
  Object.values(membersOf(schema) ?? {})
    .flatMap(variablesIn)
    .concat((schema.meta()?.['variable'] as string) ?? [])

/** @param together a variable of the same object that is set */
const read = (schema: z.ZodType, values: Values, mistakes: string[], together?: string): unknown => {
  const [variable = '', ...others] = variablesIn(schema)
  const given = [variable, ...others].find((name) => values[name] !== undefined)
  const members = membersOf(schema)
  if (members === undefined) {
    const { data, error } = schema.safeParse(values[variable])
    for (const { message } of error?.issues ?? [])
      mistakes.push(`${variable} ${given === undefined ? `is required together with ${together}` : message}.`)
    return data
  }
  if (schema instanceof z.ZodOptional && given === undefined) return undefined
  return Object.fromEntries(Object.entries(members).map(([name, each]) => [name, read(each, values, mistakes, given)]))
}

export const variables = variablesIn(settings)

/** Unknown variables with our prefix. Not an error, since orchestrators set such variables themselves. */
export const unknownVariables = (env: Values): string[] =>
  Object.keys(env).filter((name) => /^CATALOG_(?!TEST_)/.test(name) && !variables.includes(name))

/**
 * Reads the configuration; an empty variable counts as unset. Messages never contain values, since some are secrets.
 * @throws ConfigError with every mistake
 */
export const readConfig = (env: Values): Config => {
  const given: Values = Object.fromEntries(
    variables.flatMap((name) => (env[name]?.trim() ? [[name, env[name]?.trim()]] : [])),
  )
  const mistakes: string[] = []
  const values = read(settings, given, mistakes) as z.output<typeof settings>
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return { ...values, takeOver: false }
}
