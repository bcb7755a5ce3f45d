import { z } from 'zod'
import { witnessVariables } from '../../subscriptions/witnesses/setting.ts'
import { integer, networkVariables, toNetworkConfig } from './networkConfig.ts'

/** The environment does not make a configuration; the message lists every mistake, one on each line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(['The configuration cannot be used:', ...mistakes].join('\n  - '))
    this.mistakes = mistakes
  }
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const logFormats = ['auto', 'text', 'json'] as const

const text = z.string()

const units: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

/** A number of bytes, such as `536870912`, `512MiB` or `1.5GiB`. */
const bytes = (low: number) =>
  text.transform((value, context) => {
    const [, digits, unit] = /^(\d{1,15}(?:\.\d+)?) ?([KMG]iB)?$/.exec(value) ?? []
    const found = Math.floor(Number(digits) * (unit === undefined ? 1 : (units[unit] as number)))
    if (found >= low) return found
    const message = `must be a number of bytes such as 512MiB, at least ${low / 2 ** 20}MiB`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

const secret = text.refine((value) => Buffer.byteLength(value) >= 32, 'must have at least 32 bytes')

const schemeOf = (value: string): string => /^([a-z][a-z0-9+.-]*):\/\/./i.exec(value)?.[1]?.toLowerCase() ?? ''

const url = (schemes: readonly string[]) =>
  text.refine(
    (value) => schemes.includes(schemeOf(value)),
    `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )

const webUrl = url(['http', 'https']).refine((value) => URL.canParse(value), 'must be a complete address')

const baseUrl = webUrl
  .refine((value) => !URL.canParse(value) || !/[?#]/.test(value), 'must have no query and no fragment')
  .transform((value) => value.replace(/\/+$/, ''))

const optional = <T extends z.ZodType>(schema: T) => schema.optional()

/** `namespace=service, …`; a namespace may have equals signs, a service none. */
const serviceNames = text.transform((value, context) => {
  const pairs = value.split(',').map((each) => /^\s*(.+)=([^=]+?)\s*$/.exec(each))
  if (pairs.includes(null)) {
    context.addIssue({ code: 'custom', message: 'must be namespace=service, separated by commas' })
    return z.NEVER
  }
  return new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
})

const environment = z.object({
  CATALOG_HOST: text.default('127.0.0.1'),
  CATALOG_PORT: integer(0, 65_535).default(8585),
  CATALOG_DATA_DIR: text.default('./data'),
  CATALOG_BASE_URL: optional(baseUrl),
  CATALOG_LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  CATALOG_LOG_FORMAT: z.enum(logFormats, `must be one of ${logFormats.join(', ')}`).default('auto'),
  CATALOG_JWT_SECRET: optional(secret),
  CATALOG_JWT_PUBLIC_KEY_FILE: optional(text),
  CATALOG_JWKS_URL: optional(webUrl),
  CATALOG_JWT_ISSUER: optional(text),
  CATALOG_JWT_AUDIENCE: optional(text),
  CATALOG_JWT_REQUIRE_EXPIRY: z.enum(['true', 'false'], 'must be true or false').default('true'),
  CATALOG_JWT_ROLES_CLAIM: text.default('roles'),
  CATALOG_DEFAULT_ROLE: text.default('DataConsumer'),
  CATALOG_OIDC_ISSUER: optional(webUrl),
  CATALOG_OIDC_CLIENT_ID: optional(text),
  CATALOG_OIDC_CLIENT_SECRET: optional(text),
  CATALOG_POLICIES_FILE: optional(text),
  CATALOG_SECRET_KEY: optional(secret),
  CATALOG_AUDIT_KEY_FILE: optional(text),
  ...witnessVariables,
  CATALOG_WEBHOOK_ALLOW_PRIVATE: z.enum(['true', 'false'], 'must be true or false').default('false'),
  CATALOG_SMTP_URL: optional(url(['smtp', 'smtps']).refine(URL.canParse, 'must be a complete address')),
  CATALOG_MAIL_FROM: optional(text.regex(/^[^\r\n]*@[^\r\n]*$/, 'must be a mail address')),
  CATALOG_EVENTSTORE_URL: optional(url(['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover'])),
  CATALOG_EVENTSTORE_MAX_APPEND_BYTES: integer(65_536, 16_777_215).default(1_048_576),
  CATALOG_MONGODB_URL: optional(url(['mongodb', 'mongodb+srv'])),
  CATALOG_OPENLINEAGE_SERVICES: serviceNames.default(new Map()),
  CATALOG_MEMORY: optional(bytes(64 * 2 ** 20)),
  CATALOG_START_TIMEOUT: integer(1, 86_400).default(300),
  CATALOG_ACCEPT_LOG_AHEAD: z.enum(['true', 'false'], 'must be true or false').default('false'),
  ...networkVariables,
})

/** Settings that only make sense together. */
const together = [
  ['CATALOG_OIDC_ISSUER', 'CATALOG_OIDC_CLIENT_ID'],
  ['CATALOG_SMTP_URL', 'CATALOG_MAIL_FROM'],
  ['CATALOG_TLS_CERT_FILE', 'CATALOG_TLS_KEY_FILE'],
] as const

const complete = environment.superRefine((values, context) => {
  for (const [one, other] of together) {
    const isGiven = values[one] !== undefined
    if (isGiven === (values[other] !== undefined)) continue
    const [missing, given] = isGiven ? [other, one] : [one, other]
    context.addIssue({ code: 'custom', path: [missing], message: `is needed beside ${given}` })
  }
})

const variables = Object.keys(environment.shape)

/** Variables with our prefix that nothing reads. No mistake, since orchestrators set such variables by themselves. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env).filter((name) => /^CATALOG_(?!TEST_)/.test(name) && !variables.includes(name))

/**
 * Reads the configuration; an empty variable counts as not set. Values are in no message, since some are secrets.
 * @throws ConfigError with every mistake
 */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const given = Object.fromEntries(
    variables.flatMap((name) => {
      const value = env[name]?.trim()
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  const parsed = complete.safeParse(given)
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`))
  }
  return toConfig(parsed.data)
}

type Values = z.output<typeof environment>

const toJwtConfig = (values: Values) => ({
  /** HS256 secret, at least 32 bytes. */
  secret: values.CATALOG_JWT_SECRET,
  /** PEM file with an RSA or P-256 public key. */
  publicKeyFile: values.CATALOG_JWT_PUBLIC_KEY_FILE,
  jwksUrl: values.CATALOG_JWKS_URL,
  issuer: values.CATALOG_JWT_ISSUER,
  audience: values.CATALOG_JWT_AUDIENCE,
  /** Tokens without `exp` are refused. */
  requireExpiry: values.CATALOG_JWT_REQUIRE_EXPIRY === 'true',
  /** Name of the claim that holds the roles, or a dotted path to it. */
  rolesClaim: values.CATALOG_JWT_ROLES_CLAIM,
  /** Role of a token that names none. */
  defaultRole: values.CATALOG_DEFAULT_ROLE,
})

const toOidcConfig = (values: Values) =>
  values.CATALOG_OIDC_ISSUER === undefined || values.CATALOG_OIDC_CLIENT_ID === undefined
    ? undefined
    : {
        issuer: values.CATALOG_OIDC_ISSUER,
        clientId: values.CATALOG_OIDC_CLIENT_ID,
        clientSecret: values.CATALOG_OIDC_CLIENT_SECRET,
      }

const toConfig = (values: Values) => ({
  host: values.CATALOG_HOST,
  /** 0 lets the system choose a free port. */
  port: values.CATALOG_PORT,
  /** Folder of the embedded stores and of generated keys. */
  dataDir: values.CATALOG_DATA_DIR,
  /** Public address in front of `/api`, without a slash at the end; `undefined`: taken from each request. */
  baseUrl: values.CATALOG_BASE_URL,
  logLevel: values.CATALOG_LOG_LEVEL,
  /** `auto`: lines for people in a terminal, JSON elsewhere. */
  logFormat: values.CATALOG_LOG_FORMAT,
  jwt: toJwtConfig(values),
  /** Provider that people sign in to the console with; `undefined`: none. */
  oidc: toOidcConfig(values),
  /** YAML file with roles beside the shipped ones. */
  policiesFile: values.CATALOG_POLICIES_FILE,
  /** Key for the secrets in the log, at least 32 bytes; `undefined`: a key of the data folder. */
  secretKey: values.CATALOG_SECRET_KEY,
  /** File with the key that checkpoints of the log are signed with; `undefined`: one of the data folder. */
  auditKeyFile: values.CATALOG_AUDIT_KEY_FILE,
  /** Who is given the checkpoints of the log, and when: absolute paths of files, and addresses. */
  auditWitness: {
    targets: values.CATALOG_AUDIT_WITNESS,
    /** Of the witnesses at addresses. */
    keys: values.CATALOG_AUDIT_WITNESS_KEYS,
    every: values.CATALOG_AUDIT_WITNESS_EVERY,
  },
  /** Server that inboxes are mailed by, and who sends; `undefined`: none. */
  mail:
    values.CATALOG_SMTP_URL === undefined || values.CATALOG_MAIL_FROM === undefined
      ? undefined
      : { url: values.CATALOG_SMTP_URL, from: values.CATALOG_MAIL_FROM },
  /** Webhooks may be sent to addresses that are not public. */
  webhookAllowPrivate: values.CATALOG_WEBHOOK_ALLOW_PRIVATE === 'true',
  /** EventStoreDB connection string; `undefined`: the embedded event store. */
  eventStoreUrl: values.CATALOG_EVENTSTORE_URL,
  /** Largest append that EventStoreDB takes, in bytes of event data. */
  eventStoreMaxAppendBytes: values.CATALOG_EVENTSTORE_MAX_APPEND_BYTES,
  /** MongoDB connection string; `undefined`: the embedded read models. */
  mongodbUrl: values.CATALOG_MONGODB_URL,
  /** Services by the namespaces of OpenLineage that stand for them, where they are not called the same. */
  openLineageServices: values.CATALOG_OPENLINEAGE_SERVICES,
  /** Bytes for caches of the embedded stores; `undefined`: a share of the machine's. */
  memory: values.CATALOG_MEMORY,
  /** What belongs to another log becomes this one's. Said on the command line alone. */
  takeOver: false as boolean,
  /** Seconds that a store may take to be reached at the start. */
  startTimeout: values.CATALOG_START_TIMEOUT,
  /** Write also when the log is far ahead of the machine's clock. */
  acceptLogAhead: values.CATALOG_ACCEPT_LOG_AHEAD === 'true',
  network: toNetworkConfig(values),
})

export type Config = ReturnType<typeof toConfig>
