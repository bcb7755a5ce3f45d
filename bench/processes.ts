import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const root = new URL('..', import.meta.url).pathname

const running = new Set<ChildProcess>()
const folders = new Set<string>()

/** A server that this benchmark started. */
export interface Started {
  readonly url: string
  readonly pid: number
  /** Where its Prometheus metrics are. */
  readonly metrics: string
  /** Milliseconds from the start of the process to the first answer that it is ready. */
  readonly readyAfter: number
  stop(): Promise<void>
  /** Ends it at once, as `kill -9` does. */
  kill(): void
  isOver(): boolean
}

/** An empty folder that {@link cleanUp} removes. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-bench-'))
  folders.add(folder)
  return folder
}

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))

/** Asks the process to stop, and kills it when it does not within 15 seconds. */
const stop = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await ended(child)
  clearTimeout(timer)
  running.delete(child)
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

const launch = (args: readonly string[], env: NodeJS.ProcessEnv): { child: ChildProcess; errors: () => string } => {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  let errors = ''
  child.stderr?.on('data', (data: Buffer) => {
    errors = (errors + data.toString()).slice(-4000)
  })
  return { child, errors: () => errors }
}

const start = async (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  port: number,
  ready: string,
): Promise<Started> => {
  const begun = performance.now()
  const { child, errors } = launch(args, env)
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(`${url}${ready}`))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}:\n${errors()}`)
    if (performance.now() - begun > 120_000) throw new Error(`${args.join(' ')} was not ready after two minutes.`)
    await delay(2)
  }
  return {
    url,
    pid: child.pid as number,
    metrics: `${url}/metrics`,
    readyAfter: performance.now() - begun,
    stop: () => stop(child),
    kill: () => void child.kill('SIGKILL'),
    isOver: () => child.exitCode !== null || child.signalCode !== null,
  }
}

/** Settings that would lead away from the embedded stores and from the secret of the folder. */
const embedded: NodeJS.ProcessEnv = {
  CATALOG_EVENTSTORE_URL: '',
  CATALOG_MONGODB_URL: '',
  CATALOG_JWT_SECRET: '',
  CATALOG_HOST: '',
}

const command = (): string => (existsSync(join(root, 'dist/cli/main.js')) ? 'bin/catalog.js' : 'src/cli/main.ts')

/** The flags of Node that the command gives itself where a shell runs it. */
const usualFlags = async (): Promise<string[]> => {
  const [first = ''] = (await readFile(join(root, 'bin/catalog.js'), 'utf8')).split('\n')
  return first.split(' ').filter((word) => word.startsWith('--'))
}

/** Starts the catalog as a user does, on a free port. */
export const startCatalog = async (
  dataDir: string,
  options: { profile?: string | undefined; env?: NodeJS.ProcessEnv } = {},
): Promise<Started> => {
  const port = await freePort()
  const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
  const env = {
    CATALOG_PORT: String(port),
    CATALOG_DATA_DIR: dataDir,
    CATALOG_LOG_LEVEL: 'error',
    ...embedded,
    ...options.env,
  }
  return start([...(await usualFlags()), ...profiling, command(), 'serve'], env, port, '/readyz')
}

/** Starts the bare Express handlers that the catalog is compared with. */
export const startBare = async (): Promise<Started> => {
  const port = await freePort()
  return start(['bench/bareServer.ts', String(port)], {}, port, '/ready')
}

/** Processor time of a process of Linux, in microseconds; `undefined` elsewhere, and when it is over. */
const cpuOfProcess = async (pid: number): Promise<number | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [, fields = ''] = /\) (.*)$/s.exec(text) ?? []
  const [user, system] = fields.split(' ').slice(11, 13)
  return user === undefined ? undefined : (Number(user) + Number(system)) * 10_000
}

/** The most memory that a process of Linux has held, in bytes; `undefined` elsewhere, and when it is over. */
const memoryOfProcess = async (pid: number): Promise<number | undefined> => {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const most = /^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1]
  return most === undefined ? undefined : Number(most) * 1024
}

/** What a command printed, the processor time that it took, in microseconds, and the most memory, in bytes. */
export interface Ran {
  readonly output: string
  readonly cpu: number | undefined
  readonly memory: number | undefined
}

/** Runs a command of the catalog to its end. @returns what it printed */
export const runCommand = async (
  dataDir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> => (await runMeasured(dataDir, args, env)).output

/** The same with the processor time and memory that it took, as seen every twentieth of a second. */
export const runMeasured = async (
  dataDir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> => {
  const child = spawn(process.execPath, [command(), ...args], {
    cwd: root,
    env: { ...process.env, CATALOG_DATA_DIR: dataDir, CATALOG_LOG_LEVEL: 'error', ...embedded, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data.toString()
    })
  let cpu: number | undefined
  let memory: number | undefined
  const over = ended(child).then(() => true)
  while (!(await Promise.race([over, delay(50)]))) {
    cpu = (await cpuOfProcess(child.pid as number)) ?? cpu
    memory = (await memoryOfProcess(child.pid as number)) ?? memory
  }
  running.delete(child)
  if (child.exitCode !== 0) throw new Error(`catalog ${args.join(' ')} ended with ${child.exitCode}: ${output}`)
  return { output, cpu, memory }
}

const metricOf = async (server: Started, name: string): Promise<number> => {
  const text = await (await fetch(server.metrics)).text()
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`${server.metrics} does not tell ${name}.`)
  return Number(value)
}

/** Processor time that a server has used, in microseconds. */
export const cpuOf = async (server: Started): Promise<number> =>
  (await metricOf(server, 'process_cpu_seconds_total')) * 1e6

/** Resident memory of a server, in MiB. */
export const memoryOf = async (server: Started): Promise<number> =>
  (await metricOf(server, 'process_resident_memory_bytes')) / 2 ** 20

/** Ends what is still running and removes the folders. */
export const cleanUp = async (): Promise<void> => {
  await Promise.all([...running].map(stop))
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
}
