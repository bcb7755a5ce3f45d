import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { signToken } from '../../src/api/auth/authenticate.ts'
import { dropDatabaseOf, storesFor } from './external.ts'
import { longEnough } from './patience.ts'

const root = resolve(import.meta.dirname, '../..')

/** Secret that tests sign their tokens with. */
export const testSecret = 'a secret of the tests, long enough for HS256'

/** An answer, its body parsed when it is JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface CallOptions {
  readonly headers?: Record<string, string>
  /** Token to send; `null` sends none. */
  readonly token?: string | null
}

export type Call = (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<Answer>

/** The built service as a process of its own. */
export interface RunningService {
  readonly url: string
  readonly process: ChildProcess
  /** Calls `/api/v1…` as an administrator, unless another token is given. */
  readonly call: Call
  /** What it printed so far. */
  output(): string
  /** Ends it with this signal and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export const tokenFor = (user: string, roles: readonly string[], ttl = 3600): string =>
  signToken(testSecret, { user, roles: [...roles], ttl })

export const adminToken = tokenFor('admin', ['Admin'])

/** A client of the API at this address. */
export const clientOf =
  (url: string): Call =>
  async (method, path, body, options = {}) => {
    const token = options.token === undefined ? adminToken : options.token
    const sent =
      body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const response = await fetch(
      path.startsWith('/api') || !path.startsWith('/v1') ? `${url}${path}` : `${url}/api${path}`,
      {
        method,
        headers: {
          ...(sent !== undefined && { 'content-type': 'application/json' }),
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...options.headers,
        },
        ...(sent !== undefined && { body: sent as string }),
      },
    )
    const text = await response.text()
    const json = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text }
  }

/**
 * Asks again what a busy service, or one with slow stores, could not do yet (503): for tests of what is answered.
 * @param methods that are asked again; those that write only where twice does what once does
 */
export const patient =
  (call: Call, methods: readonly string[] = ['GET']): Call =>
  async (method, ...asked) => {
    for (const end = Date.now() + longEnough; ;) {
      const answer = await call(method, ...asked)
      if (!methods.includes(method) || answer.status !== 503 || Date.now() > end) return answer
      await delay(1000)
    }
  }

/** A folder that is removed when the test file is done, with the database that a service on it had. */
export const temporaryDataDir = (): { path: string; remove(): Promise<void> } => {
  const path = mkdtempSync(join(tmpdir(), 'catalog-service-'))
  return {
    path,
    remove: async () => {
      rmSync(path, { recursive: true, force: true })
      await dropDatabaseOf(path)
    },
  }
}

/** The settings of a service or a command on a data folder. */
export const environment = (dataDir: string, env: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_COMPILE_CACHE: undefined,
  CATALOG_DATA_DIR: dataDir,
  CATALOG_PORT: '0',
  CATALOG_LOG_LEVEL: 'warn',
  CATALOG_JWT_SECRET: testSecret,
  ...storesFor(dataDir),
  ...env,
})

/**
 * A file without a name for all that a process prints: unlike what comes by pipes, what it printed before it did something
 * else is there as soon as that is seen, and in the order in which it was printed.
 */
const openOutput = (): { readonly file: number; text(): string; close(): void } => {
  const path = join(tmpdir(), `catalog-output-${randomUUID()}`)
  const file = openSync(path, 'ax+')
  rmSync(path)
  const read = (): string => {
    const bytes = Buffer.alloc(fstatSync(file).size)
    readSync(file, bytes, 0, bytes.length, 0)
    return bytes.toString()
  }
  let last: string | undefined
  return {
    file,
    text: () => last ?? read(),
    close: () => {
      last = read()
      closeSync(file)
    },
  }
}

/**
 * Starts the built service on a free port and waits until it listens and is ready.
 * @param spawned is given the process at once
 * @param folder where the package is, with what was built
 */
export const startBuilt = async (
  dataDir: string,
  env: Record<string, string> = {},
  spawned: (child: ChildProcess) => void = () => {},
  folder = root,
  args: readonly string[] = [],
): Promise<RunningService> => {
  const said = openOutput()
  // The flag is that of npm start and of the launcher.
  const line = ['--max-semi-space-size=32', join(folder, 'bin/catalog.js'), 'serve', ...args]
  const child = spawn(process.execPath, line, {
    env: environment(dataDir, env),
    cwd: folder,
    stdio: ['ignore', said.file, said.file],
  })
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
    said.close()
  })
  spawned(child)
  const output = said.text
  let url: string | undefined
  while (url === undefined) {
    // Asked before what it printed is read: what ended has printed all that it ever will.
    const isOver = hasEnded
    url = /listens on (http:\/\/\S+)\n/.exec(output())?.[1]
    if (url === undefined && isOver) throw new Error(`the service ended with ${child.exitCode}:\n${output()}`)
    if (url === undefined) await delay(10)
  }
  return {
    url,
    process: child,
    call: clientOf(url),
    output,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}

/** Runs one command of the command line to its end. @throws Error when that takes too long */
export const runCli = (
  dataDir: string,
  args: readonly string[],
  env: Record<string, string> = {},
): { code: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [join(root, 'bin/catalog.js'), ...args], {
    env: environment(dataDir, env),
    cwd: root,
    encoding: 'utf8',
    timeout: longEnough,
  })
  // Else one that had to be ended would look like one that prints nothing.
  if (error !== undefined) throw new Error(`catalog ${args.join(' ')}: ${error.message}\n${stdout}${stderr}`)
  return { code: status, stdout, stderr }
}

/** Runs one command of the command line while the test goes on. */
export const runCliAlongside = async (
  dataDir: string,
  args: readonly string[],
  env: Record<string, string> = {},
  spawned: (child: ChildProcess) => void = () => {},
): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const child = spawn(process.execPath, [join(root, 'bin/catalog.js'), ...args], {
    env: environment(dataDir, env),
    cwd: root,
  })
  spawned(child)
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number | null]
  return { code, stdout, stderr }
}
