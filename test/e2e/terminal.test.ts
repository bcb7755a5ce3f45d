import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { freePort } from '../support/ports.ts'
import { startProcess } from '../support/running.ts'
import { adminToken, clientOf, environment, temporaryDataDir, testSecret } from '../support/service.ts'

const script = '/usr/bin/script'
const root = join(import.meta.dirname, '../..')
const launcher = join(root, 'bin/catalog.js')

/** A project that `scripts/start.js` builds as soon as it has a file `go`, and then starts; its compiler says when it begins. */
const smallProject = (folder: string): void => {
  for (const name of ['build.js', 'start.js']) cpSync(join(root, 'scripts', name), join(folder, 'scripts', name))
  const files = {
    'package.json': '{"type": "module"}',
    'bin/catalog.js': "process.stdout.write('serves\\n'); setInterval(() => undefined, 60_000)",
    'node_modules/typescript/bin/tsc': `import { existsSync } from 'node:fs'
console.log('compiles')
const waiting = setInterval(() => existsSync(${JSON.stringify(join(folder, 'go'))}) && clearInterval(waiting), 20)`,
    'src/odcs/schemas/LICENSE': '',
    'src/odcs/schemas/NOTICE': '',
    'src/events/eventstoredb/protocol/README': '',
    'clients/evidence/verify.mjs': '',
    'clients/evidence/verify.py': '',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  cpSync(join(root, 'node_modules/openapi-explorer'), join(folder, 'node_modules/openapi-explorer'), {
    recursive: true,
  })
}

it('What is started with nohup goes on when its terminal is closed while it is being built', async () => {
  const folder = await temporaryFolder()
  smallProject(folder)
  // Of npm, which the same signal ends.
  const npm = `'${process.execPath}' '${join(folder, 'scripts/start.js')}'; true`
  const started = spawn('sh', ['-c', npm], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const group = -(started.pid as number)
  onTestFinished(() => void process.kill(group, 'SIGKILL'))
  let output = ''
  started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await expect.poll(() => output).toBe('compiles\n')
  const ended = once(started, 'exit')
  process.kill(group, 'SIGHUP')
  writeFileSync(join(folder, 'go'), '')
  await expect.poll(() => output).toBe('compiles\ncompiles\nserves\n')
  await ended
  // Time enough for a look at who started it.
  await setTimeout(600)
  expect(() => process.kill(group, 0)).not.toThrow()
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
    await expect.poll(() => output).toContain('listens on')
    // What tells commands of a running service is taken away by a service that stopped in good order.
    const noteOfRunning = () => readdirSync(folder.path).filter((name) => name === 'running.json')
    expect(noteOfRunning()).toHaveLength(1)
    const ended = once(terminal, 'exit')
    terminal.kill('SIGKILL')
    await ended
    await expect.poll(noteOfRunning).toEqual([])
    const [, url = ''] = /listens on (http:\/\/[\w.:]+)/.exec(output) ?? []
    const asked = () =>
      fetch(`${url}/livez`).then(
        () => 'answered',
        ({ message }: Error) => message,
      )
    await expect.poll(asked).toBe('fetch failed')
  },
)

it('A service without a terminal goes on when one is closed, and told to end twice, as by npm and by its process group, finishes what runs and closes its files', async () => {
  const service = await startProcess({ CATALOG_LOG_LEVEL: 'info' })
  for (let time = 0; time < 2; time++) service.process.kill('SIGHUP')
  await expect.poll(() => service.output()).toContain('a hangup signal was ignored')
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const asked = request(`${service.url}/api/v1/glossaries`, { method: 'POST', headers })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  const ended = once(service.process, 'exit')
  asked.write('{"name":')
  await expect.poll(async () => (await service.call('GET', '/v1/me')).status).toBe(200)
  service.process.kill('SIGTERM')
  await expect.poll(() => service.output()).toContain('stopping: running requests are finished first')
  service.process.kill('SIGTERM')
  await expect.poll(() => service.output()).toContain('already stopping')
  asked.end('"g"}')
  const [response] = await answered
  expect(response.statusCode).toBe(201)
  response.resume()
  expect(await ended).toEqual([0, null])
  expect(existsSync(join(service.folder, 'log.db-wal'))).toBe(false)
})

/** Options of Node for a service that does this when it gets SIGUSR2, while the threads that write files are busy. */
const onUserSignal = (work: string): Record<string, string> => {
  const busy = "for(let i=0;i<8;i++)process.getBuiltinModule('crypto').pbkdf2('a','b',1e6,64,'sha512',()=>0)"
  const program = `process.on('SIGUSR2',()=>{${busy};${work}})`
  return {
    CATALOG_LOG_LEVEL: 'info',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}`,
  }
}

it.each([
  ['a rejection that nothing handles', "Promise.reject(new Error('lost'))", 1, 'unhandledRejection'],
  ['a call of process.exit', 'process.exit(3)', 3, undefined],
])('A service that %s ends says so in its log', async (_, work, code, origin) => {
  const service = await startProcess(onUserSignal(work))
  const ended = once(service.process, 'close')
  service.process.kill('SIGUSR2')
  expect(await ended).toEqual([code, null])
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{"level":60'))
    .map((line) => JSON.parse(line) as object)
  const cause = {
    msg: 'an error that nothing handled ends the service',
    origin,
    err: expect.objectContaining({ message: 'lost' }) as object,
  }
  const end = { msg: 'the service has ended', code }
  expect(lines).toEqual((origin === undefined ? [end] : [cause, end]).map((told) => expect.objectContaining(told)))
  const reports = readdirSync(service.folder).filter((name) => name.startsWith('report.'))
  expect(reports).toHaveLength(origin === undefined ? 0 : 1)
})

const isAlone = external.eventStoreUrl === undefined || external.mongodbUrl === undefined
const why = 'several processes may use one data folder'

it.skipIf(skippedUnless(isAlone, 'what the next start tells', why))(
  'The next start tells of a service that a signal ended, and the one after an orderly end of nothing',
  async () => {
    let last = await startProcess()
    for (const signal of ['SIGKILL', 'SIGSEGV'] as const) {
      const report = `report.20260101.120000.${last.process.pid}.0.001.json`
      writeFileSync(join(last.folder, report), '{}')
      await last.stop(signal)
      const next = await startProcess({}, last.data)
      const told = `"pid":"${last.process.pid}","reports":["${report}"],"msg":"the process that used the data folder before`
      expect(next.output(), signal).toContain(told)
      last = next
    }
    expect(await last.stop()).toBe(0)
    expect((await startProcess({}, last.data)).output()).not.toContain('the process that used the data folder before')
  },
)

it('Standard output is JSON alone where the log is, and the greeting beside it has commands that work in any folder', async () => {
  const folder = join(await temporaryFolder(), "somebody's data")
  const env = environment(folder, { CATALOG_LOG_FORMAT: 'json', CATALOG_LOG_LEVEL: 'info', CATALOG_JWT_SECRET: '' })
  const service = spawn(process.execPath, [launcher, 'serve'], { env, cwd: root })
  onTestFinished(() => void service.kill('SIGKILL'))
  const ended = once(service, 'close')
  let [log, greeting] = ['', '']
  service.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  service.stderr.on('data', (chunk: Buffer) => (greeting += chunk.toString()))
  await expect.poll(() => log + greeting).toMatch(/listens on [^]*Documentation/)
  const [, command = ''] = /export TOKEN=\$\((.*)\)/.exec(greeting) ?? []
  // Without the folder of the service, which the command names itself.
  const told = { env: { ...env, CATALOG_DATA_DIR: undefined }, cwd: root, encoding: 'utf8' } as const
  expect(spawnSync('sh', ['-c', command], told).stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  // No link stands among logs that a program collects.
  expect(log + greeting).not.toContain('#code=')
  expect(command).toContain(`CATALOG_DATA_DIR='${folder.replace("'", String.raw`'\''`)}' `)
  service.kill('SIGTERM')
  await ended
  expect(
    log
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg),
  ).toContain('the service has ended')
})

it('A service whose log is text greets with a code to sign in, and goes on when nobody reads its log any more', async () => {
  const folder = temporaryDataDir()
  onTestFinished(() => folder.remove())
  const env = environment(folder.path, { CATALOG_LOG_FORMAT: 'text', CATALOG_LOG_LEVEL: 'info' })
  const service = spawn(process.execPath, [launcher, 'serve'], { env })
  onTestFinished(() => void service.kill('SIGKILL'))
  let output = ''
  for (const stream of [service.stdout, service.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await expect.poll(() => output).toMatch(/listens on \S+\n[^]*Console: +http:\S+#code=[\w-]+\n/)
  service.stdout.destroy()
  service.stderr.destroy()
  const call = clientOf(/listens on (\S+)/.exec(output)?.[1] ?? '')
  for (let time = 0; time < 3; time++) expect((await call('GET', '/v1/me')).status).toBe(200)
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

it('A service goes on when its log is on a disk that is full', async () => {
  const folder = temporaryDataDir()
  onTestFinished(() => folder.remove())
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const port = await freePort()
  const env = environment(folder.path, {
    CATALOG_LOG_FORMAT: 'json',
    CATALOG_LOG_LEVEL: 'info',
    CATALOG_PORT: `${port}`,
  })
  const service = spawn(process.execPath, [launcher, 'serve'], { env, stdio: ['ignore', full, full] })
  onTestFinished(() => void service.kill('SIGKILL'))
  const call = clientOf(`http://127.0.0.1:${port}`)
  const status = async () => (await call('GET', '/v1/me').catch(() => undefined))?.status
  await expect.poll(status).toBe(200)
  for (let time = 0; time < 3; time++) expect(await status()).toBe(200)
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
