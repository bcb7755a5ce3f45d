import { spawn, spawnSync } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { skippedUnless } from './external.ts'
import { freePort } from './ports.ts'
import { waitFor } from './waitFor.ts'

/** Newest first: where Debian, Fedora and Homebrew put the programs of a server. */
const places = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/opt/homebrew/opt/postgresql*/bin']

const installed = places
  .flatMap((place) => globSync(`${place}/initdb`))
  .toSorted()
  .at(-1)

const named = process.env['CATALOG_TEST_POSTGRES_URL'] || undefined

/** Says that no PostgreSQL is tested, where none is named or installed. @returns whether to skip */
export const skippedWithoutPostgres = (what: string): boolean =>
  skippedUnless(
    (named ?? installed) !== undefined,
    what,
    'no PostgreSQL is installed or named in CATALOG_TEST_POSTGRES_URL',
  )

/** PostgreSQL does not run as root: then it runs as the user that its package has made. */
const idOf = (flag: string): number | undefined => {
  const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' })
  return process.getuid?.() === 0 && status === 0 ? Number(stdout) : undefined
}

/** A server of its own in a folder of its own, or the one that is named. */
export const startPostgres = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  if (named !== undefined) return { url: named, stop: async () => undefined }
  const bin = join(installed as string, '..')
  const folder = mkdtempSync(join(tmpdir(), 'catalog-postgres-'))
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const data = join(folder, 'data')
  const as = { cwd: folder, ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) }
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, '-U', 'tester', '-A', 'trust', '--no-sync'], as)
  if (made.status !== 0) throw new Error(`initdb failed: ${String(made.stderr)}`)
  const port = await freePort()
  const settings = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-F']
  const server = spawn(join(bin, 'postgres'), settings, { ...as, stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const url = `postgres://tester@127.0.0.1:${port}/postgres`
  await waitFor(async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.end()
  })
  return {
    url,
    stop: async () => {
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
