import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabaseOf } from '../support/external.ts'
import { freePort } from '../support/ports.ts'
import { clientOf, runCli, startBuilt, type Call, type RunningService } from '../support/service.ts'

/** The built service on a folder of its own, which can be killed and comes back at the same address. */
export interface Host {
  readonly call: Call
  /** How often it was killed. */
  readonly kills: () => number
  /** Resolves while the service listens; after a kill, when it does so again. */
  readonly listening: () => Promise<void>
  readonly kill: () => Promise<void>
  /** Runs a command of the command line on its data. */
  readonly cli: (...args: string[]) => { code: number | null; output: string }
  /** What the service printed in all its lives. */
  readonly output: () => string
  readonly stop: () => Promise<void>
  readonly remove: () => Promise<void>
}

export const startHost = async (): Promise<Host> => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-model-'))
  const dataDir = join(folder, 'data')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { CATALOG_PORT: String(port), CATALOG_BASE_URL: `${url}/api`, CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }
  let kills = 0
  let printed = ''
  let meant = false
  let service: Promise<RunningService>
  const start = async (): Promise<RunningService> => {
    const running = await startBuilt(dataDir, env)
    running.process.once('exit', (code, signal) => {
      printed += running.output()
      if (!meant)
        service = Promise.reject(new Error(`the service ended by itself with ${code ?? signal}:\n${running.output()}`))
      service.catch(() => undefined)
    })
    return running
  }
  service = start()
  await service
  const killOnce = async (): Promise<void> => {
    const running = await service
    kills += 1
    meant = true
    service = once(running.process, 'exit').then(() => {
      meant = false
      return start()
    })
    running.process.kill('SIGKILL')
    await service
  }
  let killing = Promise.resolve()
  return {
    call: clientOf(url),
    kills: () => kills,
    listening: async () => void (await service),
    kill: () => (killing = killing.then(killOnce)),
    cli: (...args) => {
      const { code, stdout, stderr } = runCli(dataDir, args, env)
      return { code, output: (stdout + stderr).trim() }
    },
    output: () => printed,
    stop: async () => {
      meant = true
      await (await service).stop()
    },
    remove: async () => {
      rmSync(folder, { recursive: true, force: true })
      await dropDatabaseOf(dataDir)
    },
  }
}
