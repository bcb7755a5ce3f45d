/**
 * How far a request walks: `npm run walk` counts the files and functions of the built service that one POST, and one GET and
 * one list, asked for again and for the first time, enter on the main thread, by V8's precise coverage. It fails where
 * `test/budgets.json` has less.
 * `npm run walk -- --names` names them, with the number of calls.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { budgets } from '../test/support/budgets.ts'

type Called = readonly [method: string, path: string, body?: unknown]

interface Walk {
  readonly files: number
  readonly functions: number
  /** A line for each file: its functions and how often each was called. */
  readonly names: readonly string[]
}

const dist = new URL('../dist/', import.meta.url)
const load = (path: string) => import(new URL(path, dist).href)
const { startService } = await load('composition/service.js')
const { readConfig } = await load('composition/settings/config.js')
const { signToken } = await load('api/auth/authenticate.js')

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** What was entered since it was asked last. The first function of a file is the file itself. */
const entered = async (): Promise<Walk> => {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result
    .filter(({ url }) => url.startsWith(dist.href))
    .map(({ url, functions }) => ({
      file: url.slice(dist.href.length),
      called: functions.flatMap(({ functionName, ranges: [range] }) =>
        range?.startOffset === 0 || range?.count === 0 ? [] : [`${functionName || '=>'} ${range?.count}`],
      ),
    }))
    .filter(({ called }) => called.length > 0)
  return {
    files: files.length,
    functions: files.reduce((sum, { called }) => sum + called.length, 0),
    names: files.map(({ file, called }) => `${file} (${called.length}): ${called.join(', ')}`).toSorted(),
  }
}

const secret = 'a secret for one walk, long enough for HS256'
const folder = mkdtempSync(join(tmpdir(), 'catalog-walk-'))
const service = await startService(
  readConfig({ CATALOG_DATA_DIR: folder, CATALOG_PORT: '0', CATALOG_JWT_SECRET: secret }),
  pino({ level: 'silent' }),
)

const headers = {
  authorization: `Bearer ${signToken(secret, { user: 'walker', roles: ['Admin'], ttl: 3600 })}`,
  'content-type': 'application/json',
}

const call = async ([method, path, body]: Called): Promise<void> => {
  const answer = await fetch(`${service.url}/api/v1/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`)
}

const table = (name: string): Called => [
  'POST',
  'tables',
  { name, databaseSchema: 'walk.db.public', columns: [{ name: 'id', dataType: 'INT' }] },
]

/** The request of this number, by what is counted. */
const asked: Readonly<Record<string, (number: number) => Called>> = {
  POST: (number) => table(`t${number}`),
  GET: () => ['GET', 'tables/name/walk.db.public.t1'],
  list: () => ['GET', 'tables?limit=10'],
  'first GET': (number) => ['GET', `tables/name/walk.db.public.t${number}`],
  'first list': (number) => ['GET', `tables?limit=${number}`],
}

/**
 * The shortest of five, since timers of the service may run into one. Their numbers are page sizes, too: a list of more
 * than 100 walks another way.
 */
const walkOf = async (name: string): Promise<Walk> => {
  const walks: Walk[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await delay(1000)
    await entered()
    await call(asked[name]?.(50 + turn) as Called)
    walks.push(await entered())
  }
  return walks.toSorted((a, b) => a.functions - b.functions)[0] as Walk
}

try {
  await call(['PUT', 'services/databaseServices', { name: 'walk', serviceType: 'Postgres' }])
  await call(['PUT', 'databases', { name: 'db', service: 'walk' }])
  await call(['PUT', 'databaseSchemas', { name: 'public', database: 'walk.db' }])
  for (let turn = 1; turn <= 12; turn += 1) for (const request of Object.values(asked)) await call(request(turn))
  for (const name of Object.keys(asked)) {
    const { files, functions, names } = await walkOf(name)
    const most = budgets.walk[name]
    const over = most === undefined || files > most.files || functions > most.functions
    if (over) process.exitCode = 1
    process.stdout.write(
      `${name}: ${files} files and ${functions} functions, at most ${most?.files} and ${most?.functions}${over ? ': TOO MANY' : ''}\n`,
    )
    if (process.argv.includes('--names')) process.stdout.write(`${names.join('\n')}\n\n`)
  }
} finally {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}
