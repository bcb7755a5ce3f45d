import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signToken } from '../api/auth/authenticate.ts'
import type { Config } from '../composition/settings/config.ts'
import { files } from '../composition/settings/fixedNames.ts'
import { CallError, makeClient, type ApiClient } from './client/apiClient.ts'
import { asText } from './command.ts'
import { localUrl, readSettings } from './settings.ts'

const secretOf = ({ jwt, dataDir }: Config): string => {
  const path = join(dataDir, files.jwtSecret)
  if (jwt.secret !== undefined) return jwt.secret
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  throw new CallError(
    `${path} is missing. Start the service first, set CATALOG_DATA_DIR to its folder, or give a token with --token.`,
  )
}

/** Signs a token for each user once: `admin` may do everything, others what consumers may. */
const signer = (config: Config, admin: string): ((user: string | undefined) => string) => {
  const secret = secretOf(config)
  const { issuer, audience, rolesClaim } = config.jwt
  const known = new Map<string, string>()
  return (user = admin) => {
    const roles = user === admin ? ['Admin'] : ['DataConsumer']
    const token = known.get(user) ?? signToken(secret, { user, roles, ttl: 3600, issuer, audience, rolesClaim })
    known.set(user, token)
    return token
  }
}

/** The token of an option, or of the environment. */
export const givenToken = (option: unknown): string | undefined => asText(option) ?? process.env['CATALOG_TOKEN']

/** Options of commands that call a running service. */
export const clientOptions = { url: { type: 'string' }, token: { type: 'string' } } as const

/** Makes clients of the service that the options name, or that runs on this machine. @param admin who calls without --token */
export const clientsFor = (
  { url, token }: { readonly url?: unknown; readonly token?: unknown },
  admin: string,
): ((headers?: Readonly<Record<string, string>>) => ApiClient) => {
  const config = readSettings(process.env, 'tokens')
  const given = givenToken(token)
  const tokenOf = given === undefined ? signer(config, admin) : () => given
  const target = asText(url)?.replace(/\/+$/, '') ?? localUrl(config)
  return (headers = {}) => makeClient({ url: target, tokenOf, headers })
}
