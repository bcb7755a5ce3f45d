import { userInfo } from 'node:os'
import type { Logger } from 'pino'
import { isUserName, type Authenticate } from '../api/auth/authenticate.ts'
import type { Policies } from '../api/auth/policies.ts'
import { makeOpenIdConnect } from '../api/auth/openIdConnect.ts'
import type { SignIn } from '../api/auth/sessionRoutes.ts'
import { basePathOf } from '../api/http/pages.ts'
import { makeSessions, type SessionOptions, makeSignInCodes } from '../api/auth/sessions.ts'
import type { Config } from './settings/config.ts'
import { secretFor } from './engines.ts'
import { isPretty } from './logger.ts'

export const signInFor = (
  config: Config,
  authenticate: Authenticate,
  { roles }: Pick<Policies, 'roles'>,
  currentSeries: SessionOptions['currentSeries'],
  logger: Logger,
): SignIn => {
  const { oidc, jwt } = config
  return {
    authenticate,
    sessions: makeSessions({
      secret: secretFor(config),
      roles,
      secure: config.baseUrl?.startsWith('https:') ?? config.network.tls !== undefined,
      path: basePathOf(config.baseUrl),
      currentSeries,
    }),
    codes: makeSignInCodes(),
    openIdConnect: oidc && makeOpenIdConnect({ ...oidc, ...jwt, issuer: oidc.issuer, logger }),
    logger,
  }
}

/** Name of the operating system's user, if it is a valid user name; else `admin`. */
export const localAdminName = (): string => {
  try {
    const { username } = userInfo()
    return isUserName(username) ? username : 'admin'
  } catch {
    // In containers the user often has no name.
    return 'admin'
  }
}

/**
 * A one-time URL that signs an administrator in to the console. None if others issue tokens, or if the output goes to a
 * log collector.
 */
export const signInUrlFor = ({ jwt, oidc, logFormat }: Config, { codes }: SignIn, url: string): string | undefined => {
  if (!isPretty(logFormat) || jwt.publicKeyFile !== undefined || jwt.jwksUrl !== undefined || oidc !== undefined)
    return undefined
  return `${url}/#code=${codes.issue({ name: localAdminName(), roles: ['Admin'] })}`
}
