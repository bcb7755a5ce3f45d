import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

/** A ping that ended. */
export interface Ping {
  /** Milliseconds since the epoch. */
  readonly began: number
  readonly milliseconds: number
  /**
   * Milliseconds for which the main thread of the service computed meanwhile: what a ping waits for on a machine that
   * has other work is no fault of the service. Without /proc it is the whole time.
   */
  readonly computed: number
  readonly status: number | undefined
}

const [, , url = '', token = '', pid = '', path = ''] = process.argv
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Milliseconds for which the main thread has had a processor. */
const computing = (): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}

const ping = (): void => {
  const began = Date.now()
  const start = performance.now()
  const before = computing()
  const done = (status: number | undefined): void => {
    const milliseconds = performance.now() - start
    const after = computing()
    const computed = before === undefined || after === undefined ? milliseconds : Math.min(milliseconds, after - before)
    process.send?.({ began, milliseconds, computed, status } satisfies Ping)
  }
  const asked = request(`${url}${path}`, { agent, headers: { Authorization: `Bearer ${token}` } }, (response) => {
    response
      .resume()
      .on('end', () => done(response.statusCode))
      .on('error', () => done(undefined))
  })
  asked.on('error', () => done(undefined)).end()
}

const timer = setInterval(ping, 50)
process.on('disconnect', () => {
  clearInterval(timer)
  agent.destroy()
})
