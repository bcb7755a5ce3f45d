import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeLogger } from '../../src/composition/logger.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { signInFor } from '../../src/composition/signIn.ts'

const certificates = join(import.meta.dirname, 'certificates')
const tls = {
  CATALOG_TLS_CERT_FILE: join(certificates, 'first.cert.pem'),
  CATALOG_TLS_KEY_FILE: join(certificates, 'first.key.pem'),
}

const sessionsWith = (env: NodeJS.ProcessEnv) => {
  const config = readConfig({ CATALOG_SECRET_KEY: 'a secret key of more than 32 bytes in length', ...env })
  const authenticate = () => ({ name: 'ann', roles: [] })
  return signInFor(config, authenticate, { roles: [] }, async () => 'first', makeLogger('silent')).sessions
}

test.each([
  [tls, true],
  [{ CATALOG_BASE_URL: 'https://catalog.example.org' }, true],
  [{ CATALOG_BASE_URL: 'http://catalog.example.org' }, false],
  [{}, false],
])('cookies of a service with %j are for https alone: %j', (env, secure) => {
  expect(sessionsWith(env).cookieNamed('any').startsWith('__Host-')).toBe(secure)
})

test.each([
  [{ CATALOG_BASE_URL: 'https://example.org/team/catalog/' }, '__Host-any%2Fteam%2Fcatalog'],
  [{ CATALOG_BASE_URL: 'http://example.org/team' }, 'any%2Fteam'],
  [{ CATALOG_BASE_URL: 'https://example.org' }, '__Host-any'],
  [{}, 'any'],
])('cookies of a service with %j have its path in their names, as %s', (env, name) => {
  expect(sessionsWith(env).cookieNamed('any')).toBe(name)
})
