import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig, type Config } from '../../composition/settings/config.ts'
import { isLocked, lockFile, readSecret, replaceSecret } from '../../stores/sqlite/dataFolder.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The settings that a running service stores in its data folder for commands. */
interface RunningSettings {
  /** Its settings, by variable; nothing secret. */
  readonly settings: Readonly<Record<string, string>>
  /** Names of secret variables that are set. */
  readonly secrets: readonly string[]
}

const kept = [
  'CATALOG_HOST',
  'CATALOG_BASE_URL',
  'CATALOG_JWT_ISSUER',
  'CATALOG_JWT_AUDIENCE',
  'CATALOG_JWT_ROLES_CLAIM',
  'CATALOG_JWKS_URL',
  'CATALOG_ACCEPT_LOG_AHEAD',
]

const keptFiles = [
  'CATALOG_JWT_PUBLIC_KEY_FILE',
  'CATALOG_POLICIES_FILE',
  'CATALOG_AUDIT_KEY_FILE',
  'CATALOG_TLS_CERT_FILE',
  'CATALOG_TLS_KEY_FILE',
]

const secrets = ['CATALOG_JWT_SECRET', 'CATALOG_SECRET_KEY', 'CATALOG_EVENTSTORE_URL', 'CATALOG_MONGODB_URL']

/** What a command needs: secret settings are not stored. */
type CommandScope = 'service' | 'stores' | 'tokens'

const needed: Readonly<Record<CommandScope, readonly string[]>> = {
  service: [],
  stores: ['CATALOG_EVENTSTORE_URL', 'CATALOG_MONGODB_URL'],
  tokens: ['CATALOG_JWT_SECRET'],
}

const pathIn = (dataDir: string): string => join(dataDir, 'running.json')

/** Locked by the service whose settings are stored: a killed one leaves them behind. */
const lockIn = (dataDir: string): string => join(dataDir, 'running.db')

const isSet = (env: Environment, name: string): boolean => (env[name]?.trim() ?? '') !== ''

/** Absolute paths, and addresses without credentials and parameters. */
const witnessesOf = ({ auditWitness }: Config): string =>
  auditWitness.targets
    .map((target) => (typeof target === 'string' ? target : target.origin + target.pathname))
    .join(',')

/** Stores the settings of this service for commands, unless another one has done so. @returns function to remove them */
export const storeSettings = (env: Environment, config: Config, url: string): (() => void) => {
  const { dataDir } = config
  const lock = lockFile(lockIn(dataDir))
  if (lock === undefined) return () => undefined
  const path = pathIn(dataDir)
  const pick = (names: readonly string[], read: (value: string) => string): [string, string][] =>
    names.filter((name) => isSet(env, name)).map((name) => [name, read(env[name] as string)])
  const note: RunningSettings = {
    settings: {
      ...Object.fromEntries([...pick(kept, (value) => value), ...pick(keptFiles, (value) => resolve(value))]),
      CATALOG_AUDIT_WITNESS: witnessesOf(config),
      CATALOG_PORT: /(?<!\d)\d+$/.exec(url)?.[0] ?? '',
    },
    secrets: secrets.filter((name) => isSet(env, name)),
  }
  replaceSecret(path, JSON.stringify(note, null, 2))
  return () => {
    rmSync(path, { force: true })
    lock.close()
  }
}

/** The stored settings of the service running in the folder, if any. */
const runningIn = (dataDir: string): RunningSettings | undefined => {
  const text = readSecret(pathIn(dataDir))
  return text !== undefined && isLocked(lockIn(dataDir)) ? (JSON.parse(text) as RunningSettings) : undefined
}

/**
 * The settings from the environment, or of the service running in the data folder. @throws ConfigError, Error without a
 * secret
 */
export const readSettings = (env: Environment, need: CommandScope): Config => {
  const own = readConfig(env)
  const running = runningIn(own.dataDir)
  if (running === undefined) return own
  const missing = needed[need].find((name) => running.secrets.includes(name) && !isSet(env, name))
  if (missing !== undefined)
    throw new Error(`The running service uses ${missing} and does not share it: set it here to the same value.`)
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => isSet(env, name)))
  return readConfig({ ...running.settings, ...given })
}

/** Base URL of a service with these settings for calls: the public one where a certificate is for that. */
export const serviceUrl = (config: Config): string =>
  config.network.tls !== undefined && config.baseUrl?.startsWith('https:') ? config.baseUrl : localUrl(config)

/** Local base URL of a service with these settings, without a trailing slash. */
const localUrl = ({ host, port, network }: Config): string => {
  const scheme = network.tls === undefined ? 'http' : 'https'
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `${scheme}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** Whether secrets are sealed with a key that the service running in the data folder has, and these settings lack. */
export const hasOtherSealingKey = ({ dataDir, secretKey }: Config): boolean =>
  secretKey === undefined && runningIn(dataDir)?.secrets.includes('CATALOG_SECRET_KEY') === true
