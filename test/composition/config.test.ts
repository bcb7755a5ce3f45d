import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig, unknownVariables } from '../../src/composition/settings/config.ts'

const mistakesOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.lines.slice(1).map((line) => line.replace('  - ', ''))
    throw error
  }
  return []
}

describe('readConfig', () => {
  it('works with nothing set', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8585,
      dataDir: './data',
      baseUrl: undefined,
      logLevel: 'info',
      logFormat: 'auto',
      jwt: {
        secret: undefined,
        publicKeyFile: undefined,
        jwksUrl: undefined,
        issuer: undefined,
        audience: undefined,
        requireExpiry: true,
        rolesClaim: 'roles',
        defaultRole: 'DataConsumer',
      },
      policiesFile: undefined,
      secretKey: undefined,
      startTimeout: 300,
      takeOver: false,
      acceptLogAhead: false,
      auditKeyFile: undefined,
      auditWitness: { targets: [], keys: [], every: { events: 1000, milliseconds: 600_000 } },
      openLineageServices: new Map(),
      webhookAllowPrivate: false,
      eventStoreUrl: undefined,
      eventStoreMaxAppendBytes: 1_048_576,
      mongodbUrl: undefined,
      network: {
        corsOrigins: undefined,
        trustProxy: false,
        rateLimit: undefined,
        maxConnections: 5000,
        tls: undefined,
      },
    })
  })

  it('takes every variable', () => {
    expect(
      readConfig({
        CATALOG_HOST: '0.0.0.0',
        CATALOG_PORT: '0',
        CATALOG_DATA_DIR: '/var/lib/catalog',
        CATALOG_MEMORY: '512MiB',
        CATALOG_BASE_URL: 'HTTPS://Example.org:443/catalog/',
        CATALOG_LOG_LEVEL: 'debug',
        CATALOG_LOG_FORMAT: 'json',
        CATALOG_JWT_SECRET: 'x'.repeat(32),
        CATALOG_JWT_PUBLIC_KEY_FILE: 'key.pem',
        CATALOG_JWKS_URL: 'https://id.example.org/jwks',
        CATALOG_JWT_ISSUER: 'https://id.example.org',
        CATALOG_JWT_AUDIENCE: 'catalog',
        CATALOG_JWT_REQUIRE_EXPIRY: 'false',
        CATALOG_JWT_ROLES_CLAIM: 'realm_access.roles',
        CATALOG_DEFAULT_ROLE: 'Guest',
        CATALOG_POLICIES_FILE: 'policies.yaml',
        CATALOG_SECRET_KEY: 'k'.repeat(32),
        CATALOG_AUDIT_WITNESS: '/mnt/witness/notes, https://witness.example.org/notes',
        CATALOG_AUDIT_WITNESS_EVERY: '50, 2h',
        CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true',
        CATALOG_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
        CATALOG_EVENTSTORE_MAX_APPEND_BYTES: '15728640',
        CATALOG_MONGODB_URL: 'mongodb://localhost:27017/catalog',
        CATALOG_CORS_ORIGINS: 'https://portal.example.org, http://localhost:3000',
        CATALOG_TRUST_PROXY: 'loopback, 10.0.0.0/8',
        CATALOG_RATE_LIMIT: '600',
        CATALOG_MAX_CONNECTIONS: '100',
        CATALOG_TLS_CERT_FILE: 'cert.pem',
        CATALOG_TLS_KEY_FILE: 'key.pem',
        CATALOG_START_TIMEOUT: '20',
        CATALOG_OPENLINEAGE_SERVICES: 'postgres://db.example.com:5432=shop',
        CATALOG_ACCEPT_LOG_AHEAD: 'true',
      }),
    ).toEqual({
      host: '0.0.0.0',
      startTimeout: 20,
      openLineageServices: new Map([['postgres://db.example.com:5432', 'shop']]),
      takeOver: false,
      acceptLogAhead: true,
      port: 0,
      dataDir: '/var/lib/catalog',
      memory: 2 ** 29,
      baseUrl: 'https://example.org/catalog',
      logLevel: 'debug',
      logFormat: 'json',
      jwt: {
        secret: 'x'.repeat(32),
        publicKeyFile: 'key.pem',
        jwksUrl: 'https://id.example.org/jwks',
        issuer: 'https://id.example.org',
        audience: 'catalog',
        requireExpiry: false,
        rolesClaim: 'realm_access.roles',
        defaultRole: 'Guest',
      },
      policiesFile: 'policies.yaml',
      secretKey: 'k'.repeat(32),
      auditKeyFile: undefined,
      auditWitness: {
        targets: ['/mnt/witness/notes', new URL('https://witness.example.org/notes')],
        keys: [],
        every: { events: 50, milliseconds: 7_200_000 },
      },
      webhookAllowPrivate: true,
      eventStoreUrl: 'esdb://localhost:2113?tls=false',
      eventStoreMaxAppendBytes: 15_728_640,
      mongodbUrl: 'mongodb://localhost:27017/catalog',
      network: {
        corsOrigins: ['https://portal.example.org', 'http://localhost:3000'],
        trustProxy: 'loopback, 10.0.0.0/8',
        rateLimit: 600,
        maxConnections: 100,
        tls: { certFile: 'cert.pem', keyFile: 'key.pem' },
      },
    })
  })

  it('trusts so many proxies, or none', () => {
    for (const [text, value] of [
      ['2', 2],
      ['false', false],
    ]) {
      expect(readConfig({ CATALOG_TRUST_PROXY: String(text) }).network.trustProxy).toBe(value)
    }
  })

  it.each([
    [{ CATALOG_CORS_ORIGINS: 'https://a.example.org/path' }, /^CATALOG_CORS_ORIGINS must be origins/],
    [{ CATALOG_TRUST_PROXY: 'true' }, /^CATALOG_TRUST_PROXY cannot be true/],
    [{ CATALOG_TRUST_PROXY: '10.0.0.0/33' }, /^CATALOG_TRUST_PROXY must be false/],
    [{ CATALOG_AUDIT_WITNESS: 'ftp://witness.example.org' }, /^CATALOG_AUDIT_WITNESS must be paths of files, or/],
    [{ CATALOG_AUDIT_WITNESS_EVERY: 'often' }, /^CATALOG_AUDIT_WITNESS_EVERY must be a number of events/],
    [{ CATALOG_RATE_LIMIT: '0' }, /^CATALOG_RATE_LIMIT must be a whole number from 1/],
    [{ CATALOG_MAX_CONNECTIONS: '-1' }, /^CATALOG_MAX_CONNECTIONS must be a whole number from 1/],
    [{ CATALOG_OPENLINEAGE_SERVICES: 'a=b, c=d, a=e' }, /^CATALOG_OPENLINEAGE_SERVICES must name each namespace once/],
    [{ CATALOG_TLS_CERT_FILE: 'cert.pem' }, /CATALOG_TLS_KEY_FILE is required together with CATALOG_TLS_CERT_FILE/],
    ...['12MiB', 'much', '1TiB', '1025GiB', '1000000000000000GiB'].map((CATALOG_MEMORY): [object, RegExp] => [
      { CATALOG_MEMORY },
      /^CATALOG_MEMORY must be a number of bytes, or of KiB, MiB or GiB such as 512MiB, from 64MiB to 1024GiB/,
    ]),
  ])('refuses %j', (env, mistake) => {
    expect(mistakesOf(env as Record<string, string>)).toEqual([expect.stringMatching(mistake)])
  })

  it('refuses an option of a group of settings without the group', () => {
    expect(mistakesOf({ CATALOG_OIDC_CLIENT_SECRET: 'secret' })).toEqual([
      'CATALOG_OIDC_ISSUER is required together with CATALOG_OIDC_CLIENT_SECRET.',
      'CATALOG_OIDC_CLIENT_ID is required together with CATALOG_OIDC_CLIENT_SECRET.',
    ])
  })

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ CATALOG_PORT: '', CATALOG_JWT_SECRET: ' ' })).toEqual(readConfig({}))
  })

  it('names every mistake at once and repeats no value', () => {
    const mistakes = mistakesOf({
      CATALOG_PORT: '65536',
      CATALOG_LOG_LEVEL: 'loud',
      CATALOG_JWT_SECRET: 'too short',
      CATALOG_EVENTSTORE_URL: 'http://localhost:2113',
      CATALOG_MONGODB_URL: 'localhost',
      CATALOG_BASE_URL: 'ftp://example.org',
    })
    expect(mistakes).toEqual([
      'CATALOG_PORT must be a whole number from 0 to 65535.',
      'CATALOG_BASE_URL must be an address that begins with http:// or https://.',
      'CATALOG_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent.',
      'CATALOG_JWT_SECRET must have at least 32 bytes.',
      'CATALOG_EVENTSTORE_URL must be an address that begins with ' +
        'esdb:// or esdb+discover:// or kurrentdb:// or kurrentdb+discover://.',
      'CATALOG_MONGODB_URL must be an address that begins with mongodb:// or mongodb+srv://.',
    ])
  })

  it.each(['', ' 80 80', '-1', '8585.5', '1e3', '0x50', 'tcp://10.0.0.1:8585'])(
    'refuses the port %j unless it is empty',
    (port) => {
      expect(mistakesOf({ CATALOG_PORT: port })).toHaveLength(port === '' ? 0 : 1)
    },
  )

  it('counts the bytes of a secret, not its characters', () => {
    expect(readConfig({ CATALOG_JWT_SECRET: 'é'.repeat(16) }).jwt.secret).toBe('é'.repeat(16))
    expect(mistakesOf({ CATALOG_JWT_SECRET: 'é'.repeat(15) })).toHaveLength(1)
  })

  it('points out variables that nothing reads', () => {
    expect(
      unknownVariables({ CATALOG_PROT: '1', CATALOG_PORT: '1', CATALOG_TEST_MONGODB_URL: 'x', HOME: '/' }),
    ).toEqual(['CATALOG_PROT'])
  })
})

it.each(['CATALOG_JWKS_URL', 'CATALOG_OIDC_ISSUER', 'CATALOG_BASE_URL'])(
  '%s with credentials is refused, and these are not named',
  (variable) => {
    const env = {
      CATALOG_OIDC_ISSUER: 'https://example.org',
      CATALOG_OIDC_CLIENT_ID: 'catalog',
      [variable]: 'https://ann:hunter2@example.org/keys',
    }
    const said = `${variable} must have no user name and no password: it is logged and shown.`
    expect(mistakesOf(env)).toEqual([said])
    expect(mistakesOf({ ...env, [variable]: 'https://ann@example.org' })).toEqual([said])
  },
)
