import type { Json, JsonObject } from '../../shared/json.ts'
import { isObject } from '../../shared/json.ts'

/** The service answered with an error, or did not answer. The message says what to do. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
}

export interface Client {
  get(path: string): Promise<JsonObject>
  put(path: string, body: Json, user?: string): Promise<JsonObject>
}

export interface ClientOptions {
  /** Where the service listens, without `/api`. */
  readonly url: string
  /** A token of the user with this name; of the one who seeds when there is none. */
  readonly tokenOf: (user: string | undefined) => string
}

/** Says what is wrong in one line for each problem. */
const problemText = (call: string, status: number, answer: unknown): string => {
  if (!isObject(answer)) return `${call} was answered with ${status}`
  const { message, errors } = answer
  const details = Array.isArray(errors)
    ? errors.filter(isObject).map(({ path, message: each }) => `\n  ${String(path)} ${String(each)}`)
    : []
  return `${call} was answered with ${status}: ${String(message)}${details.join('')}`
}

export const makeClient = ({ url, tokenOf }: ClientOptions): Client => {
  const call = async (
    method: string,
    path: string,
    body: Json | undefined,
    user: string | undefined,
  ): Promise<JsonObject> => {
    const target = `${url}/api/v1/${path}`
    const response = await fetch(target, {
      method,
      headers: {
        authorization: `Bearer ${tokenOf(user)}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new SeedError(`Nothing answers at ${url}. Start the service first, or say where it is with --url.`, {
        cause: error,
      })
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.status === 401) {
      throw new SeedError(
        'The service does not accept the token. Give one with --token, or set CATALOG_DATA_DIR to the folder of ' +
          'the running service.',
      )
    }
    if (!response.ok || !isObject(answer))
      throw new SeedError(problemText(`${method} ${target}`, response.status, answer))
    return answer
  }
  return {
    get: (path) => call('GET', path, undefined, undefined),
    put: (path, body, user) => call('PUT', path, body, user),
  }
}
