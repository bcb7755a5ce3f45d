import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/shared/json.ts'
import { maskSecrets } from '../../../src/kinds/index.ts'
import { isSecretName, mask } from '../../../src/kinds/members/secrets.ts'
import { derived, makeTools, problemsIn, problemsOf } from '../support.ts'

describe('a name of a secret', () => {
  it.each([
    'password',
    'Password',
    'PASSWORD',
    'passwd',
    'pwd',
    'passphrase',
    'dbPassword',
    'db_password',
    'db-password',
    'keyStorePassword',
    'passwordValue',
    'mypassword',
    'token',
    'accessToken',
    'access_token',
    'authToken',
    'refreshToken',
    'sessionToken',
    'bearerTokens',
    'apitoken',
    'githubPat',
    'token_value',
    'jwt',
    'sasToken',
    'secret',
    'clientSecret',
    'client_secret',
    'secretKey',
    'awsSecretAccessKey',
    'secretId',
    'clientsecret',
    'sharedSecret',
    'secretText',
    'apiKey',
    'api_key',
    'apikey',
    'X-Api-Key',
    'accessKey',
    'accountKey',
    'privateKey',
    'private_key',
    'sshKey',
    'encryptionKey',
    'storageKey',
    'subscriptionKey',
    'key',
    'credential',
    'credentials',
    'gcpCredentials',
    'credentialsJson',
    'serviceAccountCredential',
    'Authorization',
    'connectionString',
    'dsn',
    'cookie',
  ])('%s', (name) => expect(isSecretName(name)).toBe(true))
})

describe('no name of a secret', () => {
  it.each([
    'user',
    'username',
    'hostPort',
    'database',
    'type',
    'tokenEndpoint',
    'tokenUrl',
    'token_uri',
    'tokenType',
    'tokenExpiry',
    'keyspace',
    'keySpace',
    'keyspaceName',
    'keytab',
    'passwordFile',
    'passwordPolicy',
    'credentialsProvider',
    'credentialsPath',
    'secretArn',
    'secretName',
    'secretsManager',
    'awsAccessKeyId',
    'privateKeyId',
    'keyId',
    'publicKey',
    'primaryKey',
    'partitionKey',
    'sort_key',
    'projectKey',
    'foreignKeys',
    'keyField',
    'authType',
    'trackingUri',
    'monkey',
    'turkeyRegion',
    'tokenizer',
    'compassWidth',
    'secretary',
    'supportsMetadataExtraction',
    'connectionTimeout',
    'private',
    '',
    '***',
  ])('%s', (name) => expect(isSecretName(name)).toBe(false))
})

const sealed = (config: JsonObject, before?: JsonObject, tools = makeTools()): JsonObject => {
  const members = derived(
    'databaseService',
    { connection: { config } },
    { before: before && { connection: { config: before } } },
    tools,
  )
  return (members['connection'] as JsonObject)['config'] as JsonObject
}

describe('secrets of a connection', () => {
  const config = {
    type: 'Postgres',
    username: 'ann',
    password: 'one',
    hostPort: 'localhost:5432',
    port: 5432,
    pin: 1234,
    usePassword: true,
    authType: { password: 'two', deeper: [{ apiKey: 'three' }, 'plain'] },
    tokens: ['four', 'five'],
    credentials: {
      type: 'service_account',
      projectId: 'p1',
      clientEmail: 'x@y.z',
      privateKeyId: 'k1',
      anything: 'six',
      nested: { more: 'seven', url: 'https://z' },
    },
    url: 'jdbc:postgresql://ann:eight@host/db',
    emptyPassword: '',
    noPassword: null,
  }

  it('are sealed at any depth, the rest stays readable', () => {
    const result = sealed(config)
    expect(maskSecrets(result)).toEqual({
      type: 'Postgres',
      username: 'ann',
      password: mask,
      hostPort: 'localhost:5432',
      port: 5432,
      pin: mask,
      usePassword: true,
      authType: { password: mask, deeper: [{ apiKey: mask }, 'plain'] },
      tokens: [mask, mask],
      credentials: {
        type: 'service_account',
        projectId: 'p1',
        clientEmail: 'x@y.z',
        privateKeyId: 'k1',
        anything: mask,
        nested: { more: mask, url: 'https://z' },
      },
      url: mask,
      emptyPassword: '',
      noPassword: null,
    })
    for (const plain of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']) {
      expect(JSON.stringify(maskSecrets(result))).not.toContain(plain)
    }
  })

  it('sent again, or masked, change nothing', () => {
    const tools = makeTools()
    const stored = sealed(config, undefined, tools)
    expect(sealed(config, stored, tools)).toEqual(stored)
    expect(sealed(maskSecrets(stored) as JsonObject, stored, tools)).toEqual(stored)
    expect(sealed(stored, stored, tools)).toEqual(stored)
  })

  it('that are others are sealed anew', () => {
    const tools = makeTools()
    const stored = sealed({ password: 'one', token: 'two' }, undefined, tools)
    const now = sealed({ password: 'other', token: mask }, stored, tools)
    expect(now['token']).toEqual(stored['token'])
    expect(tools.open(now['password'] as JsonObject)).toBe('other')
  })

  it('that were sealed with a key that is lost are sealed anew', () => {
    const stored = sealed({ password: 'one' })
    const broken = {
      ...makeTools(),
      open: () => {
        throw new Error('another key')
      },
    }
    expect(maskSecrets(sealed({ password: 'one' }, stored, broken))).toEqual({ password: mask })
  })

  it('cannot be masked where none is stored', () => {
    expect(
      problemsOf('databaseService', { connection: { config: { a: { 'pass/word': 'x', password: mask } } } }),
    ).toEqual(['/connection/config/a/password: is masked, and no secret is stored here: send the secret itself'])
    expect(sealed({ note: mask })).toEqual({ note: mask })
  })

  it('cannot be sent sealed', () =>
    expect(
      problemsIn('databaseService', {
        name: 'a',
        serviceType: 'b',
        connection: { config: { password: { $sealed: 'x' } } },
      }),
    ).toEqual(['/connection/config/password/$sealed: this name is reserved']))

  it('never change for the same request, whatever it holds', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('password', 'token', 'a', 'list', 'credentials'), fc.jsonValue({ maxDepth: 3 })),
        (any) => {
          const value = JSON.parse(JSON.stringify(any)) as JsonObject
          if (JSON.stringify(value).includes(mask)) return
          const tools = makeTools()
          const once = sealed(value, undefined, tools)
          expect(sealed(value, once, tools)).toEqual(once)
          expect(sealed(maskSecrets(once) as JsonObject, once, tools)).toEqual(once)
        },
      ),
    ))
})

it('masks only what is sealed', () =>
  expect(maskSecrets([{ $sealed: 'x' }, { $sealed: 5 }, { a: null }, 'b'] as Json)).toEqual([
    mask,
    { $sealed: 5 },
    { a: null },
    'b',
  ]))
