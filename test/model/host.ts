import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabaseOf, storesFor } from '../support/external.ts'
import { patient, runCli, type Call } from '../support/service.ts'
import { startLife, type Life } from './life.ts'

/** The catalog under test: one process on a folder of its own, or several on the same pair of servers. */
export interface Host {
  /** Asks the first process, and asks again where it answers that it is not ready. */
  readonly call: Call
  /** The process that takes the request with this number. */
  readonly processFor: (index: number) => Pick<Life, 'call' | 'listening'>
  /** Resolves when all processes listen. */
  readonly listening: () => Promise<void>
  /** Kills one process after the other, and starts it again. */
  readonly kill: () => Promise<void>
  /** How often one was killed. */
  readonly kills: () => number
  /** Runs a command of the command line on its data. */
  readonly cli: (...args: string[]) => { code: number | null; output: string }
  readonly stop: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** @param processes more than one only on external servers */
export const startHost = async (processes = 1): Promise<Host> => {
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
    call: patient(first.call),
    processFor: lifeFor,
    listening: async () => void (await Promise.all(lives.map((life) => life.listening()))),
    kill: () => lifeFor(kills++).kill(),
    kills: () => kills,
    cli: (...args) => {
      const { code, stdout, stderr } = runCli(dataDir, args, shared)
      return { code, output: (stdout + stderr).trim() }
    },
    stop: async () => void (await Promise.all(lives.map((life) => life.stop()))),
    remove: async () => {
      rmSync(folder, { recursive: true, force: true })
      await dropDatabaseOf(dataDir)
    },
  }
}
