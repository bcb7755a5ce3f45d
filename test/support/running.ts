import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { readConfig, type Config } from '../../src/composition/settings/config.ts'
import { openLog } from '../../src/composition/engines.ts'
import { startService, type Service } from '../../src/composition/service.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import { exactCodec } from '../../src/events/provenCodec.ts'
import { dropDatabaseOf, storesFor } from './external.ts'
import { temporaryFolder } from './folders.ts'
import { adminToken, clientOf, startBuilt, temporaryDataDir, testSecret, type Call } from './service.ts'

export interface InProcess {
  readonly url: string
  readonly folder: string
  readonly call: Call
  close(): Promise<void>
}

export const configOf = (dataDir: string, env: Record<string, string> = {}): Config =>
  readConfig({
    CATALOG_DATA_DIR: dataDir,
    CATALOG_PORT: '0',
    CATALOG_JWT_SECRET: testSecret,
    ...storesFor(dataDir),
    ...env,
  })

/** The log of the service in this folder, its events exactly as they were written. To append, no service may run there. */
export const openLogOf = (folder: string, readOnly = true): Promise<EventStore> =>
  openLog(configOf(folder), { readOnly, codec: exactCodec })

const silent = (): Logger => pino({ level: 'silent' })

/** Starts the service in this process, in a folder that is not removed. */
export const openService = async (
  env: Record<string, string>,
  folder: string,
  logger: Logger = silent(),
): Promise<InProcess> => {
  const service: Service = await startService(configOf(folder, env), logger)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= service.close().then(() => undefined))
  return { url: service.url, folder, call: clientOf(service.url), close }
}

/** Starts the service in this process, in a folder of its own; it is closed when the test has finished. */
export const startInProcess = async (
  env: Record<string, string> = {},
  folder?: string,
  logger?: Logger,
): Promise<InProcess> => {
  const service = await openService(env, folder ?? join(await temporaryFolder(), 'data'), logger)
  onTestFinished(async () => {
    await service.close()
    await dropDatabaseOf(service.folder)
  })
  return service
}

/** Starts the built service in this folder; it is killed, and the folder removed, when the test has finished. */
export const startProcess = async (env: Record<string, string> = {}, data = temporaryDataDir()) => {
  const service = await startBuilt(data.path, env)
  onTestFinished(async () => {
    await service.stop('SIGKILL')
    await data.remove()
  })
  return { ...service, data, folder: data.path }
}

/** One such service for all tests of a file or a suite. */
export const useInProcess = (env: () => Record<string, string> = () => ({})): Omit<InProcess, 'close'> => {
  const { path, remove } = temporaryDataDir()
  let service: InProcess
  beforeAll(async () => {
    service = await openService(env(), path)
  })
  afterAll(async () => {
    await service.close()
    await remove()
  })
  return {
    call: (...request) => service.call(...request),
    folder: path,
    get url() {
      return service.url
    },
  }
}

export const bearer = (token = adminToken): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** A connection to a stream of server-sent events. */
export interface EventReader {
  readonly status: number
  readonly headers: Headers
  /** The next event. `undefined`: the stream has ended. */
  next(): Promise<{ id: string; data: Record<string, unknown> } | undefined>
  /** Leaves. */
  leave(): void
}

/** Opens `/api/v1/events/stream`. */
export const openStream = async (
  url: string,
  query = '',
  headers: Record<string, string> = bearer(),
): Promise<EventReader> => {
  const controller = new AbortController()
  const response = await fetch(`${url}/api/v1/events/stream${query}`, { headers, signal: controller.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const frames: string[] = []
  return {
    status: response.status,
    headers: response.headers,
    next: async () => {
      for (;;) {
        const frame = frames.shift()
        const found = frame === undefined ? undefined : /^id: (\d+)\ndata: (.*)$/.exec(frame)
        if (found) return { id: found[1] as string, data: JSON.parse(found[2] as string) as Record<string, unknown> }
        if (frame !== undefined) continue
        const chunk = await reader?.read()
        if (chunk === undefined || chunk.done) return undefined
        const parts = (rest + chunk.value).split('\n\n')
        rest = parts.pop() ?? ''
        frames.push(...parts)
      }
    },
    leave: () => controller.abort(),
  }
}
