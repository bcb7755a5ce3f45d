import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

/** A ping that ended. */
export interface Ping {
  /** Milliseconds since the epoch. */
  readonly began: number
  readonly milliseconds: number
  /**
   * Milliseconds for which the main thread of the service computed meanwhile, but for as long as this process had no
   * turn itself: what a ping waits for on a machine that has other work is not a fault of the service. Without /proc it is
   * the whole time.
   */
  readonly computed: number
  readonly status: number | undefined
}

const [, , url = '', token = '', pid = '', path = ''] = process.argv
const agent = new Agent({ keepAlive: true })

/** Milliseconds between an answer and the next ping: who sends more while he waits asks for more than little. */
const pause = 50

/** Milliseconds for which the main thread has had a processor. */
const computing = (): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}

/** Milliseconds between two looks at whether this process has its turns. */
const lookEvery = 10

/** Milliseconds after which a look is so late that the processor was given to others. */
const late = 50

/** Milliseconds for which this process has waited for its turns. */
let waited = 0
let last = performance.now()
const look = (): void => {
  const now = performance.now()
  if (now - last > late) waited += now - last - lookEvery
  last = now
}

const ping = (): void => {
  const began = Date.now()
  const start = performance.now()
  const before = computing()
  look()
  const waitedBefore = waited
  const done = (status: number | undefined): void => {
    const milliseconds = performance.now() - start
    const after = computing()
    look()
    const watched = before === undefined || after === undefined ? milliseconds : Math.min(milliseconds, after - before)
    const computed = Math.max(0, watched - (waited - waitedBefore))
    process.send?.({ began, milliseconds, computed, status } satisfies Ping)
    timer = setTimeout(ping, pause)
  }
  const asked = request(`${url}${path}`, { agent, headers: { Authorization: `Bearer ${token}` } }, (response) => {
    response
      .resume()
      .on('end', () => done(response.statusCode))
      .on('error', () => done(undefined))
  })
  asked.on('error', () => done(undefined)).end()
}

let timer = setTimeout(ping, pause)
const looking = setInterval(look, lookEvery)
process.on('disconnect', () => {
  clearTimeout(timer)
  clearInterval(looking)
  agent.destroy()
})
