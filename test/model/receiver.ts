import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from './feed.ts'
import type { Finding } from './findings.ts'
import type { Host } from './host.ts'

/** An endpoint for a webhook that notes what comes. */
export interface Receiver {
  /** Compares what came with the feed, after waiting for the rest. */
  readonly check: (events: readonly FeedEvent[]) => Promise<Finding[]>
  readonly close: () => void
}

/** Time without anything new after which nothing more is waited for. */
const patience = 20_000

const findingsOf = (came: readonly string[], events: readonly FeedEvent[]): Finding[] => {
  const rule = 'webhooks get every event in order'
  const firsts = [...new Set(came)]
  const wanted = events.map(({ position }) => position)
  const missing = events.filter(({ position }) => !firsts.includes(position))
  if (missing.length > 0)
    return [
      {
        rule,
        message: `${missing.length} of ${events.length} events never came, first ${missing[0]?.type} at ${missing[0]?.position} of ${missing[0]?.key}`,
      },
    ]
  const at = wanted.findIndex((position, index) => firsts[index] !== position)
  return at === -1 ? [] : [{ rule, message: `${firsts[at]} came where ${wanted[at]} should have come` }]
}

/** Makes a webhook for everything, and listens. */
export const startReceiver = async (host: Host): Promise<Receiver> => {
  const came: string[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      came.push((JSON.parse(Buffer.concat(parts).toString()) as { position: string }).position)
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { status, body } = await host.call('POST', '/v1/webhooks', { name: 'everything', endpoint })
  if (status !== 201) throw new Error(`the webhook was answered ${status}: ${JSON.stringify(body)}`)
  return {
    check: async (events) => {
      for (let waited = 0, length = -1; waited < patience && findingsOf(came, events).length > 0; waited += 250) {
        if (came.length !== length) waited = 0
        length = came.length
        await delay(250)
      }
      return findingsOf(came, events)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
