import { execFile, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'
import { adminToken } from '../support/service.ts'

const program = resolve(import.meta.dirname, '../../examples/python/catalog.py')

const python = spawnSync('python3', ['--version']).status === 0
if (!python) console.warn('skipped: the example in Python, since there is no python3 on this machine')

test.skipIf(!python)('the example in Python writes, asks about the past, lists, and goes on where it was', async () => {
  const { url } = await startInProcess()
  const env = { ...process.env, CATALOG_URL: url, CATALOG_TOKEN: adminToken }
  const options = { cwd: await temporaryFolder(), env }
  const { stdout } = await promisify(execFile)('python3', [program], options)
  const lines = stdout.split('\n')
  expect(lines).toContain('now: Second. version 0.2')
  expect(lines).toContain('before: First.')
  expect(lines).toContain("all: ['python']")
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}\/colour /))
  expect(lines.filter((line) => line.startsWith('event:'))).toEqual([
    expect.stringContaining('catalog.databaseService.Created python by admin'),
    expect.stringContaining('catalog.databaseService.Updated python by admin'),
  ])
  const again = await promisify(execFile)('python3', [program], options)
  expect(again.stdout).toContain('now: Second. version 0.4')
  expect(again.stdout.match(/event:/g)).toHaveLength(2)
})

test.skipIf(!python)(
  'what may be sent twice is sent again after a connection that ends early; a POST is not',
  async () => {
    const seen: string[] = []
    const server = createServer(({ method }, response) => {
      seen.push(method as string)
      if (seen.length === 1 || method === 'POST') response.destroy()
      else if (seen.length === 2) {
        response.writeHead(200, { 'content-length': '100' }).write('{"some":')
        setImmediate(() => response.destroy())
      } else response.end('{"whole": true}')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void server.close())
    const code = `
from catalog import Catalog
catalog = Catalog("http://127.0.0.1:${(server.address() as AddressInfo).port}", "x")
print(catalog.call("GET", "/v1/events"))
try:
    catalog.call("POST", "/v1/glossaries", {"name": "g"})
except OSError as error:
    print(type(error).__name__)
`
    const options = { cwd: dirname(program), env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } }
    const { stdout } = await promisify(execFile)('python3', ['-c', code], options)
    expect(stdout.split('\n')).toEqual(["{'whole': True}", 'RemoteDisconnected', ''])
    expect(seen).toEqual(['GET', 'GET', 'GET', 'POST'])
  },
)
