import { once } from 'node:events'
import { freePort } from '../support/ports.ts'
import { clientOf, startBuilt, type Call, type RunningService } from '../support/service.ts'

/** One process of the built service, which can be killed and comes back at the same address. */
export interface Life {
  readonly url: string
  readonly call: Call
  /** Resolves while it listens; after a kill, when it does so again. Rejects when it ended by itself. */
  readonly listening: () => Promise<void>
  /** Ends it with SIGKILL and starts it again. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Characters of a log that tell why a request failed. */
const lastLines = 4000

const lastWords = (service: Promise<RunningService>): Promise<string> =>
  service.then(
    (running) => `The log of the service ends with:\n${running.output().slice(-lastLines)}\n`,
    (error: unknown) => `The service has ended: ${String(error)}\n`,
  )

export const startLife = async (dataDir: string, env: Readonly<Record<string, string>>): Promise<Life> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let meant = false
  const start = async (): Promise<RunningService> => {
    const running = await startBuilt(dataDir, { CATALOG_BASE_URL: `${url}/api`, ...env, CATALOG_PORT: String(port) })
    running.process.once('exit', (code, signal) => {
      if (meant) return
      service = Promise.reject(new Error(`the service ended by itself with ${code ?? signal}:\n${running.output()}`))
      service.catch(() => undefined)
    })
    return running
  }
  let service = start()
  await service
  const killOnce = async (): Promise<void> => {
    const running = await service
    meant = true
    service = once(running.process, 'exit').then(() => {
      meant = false
      return start()
    })
    running.process.kill('SIGKILL')
    await service
  }
  let killing = Promise.resolve()
  const ask = clientOf(url)
  const call: Call = async (...asked) => {
    const answer = await ask(...asked)
    if (answer.status === 500) process.stderr.write(`A request was answered 500. ${await lastWords(service)}`)
    return answer
  }
  return {
    url,
    call,
    listening: async () => void (await service),
    kill: () => (killing = killing.then(killOnce)),
    stop: async () => {
      await killing
      meant = true
      await (await service).stop()
    },
  }
}
