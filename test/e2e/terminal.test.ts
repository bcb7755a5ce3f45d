import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startBuilt, temporaryDataDir, testSecret } from '../support/service.ts'

const script = '/usr/bin/script'
const launcher = join(import.meta.dirname, '../../bin/catalog.js')

it('A service without a terminal, as below nohup, goes on when a terminal is closed', async () => {
  const folder = temporaryDataDir()
  onTestFinished(() => folder.remove())
  const service = await startBuilt(folder.path, { CATALOG_LOG_LEVEL: 'info' })
  onTestFinished(async () => void (await service.stop('SIGKILL')))
  for (let time = 0; time < 2; time++) service.process.kill('SIGHUP')
  await expect.poll(() => service.output()).toContain('a terminal was closed')
  expect((await service.call('GET', '/v1/system/version')).status).toBe(200)
  expect(await service.stop('SIGTERM')).toBe(0)
})

it.skipIf(process.platform !== 'linux' || !existsSync(script))(
  'A service that was started in a terminal stops in good order when that is closed',
  async () => {
    const folder = temporaryDataDir()
    onTestFinished(() => folder.remove())
    const env = { ...process.env, CATALOG_DATA_DIR: folder.path, CATALOG_PORT: '0', CATALOG_JWT_SECRET: testSecret }
    const command = `exec '${process.execPath}' '${launcher}' serve`
    const terminal = spawn(script, ['-qfc', command, '/dev/null'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    let output = ''
    terminal.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await expect.poll(() => output, { timeout: 30_000 }).toContain('listens on')
    // What tells commands of a running service is taken away by a service that stopped in good order.
    const noteOfRunning = () => readdirSync(folder.path).filter((name) => name === 'running.json')
    expect(noteOfRunning()).toHaveLength(1)
    const ended = once(terminal, 'exit')
    terminal.kill('SIGKILL')
    await ended
    await expect.poll(noteOfRunning, { timeout: 15_000 }).toEqual([])
    const [, url = ''] = /listens on (http:\/\/[\w.:]+)/.exec(output) ?? []
    await expect(fetch(`${url}/livez`)).rejects.toThrow('fetch failed')
  },
  60_000,
)
