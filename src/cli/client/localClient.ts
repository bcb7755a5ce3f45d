import { join } from 'node:path'
import { signToken } from '../../api/auth/authenticate.ts'
import type { Config } from '../../composition/settings/config.ts'
import { files } from '../../composition/settings/fixedNames.ts'
import { readSecret } from '../../stores/sqlite/dataFolder.ts'
import { CallError, makeClient, type ApiClient } from './apiClient.ts'
import type { Call } from '../command/command.ts'
import { localUrl, readSettings } from '../command/settings.ts'

/** The configured secret, or the one that the first start of the service has put into its folder. */
export const secretOf = ({ dataDir, jwt }: Config): string => {
  const secret = jwt.secret ?? readSecret(join(dataDir, files.jwtSecret))
  const others = [jwt.publicKeyFile && 'CATALOG_JWT_PUBLIC_KEY_FILE', jwt.jwksUrl && 'CATALOG_JWKS_URL'].filter(Boolean)
  if (others.length > 0 && jwt.secret === undefined)
    throw new CallError(
      `The service takes tokens that others sign (${others.join(', ')}): get one there, or set CATALOG_JWT_SECRET ` +
        'beside it.',
    )
  if (secret !== undefined) return secret
  throw new CallError(
    `There is no key for tokens in ${dataDir}. Start the service first, name its folder in CATALOG_DATA_DIR or its key ` +
      'in CATALOG_JWT_SECRET, or give a token with --token.',
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
export const givenToken = ({ token }: Call['texts']): string | undefined => token ?? process.env['CATALOG_TOKEN']

/** Options of commands that call a running service. */
export const clientTexts = ['url', 'token']

/** Makes clients of the service that the options name, or that runs on this machine. @param admin who calls without --token */
export const clientsFor = (
  texts: Call['texts'],
  admin: string,
): ((headers?: Readonly<Record<string, string>>) => ApiClient) => {
  const config = readSettings(process.env, 'tokens')
  const given = givenToken(texts)
  const tokenOf = given === undefined ? signer(config, admin) : () => given
  const target = texts['url']?.replace(/\/+$/, '') ?? localUrl(config)
  return (headers = {}) => makeClient({ url: target, tokenOf, headers })
}
