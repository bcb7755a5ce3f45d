import { expect, it, onTestFinished, vi } from 'vitest'
import { clientsFor, sendRequest } from '../../src/cli/client/apiClient.ts'
import { serviceUrl } from '../../src/cli/command/settings.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { listening } from '../support/listening.ts'
import { testSecret } from '../support/service.ts'

const tls = { CATALOG_TLS_CERT_FILE: 'cert.pem', CATALOG_TLS_KEY_FILE: 'key.pem' }

it.each([
  ['UND_ERR_HEADERS_TIMEOUT', 'may still be at work'],
  ['ECONNREFUSED', 'Nothing answers at http://127.0.0.1:9'],
  ['ECONNRESET', 'gave no answer: ECONNRESET. The request may have been carried out.'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'is not accepted, and nothing was sent: DEPTH_ZERO_SELF_SIGNED_CERT. Name an address',
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is not accepted, and nothing was sent: ERR_TLS_CERT_ALTNAME_INVALID.'],
])('says whether nobody answers or it only takes long: %s', async (code, message) => {
  const failing = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  const fetching = vi.spyOn(globalThis, 'fetch').mockRejectedValue(failing)
  onTestFinished(() => fetching.mockRestore())
  await expect(sendRequest('http://127.0.0.1:9/x', undefined)).rejects.toThrow(message)
})

it('says that nothing answers at a port that fetch refuses', () =>
  expect(sendRequest('http://127.0.0.1:9/x', undefined)).rejects.toThrow('Nothing answers at http://127.0.0.1:9'))

it('reads again where the connection ends as it is used, and writes nothing twice', async () => {
  const asked: string[] = []
  const url = await listening(({ method = '', socket }, response) => {
    asked.push(method)
    if (asked.length % 2 === 0) socket.destroy()
    else response.end('{}')
  })
  for (let round = 0; round < 2; round++) await sendRequest(url, undefined)
  await expect(sendRequest(url, undefined, { method: 'PUT' })).rejects.toThrow('gave no answer')
  expect(asked).toEqual(['GET', 'GET', 'GET', 'PUT'])
})

it('says whose answer is none that the catalog gives, or breaks off', async () => {
  const url = await listening(({ url: asked, socket }, response) => {
    if (asked === '/api/v1/page') response.end('<html>')
    else response.writeHead(200, { 'content-length': 100 }).write('{"data":', () => socket.destroy())
  })
  const client = clientsFor({ url, token: 'given' }, 'tester')()
  await expect(client.get('page')).rejects.toThrow(`The answer of ${url}/api/v1/page cannot be read: Unexpected token`)
  await expect(client.put('broken', {})).rejects.toThrow(`The answer of ${url}/api/v1/broken cannot be read: `)
})

it.each([
  [{}, 'http://127.0.0.1:8585'],
  [{ CATALOG_BASE_URL: 'https://catalog.example.org' }, 'http://127.0.0.1:8585'],
  [tls, 'https://127.0.0.1:8585'],
  [{ ...tls, CATALOG_BASE_URL: 'http://catalog.example.org' }, 'https://127.0.0.1:8585'],
  [{ ...tls, CATALOG_BASE_URL: 'https://catalog.example.org/team/' }, 'https://catalog.example.org/team'],
])('calls a service with the settings %j at %s', (env, url) => expect(serviceUrl(readConfig(env))).toBe(url))

it.each([
  ['http://127.0.0.1:18771', 'http://catalog.example.org', false],
  ['http://catalog.example.org:8585', 'http://catalog.example.org', false],
  ['https://127.0.0.1:8585', 'http://catalog.example.org', false],
  ['http://localhost.example.org:8585', 'http://catalog.example.org', false],
  ['http://127.0.0.1:8585/', 'http://catalog.example.org', true],
  ['http://localhost:8585', 'http://catalog.example.org', true],
  ['http://[::1]:8585', 'http://catalog.example.org', true],
  ['http://catalog.example.org', 'http://catalog.example.org', true],
])('signs a token for the service of this machine alone: for %s, known as %s, %s', async (url, baseUrl, signs) => {
  const sent: unknown[] = []
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation((asked) => {
    sent.push(asked)
    return Promise.resolve(Response.json({}))
  })
  vi.stubEnv('CATALOG_JWT_SECRET', testSecret)
  vi.stubEnv('CATALOG_BASE_URL', baseUrl)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    fetching.mockRestore()
  })
  const ask = async (token?: string) => clientsFor({ url, ...(token && { token }) }, 'tester')().get('me')
  if (signs) await ask()
  else await expect(ask()).rejects.toThrow('is not http://127.0.0.1:8585, the service of this machine: give a token')
  await ask('given')
  expect(sent).toHaveLength(signs ? 2 : 1)
})

it('sends a valid token, also in a command that runs for days', async () => {
  const sent: string[] = []
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
    sent.push(new Headers(init?.headers).get('authorization') ?? '')
    return Promise.resolve(Response.json({}))
  })
  vi.stubEnv('CATALOG_JWT_SECRET', testSecret)
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
    fetching.mockRestore()
  })
  const client = clientsFor({}, 'catalog-mcp')()
  for (const hours of [0, 2]) {
    vi.setSystemTime(Date.now() + hours * 3_600_000)
    await client.get('tables')
    const { exp } = JSON.parse(Buffer.from(sent.at(-1)?.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }
    expect(exp * 1000).toBeGreaterThan(Date.now())
  }
})
