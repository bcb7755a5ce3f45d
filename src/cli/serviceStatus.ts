import type { IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { json } from 'node:stream/consumers'
import type { Config } from '../composition/settings/config.ts'
import { httpRequest } from '../shared/nodeHttp.ts'
import { runningUrl } from './command/settings.ts'

/** What the running service says of itself at `/readyz`. */
interface Readiness {
  readonly at: string
  /** `ready`, or another word of `/readyz`, or `no answer`. */
  readonly status: string
  /** Names of its dependencies that are down. */
  readonly down: readonly string[]
}

/** Milliseconds for an answer of the service. */
const timeout = 10_000

/** The certificate is not checked: it names the public address, and nothing secret is sent. */
const read = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, signal: AbortSignal.timeout(timeout) }
    const request = (url.startsWith('https:') ? secureRequest : httpRequest)(url, options, resolve)
    request.on('error', reject).end()
  })

/** Asks the service that runs in the data folder, if any. */
export const serviceStatus = async (config: Config): Promise<Readiness | undefined> => {
  const at = runningUrl(config)
  if (at === undefined) return undefined
  try {
    const answer = (await json(await read(`${at}/readyz`))) as {
      status: string
      dependencies: Record<string, { status: string }>
    }
    const down = Object.entries(answer.dependencies).filter(([, { status }]) => status === 'down')
    return { at, status: answer.status, down: down.map(([name]) => name) }
  } catch {
    return { at, status: 'no answer', down: [] }
  }
}

export const serviceLine = ({ at, status, down }: Readiness): string =>
  `service      ${at}: ${status}${down.length === 0 ? '' : ` (down: ${down.join(', ')})`}`
