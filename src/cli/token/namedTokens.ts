import { userInfo } from 'node:os'
import { isEntityName, signToken } from '../../api/auth/authenticate.ts'
import type { Config } from '../../composition/settings/config.ts'
import { isObject, type JsonObject } from '../../shared/json.ts'
import { localUrl } from '../settings.ts'

export interface Asking {
  readonly config: Config
  /** Where the service is; left out, where the settings put it. */
  readonly url: string | undefined
  /** A token with which it is asked; left out, one is signed with the key of the settings. */
  readonly token: string | undefined
  readonly secret: () => string
}

/** Who runs the command: it is done in his name. */
const caller = (): string => {
  const { username } = userInfo()
  return isEntityName(username) ? username : 'admin'
}

const ownToken = ({ config, secret }: Asking): string => {
  const { issuer, audience, rolesClaim } = config.jwt
  return signToken(secret(), { user: caller(), roles: ['Admin'], ttl: 60, issuer, audience, rolesClaim })
}

const ask = async (asking: Asking, method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const url = asking.url?.replace(/\/+$/, '') ?? localUrl(asking.config)
  const response = await fetch(`${url}/api/v1/tokens${path}`, {
    method,
    headers: {
      authorization: `Bearer ${asking.token ?? ownToken(asking)}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Error(`Nothing answers at ${url}. Start the service first, or say where it is with --url.`, {
      cause: error,
    })
  })
  if (response.status === 204) return {}
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok && isObject(answer)) return answer
  throw new Error(isObject(answer) ? String(answer['message']) : `${url} answered ${response.status}.`)
}

/** Has the service make a token for a program. @returns the token */
export const makeNamed = async (asking: Asking, name: string, roles: string[], days: number): Promise<string> =>
  String((await ask(asking, 'POST', '', { name, roles, days }))['token'])

export const revokeNamed = async (asking: Asking, name: string): Promise<void> => {
  await ask(asking, 'DELETE', `/${encodeURIComponent(name)}`)
}

const columns = ['name', 'roles', 'expiresAt', 'createdAt', 'createdBy'] as const
const heads = ['NAME', 'ROLES', 'EXPIRES', 'MADE', 'BY']

/** The tokens that hold, as a table. */
export const listNamed = async (asking: Asking): Promise<string> => {
  const { data } = await ask(asking, 'GET', '')
  const rows = (Array.isArray(data) ? data.filter(isObject) : []).map((token) =>
    columns.map((column) => String(token[column]).replace(/:\d\d\.\d{3}Z$/, 'Z')),
  )
  if (rows.length === 0) return 'No program has a token. `token --name NAME --role ROLE` makes one.'
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [heads, ...rows].map(line).join('\n')
}
