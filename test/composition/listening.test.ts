import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectTcp, Server, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/composition/settings/config.ts'
import { makeListener } from '../../src/composition/listening.ts'
import { makeLogger } from '../../src/composition/logger.ts'

const certificates = join(import.meta.dirname, 'certificates')

/** Of another type than the keys of the certificates. */
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })

const setUp = async (settings: NodeJS.ProcessEnv = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-tls-'))
  const files = { CATALOG_TLS_CERT_FILE: join(folder, 'cert.pem'), CATALOG_TLS_KEY_FILE: join(folder, 'key.pem') }
  const use = (name: string): void => {
    copyFileSync(join(certificates, `${name}.cert.pem`), files.CATALOG_TLS_CERT_FILE)
    copyFileSync(join(certificates, `${name}.key.pem`), files.CATALOG_TLS_KEY_FILE)
  }
  use('first')
  const config = readConfig({ CATALOG_PORT: '0', ...files, ...settings })
  const lines: string[] = []
  const logger = makeLogger('info', { write: (line) => lines.push(line) })
  const listening = await makeListener(config, (_, response) => response.end('ok'), logger)
  await listening.begin()
  onTestFinished(async () => {
    await listening.close()
    rmSync(folder, { recursive: true })
  })
  return { files, use, url: listening.url(), lines }
}

/** Name in the certificate that a server shows. */
const shownBy = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(url, { agent: false, rejectUnauthorized: false }, (response) => {
      resolve((response.socket as TLSSocket).getPeerCertificate().subject.CN as string)
      response.resume()
    })
      .on('error', reject)
      .end()
  })

test('HTTPS is spoken with the files that are named, and with new ones once they are there', async () => {
  const { files, use, url, lines } = await setUp()
  expect(url).toMatch(/^https:/)
  expect(await shownBy(url)).toBe('first.example.org')
  use('second')
  await expect.poll(() => shownBy(url)).toBe('second.example.org')
  writeFileSync(files.CATALOG_TLS_CERT_FILE, 'half a certificate')
  await expect.poll(() => lines.join('')).toContain('the old one stays')
  lines.length = 0
  use('second')
  await expect.poll(() => lines.join('')).toContain('was read again')
  lines.length = 0
  writeFileSync(files.CATALOG_TLS_KEY_FILE, rsaKey)
  await expect.poll(() => lines.join('')).toContain('the old one stays')
  expect(await shownBy(url)).toBe('second.example.org')
})

test('connections that only begin a handshake take no place of those that are made', async () => {
  const { url } = await setUp({ CATALOG_MAX_CONNECTIONS: '1' })
  const begun = async (): Promise<Socket> => {
    const socket = connectTcp(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const ask = async (socket: Socket): Promise<string> => {
    const secure = connectTls({ socket, rejectUnauthorized: false })
    secure.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = (await once(secure, 'data')) as [Buffer]
    return answer.toString()
  }
  const [first, second] = [await begun(), await begun()]
  expect(await ask(first)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ask(second)).toMatch(/^HTTP\/1\.1 503 /)
})

test('errors of the server while it listens are logged and end nothing', async () => {
  const lines: string[] = []
  const logger = makeLogger('info', { write: (line) => lines.push(line) })
  const listen = vi.spyOn(Server.prototype, 'listen')
  onTestFinished(() => listen.mockRestore())
  const listening = await makeListener(readConfig({ CATALOG_PORT: '0' }), () => {}, logger)
  onTestFinished(async () => void (await listening.close()))
  await listening.begin()
  const [server] = listen.mock.contexts as Server[]
  for (const message of ['first', 'second']) server?.emit('error', new Error(message))
  expect(lines.map((line) => (JSON.parse(line) as { err: Error }).err.message)).toEqual(['first', 'second'])
})

test('connections beyond the limit are refused and counted', async () => {
  let refused = 0
  const config = readConfig({ CATALOG_PORT: '0', CATALOG_MAX_CONNECTIONS: '1' })
  const listening = await makeListener(
    config,
    () => {},
    makeLogger('silent'),
    () => void (refused += 1),
  )
  await listening.begin()
  const leaving = new AbortController()
  const waiting = fetch(listening.url(), { signal: leaving.signal }).catch(() => undefined)
  onTestFinished(async () => {
    leaving.abort()
    await Promise.all([waiting, listening.close()])
  })
  await expect.poll(async () => (await fetch(listening.url(), { headers: { connection: 'close' } })).status).toBe(503)
  const before = refused
  for (let at = 0; at < 3; at++) expect((await fetch(listening.url())).status).toBe(503)
  expect(refused).toBe(before + 3)
})

test('files that are not a key pair are refused at the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'rsa.key.pem'), rsaKey)
  const logger = makeLogger('silent')
  for (const [key, why] of [
    [join(certificates, 'second.key.pem'), 'mismatch'],
    [join(folder, 'rsa.key.pem'), 'the key is that of another certificate'],
  ] as const) {
    const files = { CATALOG_TLS_CERT_FILE: join(certificates, 'first.cert.pem'), CATALOG_TLS_KEY_FILE: key }
    await expect(makeListener(readConfig({ CATALOG_PORT: '0', ...files }), () => {}, logger)).rejects.toThrow(why)
  }
})

test('where the process may open few files, fewer connections are taken than configured, and the log says so', async () => {
  const report = vi.spyOn(process.report, 'getReport').mockReturnValue({ userLimits: { open_files: { soft: 151 } } })
  onTestFinished(() => report.mockRestore())
  const { url, lines } = await setUp()
  expect(lines.join('')).toContain('"files":151,"connections":1,')
  const { hostname: host, port } = new URL(url)
  const first = connectTls({ host, port: Number(port), rejectUnauthorized: false })
  onTestFinished(() => void first.destroy())
  await once(first, 'secureConnect')
  const status = new Promise((resolve, reject) => {
    request(url, { agent: false, rejectUnauthorized: false }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end()
  })
  expect(await status).toBe(503)
})
