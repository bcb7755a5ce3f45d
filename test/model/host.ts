import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { dropDatabaseOf, storesFor } from '../support/external.ts'
import { patient, runCli, type Call } from '../support/service.ts'
import { startLife, type Life } from './life.ts'
import type { Kill } from './operations.ts'
import { startStores, type Stores } from './stores.ts'

/** The catalog under test: one process on a folder of its own, or several on the same pair of servers. */
export interface Host {
  /** Asks the first process, and asks again where it answers that it is not ready. */
  readonly call: Call
  /** The process that takes the request with this number. */
  readonly processFor: (index: number) => Pick<Life, 'call' | 'listening'>
  /** Resolves when all processes listen and have their stores. */
  readonly ready: () => Promise<void>
  /** Kills a store, or one process after the other, and starts it again. */
  readonly kill: (kill: Kill) => Promise<void>
  /** How often a process was killed. */
  readonly kills: () => number
  readonly stores: Stores
  /** Runs a command of the command line on its data. */
  readonly cli: (...args: string[]) => { code: number | null; output: string }
  /** Resolves when every process shows the whole log: the command line compares read models at one position. */
  readonly caughtUp: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** Milliseconds within which a process must be ready when its stores are there. */
const patience = 120_000

const isReady = async ({ call, listening }: Life): Promise<boolean> => {
  await listening()
  return (await call('GET', '/readyz').catch(() => undefined))?.status === 200
}

const untilReady = async (life: Life): Promise<void> => {
  for (const until = Date.now() + patience; !(await isReady(life));) {
    if (Date.now() > until)
      throw new Error(`the service is not ready: ${JSON.stringify((await life.call('GET', '/readyz')).body)}`)
    await delay(100)
  }
}

const untilShown = async (life: Life): Promise<void> => {
  for (const until = Date.now() + patience; ; await delay(200)) {
    const { body } = await life.call('GET', '/v1/system/processes')
    if (body.data.every(({ lag }: { lag: string }) => lag === '0')) return
    if (Date.now() > until) throw new Error(`a process lags behind the log: ${JSON.stringify(body)}`)
  }
}

/** Reads once more where the service had closed the idle connection that was to carry the request, and still listens. */
const readingAgain =
  ({ call, listening }: Life): Call =>
  (method, ...asked) =>
    call(method, ...asked).catch(async (error: unknown) => {
      if (method !== 'GET') throw error
      await listening()
      return call(method, ...asked)
    })

export interface HostOptions {
  /** More than one only on external servers. */
  readonly processes: number
  /** Are the stores to be killed? */
  readonly killStores: boolean
}

export const startHost = async ({ processes, killStores }: HostOptions): Promise<Host> => {
  const stores = startStores(killStores)
  const folder = mkdtempSync(join(tmpdir(), 'catalog-model-'))
  const dataDir = join(folder, '0')
  const shared = {
    ...storesFor(dataDir),
    CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true',
    CATALOG_SECRET_KEY: 'a key that all processes share, 32 bytes',
  }
  const first = await startLife(dataDir, shared)
  const others = Array.from({ length: processes - 1 }, (_, index) =>
    startLife(join(folder, String(index + 1)), { ...shared, CATALOG_BASE_URL: `${first.url}/api` }),
  )
  const lives = [first, ...(await Promise.all(others))]
  const lifeFor = (index: number): Life => lives[index % lives.length] as Life
  let kills = 0
  return {
    call: patient(readingAgain(first)),
    processFor: lifeFor,
    ready: async () => void (await Promise.all(lives.map(untilReady))),
    kill: ({ store }) => (store === undefined ? lifeFor(kills++).kill() : stores.kill(store)),
    kills: () => kills,
    stores,
    cli: (...args) => {
      const { code, stdout, stderr } = runCli(dataDir, args, shared)
      return { code, output: (stdout + stderr).trim() }
    },
    caughtUp: () => untilShown(first),
    stop: async () => void (await Promise.all(lives.map((life) => life.stop()))),
    remove: async () => {
      rmSync(folder, { recursive: true, force: true })
      await dropDatabaseOf(dataDir)
      await stores.clear()
    },
  }
}
