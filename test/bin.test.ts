import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './support/folders.ts'

const launcher = join(import.meta.dirname, '..', 'bin', 'catalog.js')

/** The launcher in a folder of its own, where `dist` is what the test says. */
const project = async (cli?: string): Promise<string> => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await copyFile(launcher, join(folder, 'bin', 'catalog.js'))
  if (cli !== undefined) {
    await mkdir(join(folder, 'dist', 'cli'), { recursive: true })
    await writeFile(join(folder, 'dist', 'cli', 'main.js'), cli)
  }
  return join(folder, 'bin', 'catalog.js')
}

const run = (file: string): Promise<{ code: number | string; output: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [file], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })

describe('the launcher', () => {
  it('starts the command line', async () => {
    expect(await run(await project('console.log("started")'))).toEqual({ code: 0, output: 'started\n' })
  })

  it('says what to do when nothing is built', async () => {
    const { code, output } = await run(await project())
    expect(code).toBe(1)
    expect(output).toBe('metadata-catalog is not built yet: run `npm run build`.\n')
  })

  it('does not blame the build for another missing module', async () => {
    const { code, output } = await run(await project('import "./other.js"'))
    expect(code).toBe(1)
    expect(output).toContain('other.js')
    expect(output).not.toContain('npm run build')
  })

  it('says which Node it needs, in words that old ones can read', async () => {
    const text = (await readFile(launcher, 'utf8')).replace('process.versions.node.split', '"20.1.0".split')
    const file = await project()
    await writeFile(file, text)
    const { code, output } = await run(file)
    expect(code).toBe(1)
    expect(output).toMatch(/^metadata-catalog needs Node 24 or newer; this is v/)
    expect(text).not.toMatch(/^import |\?\.|\?\?|=>|`\$\{/m)
  })
})

describe('npm start', () => {
  const startScript = async (): Promise<string> => {
    const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8')) as {
      scripts: { start: string }
    }
    return scripts.start
  }

  it('is the process that npm started, so that signals reach it, and runs too where a shell has no exec', async () => {
    const [inItsPlace, beside] = (await startScript()).split(' || ')
    expect(inItsPlace).toBe(`exec ${beside}`)
  })

  it('has the young objects of each thread take as little memory as where a shell runs the command', async () => {
    const flag = /^#!\/usr\/bin\/env -S node (--max-semi-space-size=\d+)\n/.exec(await readFile(launcher, 'utf8'))?.[1]
    for (const way of (await startScript()).split(' || ')) expect(way).toContain(`node ${flag} scripts/start.js`)
  })

  const serving = `import { writeFileSync } from 'node:fs'
let signals = 0
process.on('SIGHUP', () => undefined)
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {
  signals += 1
  if (signals === 1) setTimeout(() => (writeFileSync('stopped', process.argv.at(-1) + ' ' + signals), process.exit()), 600)
})
setInterval(() => undefined, 1000)
console.log('serving as ' + process.pid)`

  /** Runs the script as npm does: from another process, in a shell. */
  const started = async () => {
    const folder = join(await project(serving), '..', '..')
    await mkdir(join(folder, 'scripts'))
    await copyFile(join(import.meta.dirname, '../scripts/start.js'), join(folder, 'scripts/start.js'))
    await writeFile(join(folder, 'scripts/build.js'), '')
    const npm = `const { spawn } = require('node:child_process')
const shell = spawn('sh', ['-c', process.argv[1]], { stdio: 'inherit' })
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => shell.kill(signal))`
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
    const parent = spawn(process.execPath, ['-e', npm, await startScript()], {
      cwd: folder,
      env: { ...process.env, PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const [told] = (await once(parent.stdout, 'data')) as [Buffer]
    return { parent, stopped: join(folder, 'stopped'), service: Number(/\d+/.exec(told.toString())?.[0]) }
  }

  it('goes on without npm when a terminal is closed that it does not have', async () => {
    const { parent, stopped, service } = await started()
    const ended = once(parent, 'exit')
    // As a shell does whose terminal is closed: all of the job are told.
    process.kill(-(parent.pid as number), 'SIGHUP')
    await ended
    await setTimeout(1000)
    expect(existsSync(stopped)).toBe(false)
    process.kill(service, 'SIGTERM')
    await expect.poll(() => existsSync(stopped)).toBe(true)
  })

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const)
    it(`leaves no service running when npm alone gets a ${signal}`, async () => {
      const { parent, stopped } = await started()
      parent.kill(signal)
      await expect.poll(() => existsSync(stopped) && readFileSync(stopped, 'utf8')).toBe('serve 1')
    })
})
