import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { startRunner, type Runner } from '../../../src/projections/runner.ts'
import {
  openSqliteReadModels,
  type SqliteReadModels,
  type SqliteReadModelsOptions,
} from '../../../src/projections/embedded/readModels.ts'
import { thing } from '../../support/decider.ts'
import { appendOf, appendOk, freshStream } from '../../support/events.ts'
import type { JsonObject } from '../../../src/shared/json.ts'
import type { MakeReadModels } from '../entities/contract/support.ts'

const definition = thing()
export const kindNamed = () => definition

/** A runner on read models whose threads read the log too. */
export interface Running {
  readonly log: ReturnType<typeof openSqliteEventStore>
  readonly readModels: SqliteReadModels
  readonly runner: Runner
  readonly lost: Error[]
  readonly lines: string[]
  stop(): Promise<void>
}

/**
 * @param read where the threads read the log
 * @param commitEvery milliseconds for which what is written here may be seen here alone
 */
export const start = async (folder: string, read = join(folder, 'log.db'), commitEvery = 250): Promise<Running> => {
  const log = openSqliteEventStore({ path: join(folder, 'log.db') })
  const path = join(folder, 'readModels.db')
  const readModels = await openSqliteReadModels({
    path,
    followed: { path: read, cacheBytes: 2 ** 20 },
    readThreads: true,
    commitEvery,
  })
  const lost: Error[] = []
  const lines: string[] = []
  const say = (_: object, line: string) => void lines.push(line)
  const runner = startRunner({
    log,
    store: readModels,
    readModels,
    kindNamed,
    logger: { warn: say, info: say },
    onLost: (reason) => lost.push(reason),
  })
  let stopped = false
  const stop = async (): Promise<void> => {
    if (stopped) return
    stopped = true
    await runner.stop()
    await readModels.close()
    await log.close()
  }
  onTestFinished(stop)
  return { log, readModels, runner, lost, lines, stop }
}

/** Writes an entity with these members. @returns the position of its event */
export const write = async ({ log }: Pick<Running, 'log'>, members: JsonObject = {}): Promise<bigint> =>
  (await appendOk(log, appendOf(freshStream(), 'no_stream', 1, members))).position

/** Read models in a folder of their own, which opens them again. */
export const makeWith =
  (some: Partial<SqliteReadModelsOptions> = {}): MakeReadModels =>
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
    const path = join(folder, 'readModels.db')
    const options = { path, ...some }
    let readModels = await openSqliteReadModels(options)
    return {
      readModels,
      reopen: async () => {
        await readModels.close()
        readModels = await openSqliteReadModels(options)
        return readModels
      },
      dispose: async () => {
        await readModels.close()
        await rm(folder, { recursive: true })
      },
    }
  }
