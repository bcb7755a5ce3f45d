import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from './support/folders.ts'

const root = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

/** The packed package in a folder of its own, beside what it declares as dependencies and nothing else. */
const installed = async (): Promise<string> => {
  const folder = await temporaryFolder()
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  const tarball = (await run('npm', pack, { cwd: root })).stdout.trim().split('\n').at(-1) as string
  await run('tar', ['-xzf', join(folder, tarball), '-C', modules])
  const described = JSON.parse(await readFile(join(modules, 'package/package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(described.dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  return join(modules, 'package')
}

test('the packed package starts, shows its console and its documents, gives tokens and has the demo company, without the repository', async () => {
  const at = await installed()
  const cwd = await temporaryFolder()
  const catalog = join(at, 'bin/catalog.js')
  const env = { PATH: process.env['PATH'], CATALOG_PORT: '0' }
  const child = spawn(process.execPath, [catalog, 'serve'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let output = ''
  const url = await new Promise<string>((found, failed) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        const [, address] = /listens on (http:\/\/\S+)[^]*Documentation/.exec(output) ?? []
        if (address !== undefined) found(address)
      })
    child.once('exit', (code) => failed(new Error(`it ended with ${code}:\n${output}`)))
  })
  const text = async (path: string): Promise<string> => (await fetch(url + path)).text()
  expect(await text('/livez')).toBe('{"status":"alive"}')
  expect(await text('/')).toContain('<script type="module"')
  expect(await text('/api/docs')).toContain('openapi.json')
  expect(await text('/api/docs/openapi-explorer.min.js')).toContain('openapi-explorer')
  expect(output).not.toContain('npm run')
  const command = /export TOKEN=\$\((.*)\)/.exec(output)?.[1] as string
  const { stdout: token } = await run('sh', ['-c', command.replace(/^node /, `${process.execPath} `)], { cwd, env })
  const me = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token.trim()}` } })
  expect(await me.json()).toMatchObject({ name: 'me', roles: ['Admin'] })
  const seeding = run(process.execPath, [catalog, 'seed', '--url', 'http://127.0.0.1:9', '--token', 'none'], {
    cwd,
    env,
  })
  await expect(seeding, 'it reads the demo company first').rejects.toThrow('Nothing answers at http://127.0.0.1:9')
})
