import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path) => join(root, path)

/** Files below the paths, in a fixed order. */
const filesOf = (paths) =>
  paths.flatMap((path) => {
    if (!existsSync(at(path))) return []
    const entries = readdirSync(at(path), { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
  })

const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.js']

const words = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'clients/typescript/README.md']

/** Changes when anything does that a part is made of. */
const fingerprint = (folders, files = []) => {
  const hash = createHash('sha256')
  for (const file of [...[...settings, ...files].map(at).filter(existsSync), ...filesOf(folders)]) {
    const bytes = readFileSync(file)
    hash.update(`${file.slice(root.length)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/** What ends with a terminal that was closed is begun again where this process goes on: see start.js. */
const run = (script, args) =>
  new Promise((done, failed) => {
    const child = spawn(process.execPath, [at(script), ...args], { cwd: root, stdio: 'inherit' })
    child.once('error', failed)
    child.once('exit', (code, signal) => {
      if (code === 0) done()
      else if (signal === 'SIGHUP' && process.listenerCount(signal) > 0) done(run(script, args))
      else failed(new Error(`${script} ended with ${code ?? signal}.`))
    })
  })

const clear = (except) => {
  if (!existsSync(at('dist'))) return
  for (const name of readdirSync(at('dist'))) {
    if (!except(name)) rmSync(at(`dist/${name}`), { recursive: true, force: true })
  }
}

const parts = {
  service: {
    folders: ['src', 'clients/evidence'],
    build: async () => {
      clear((name) => ['console', 'docs', '.built'].includes(name))
      await run('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
      for (const name of ['LICENSE', 'NOTICE']) {
        cpSync(at(`src/odcs/schemas/${name}`), at(`dist/odcs/schemas/${name}`))
      }
      for (const [from, name] of [
        ['dist/browser/openapi-explorer.min.js', 'openapi-explorer.min.js'],
        ['LICENSE', 'LICENSE'],
      ]) {
        cpSync(at(`node_modules/openapi-explorer/${from}`), at(`dist/apiViewer/${name}`))
      }
      cpSync(at('src/events/eventstoredb/protocol'), at('dist/events/eventstoredb/protocol'), { recursive: true })
      for (const name of ['verify.mjs', 'verify.py']) {
        cpSync(at(`clients/evidence/${name}`), at(`dist/cli/audit/evidence/${name}`))
      }
    },
  },
  console: {
    folders: ['console', 'src/shared'],
    build: async () => {
      await run('node_modules/vite/bin/vite.js', [
        'build',
        '--config',
        at('console/vite.config.ts'),
        '--logLevel',
        'warn',
      ])
    },
  },
  docs: {
    folders: ['docs', 'scripts/docs', 'deploy', 'examples'],
    files: words,
    build: async () => {
      const { buildSite } = await import('./docs/site.js')
      buildSite(root, at('dist/docs'))
    },
  },
}

/** Builds a part when its sources changed since the last time. A package without sources has everything built. */
const build = async ([name, { folders, files, build: make }]) => {
  const stamp = at(`dist/.built/${name}`)
  if (filesOf(folders.slice(0, 1)).length === 0) return
  const wanted = fingerprint(folders, files)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  rmSync(stamp, { force: true })
  await make()
  mkdirSync(at('dist/.built'), { recursive: true })
  writeFileSync(stamp, wanted)
}

try {
  const asked = process.argv.slice(2)
  await Promise.all(
    Object.entries(parts)
      .filter(([name]) => asked.length === 0 || asked.includes(name))
      .map(build),
  )
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
