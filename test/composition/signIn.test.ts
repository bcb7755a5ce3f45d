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

test.each([
  [tls, true],
  [{ CATALOG_BASE_URL: 'https://catalog.example.org' }, true],
  [{ CATALOG_BASE_URL: 'http://catalog.example.org' }, false],
  [{}, false],
])('cookies of a service with %j are for https alone: %j', (env, secure) => {
  const config = readConfig({ CATALOG_SECRET_KEY: 'a secret key of more than 32 bytes in length', ...env })
  const authenticate = () => ({ name: 'ann', roles: [] })
  const { sessions } = signInFor(config, authenticate, { roles: [] }, async () => 'first', makeLogger('silent'))
  expect(sessions.secure).toBe(secure)
})
