import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { signToken } from '../../src/api/auth/authenticate.ts'

const root = join(import.meta.dirname, '../..')
const clock = join(import.meta.dirname, 'clock.js')
const secret = 'the secret of the pictures, of no use elsewhere'

/** A catalog whose clock shows another day. */
export interface Served {
  readonly url: string
  /** Calls `/api/v1…` as somebody. */
  call(
    user: string,
    method: string,
    path: string,
    body?: unknown,
    type?: string,
  ): Promise<{ body: Story; etag: string }>
  token(user: string): string
  stop(): Promise<void>
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every kind
export type Story = any

const environment = (folder: string, shift: number): NodeJS.ProcessEnv => ({
  ...process.env,
  CATALOG_DATA_DIR: folder,
  CATALOG_PORT: '0',
  CATALOG_LOG_LEVEL: 'warn',
  CATALOG_JWT_SECRET: secret,
  CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true',
  PICTURES_SHIFT: String(shift),
  NODE_OPTIONS: `--import ${clock}`,
})

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((found, failed) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const [, url] = /listens on (http:\/\/\S+)/.exec(output) ?? []
      if (url !== undefined) found(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => failed(new Error(`The service ended with ${code}:\n${output}`)))
  })

/** Starts the built service so many milliseconds away from now. */
export const serve = async (folder: string, shift: number): Promise<Served> => {
  const child = spawn(process.execPath, [join(root, 'bin/catalog.js'), 'serve'], {
    env: environment(folder, shift),
    cwd: root,
  })
  const url = await listening(child)
  const token = (user: string): string => signToken(secret, { user, roles: ['Admin'], ttl: 400 * 86_400 })
  return {
    url,
    token,
    call: async (user, method, path, body, type = 'application/json') => {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: { Authorization: `Bearer ${token(user)}`, ...(body !== undefined && { 'Content-Type': type }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
      return {
        body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text,
        etag: response.headers.get('etag') ?? '',
      }
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Loads the demo company with its clock moved by so many milliseconds. */
export const seed = (folder: string, shift: number, url: string): void => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/catalog.js'), 'seed', '--url', url], {
    env: { ...environment(folder, shift), CATALOG_BASE_URL: url },
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The seed failed:\n${stderr}`)
}
