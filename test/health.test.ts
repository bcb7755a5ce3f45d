import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const pem = (name: string): string => join(import.meta.dirname, 'composition/certificates', name)
const [certFile, keyFile] = [pem('first.cert.pem'), pem('first.key.pem')]

/** The exit code of the health check of the image. */
const check = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
  const child = spawn(process.execPath, ['bin/health.js'], { cwd: root, env, stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code
}

test.each([
  ['HTTP', {}, () => http.createServer()],
  [
    'HTTPS',
    { CATALOG_TLS_CERT_FILE: certFile },
    () => https.createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }),
  ],
])('a container is healthy as long as the service in it answers, over %s', async (_, tls, create) => {
  let status = 200
  const paths: (string | undefined)[] = []
  const server = create().on('request', ({ url }: http.IncomingMessage, response: http.ServerResponse) => {
    paths.push(url)
    response.writeHead(status).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const env = { ...tls, CATALOG_PORT: String((server.address() as AddressInfo).port) }
  expect(await check(env)).toBe(0)
  status = 503
  expect(await check(env)).toBe(1)
  expect(paths).toEqual(['/livez', '/livez'])
  server.close()
  await once(server, 'close')
  expect(await check(env)).toBe(1)
})

test('the health check reads settings as the service does: an empty one counts as unset, and the host is where it listens', async () => {
  const server = http.createServer((_, response) => response.end())
  await once(server.listen(0, '127.0.0.2'), 'listening')
  onTestFinished(() => void server.close())
  const CATALOG_PORT = ` ${(server.address() as AddressInfo).port}`
  expect(await check({ CATALOG_HOST: '127.0.0.2', CATALOG_TLS_CERT_FILE: ' ', CATALOG_PORT })).toBe(0)
})
