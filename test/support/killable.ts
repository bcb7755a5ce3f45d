import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { external } from './external.ts'

const run = promisify(execFile)

export type StoreName = 'EventStoreDB' | 'MongoDB'

/** A server of the tests, with shell commands that kill it at once, as `kill -9` does, and that start it again. */
export interface KillableServer {
  readonly store: StoreName
  /** Connection string; `undefined`: this half is embedded. */
  readonly url: string | undefined
  /** Name of the environment variable that holds the command that kills. */
  readonly variable: string
  /** Empty where there is none. It may start the server as well. */
  readonly kill: string
  readonly start: string
}

const serverOf = (store: StoreName, url: string | undefined, name: string): KillableServer => ({
  store,
  url,
  variable: `${name}_KILL`,
  kill: process.env[`${name}_KILL`] ?? '',
  start: process.env[`${name}_START`] ?? '',
})

export const servers: readonly KillableServer[] = [
  serverOf('EventStoreDB', external.eventStoreUrl, 'CATALOG_TEST_EVENTSTORE'),
  serverOf('MongoDB', external.mongodbUrl, 'CATALOG_TEST_MONGODB'),
]

/** Those that are there and can be killed. */
export const killableServers = (): KillableServer[] =>
  servers.filter(({ url, kill }) => url !== undefined && kill !== '')

/** Runs a command to its end. A server that it starts must not keep its output. */
export const runShell = async (command: string): Promise<void> => void (await run('sh', ['-c', command]))
