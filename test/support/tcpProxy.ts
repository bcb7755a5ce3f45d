import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { portOf } from './ports.ts'

/** A TCP proxy that can be as bad as a network. */
export interface TcpProxy {
  /** Port on 127.0.0.1. */
  readonly port: number
  /** Connections that are open at present. */
  connections(): number
  /** Breaks every connection; new ones work. */
  cut(): void
  /** Breaks every connection and refuses new ones until `resume`: the server is away. */
  refuse(): void
  /** Forwards nothing any more and closes nothing, for new connections too, until `resume`: the server hangs. */
  stall(): void
  /** Passes on what the client sends and holds back the answers, for new connections too, until `resume`. */
  holdAnswers(): void
  /** The present connections go dead without a word, for good; new ones work. */
  freeze(): void
  /** Forwards at most about so many bytes a second, each way of each connection, until `resume`. */
  slow(bytesPerSecond: number): void
  /** Everything works again; what was held back by `stall` goes on. */
  resume(): void
  close(): Promise<void>
}

interface Link {
  /** The client's end first. */
  readonly ends: readonly [Socket, Socket]
  frozen: boolean
}

/**
 * Starts a proxy on a free port.
 * @param target port on 127.0.0.1, or host and port
 */
export const startProxy = async (target: number | { host: string; port: number }): Promise<TcpProxy> => {
  const server = createServer()
  const links = new Set<Link>()
  let mode: 'open' | 'refusing' | 'stalled' | 'holding' = 'open'
  let rate = Infinity

  const breakAll = (): void => {
    for (const { ends } of links) for (const end of ends) end.resetAndDestroy()
  }

  /** Is nothing passed on of what this end of a connection sends? */
  const isHeld = (end: Socket, far: Socket): boolean => mode === 'stalled' || (mode === 'holding' && end === far)

  const pump = (link: Link, from: Socket, to: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      const ready = to.write(chunk)
      if (ready && rate === Infinity) return
      from.pause()
      const goOn = (): void => {
        if (!isHeld(from, link.ends[1]) && !link.frozen) from.resume()
      }
      if (!ready) to.once('drain', goOn)
      else setTimeout(goOn, (chunk.length / rate) * 1000)
    })
    from.on('end', () => to.end())
  }

  server.on('connection', (near) => {
    if (mode === 'refusing') return near.resetAndDestroy()
    const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target.port, target.host)
    const link: Link = { ends: [near, far], frozen: false }
    links.add(link)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.setNoDelay(true)
      end.on('error', () => other.destroy())
      end.on('close', () => {
        links.delete(link)
        other.destroy()
      })
      pump(link, end, other)
      if (isHeld(end, far)) end.pause()
    }
  })

  return {
    port: await portOf(server),
    connections: () => links.size,
    cut: breakAll,
    refuse: () => {
      mode = 'refusing'
      breakAll()
    },
    stall: () => {
      mode = 'stalled'
      for (const { ends } of links) for (const end of ends) end.pause()
    },
    holdAnswers: () => {
      mode = 'holding'
      for (const { ends, frozen } of links) {
        ends[1].pause()
        if (!frozen) ends[0].resume()
      }
    },
    freeze: () => {
      for (const link of links) {
        link.frozen = true
        for (const end of link.ends) end.pause()
      }
    },
    slow: (bytesPerSecond) => {
      rate = bytesPerSecond
    },
    resume: () => {
      mode = 'open'
      rate = Infinity
      for (const { ends, frozen } of links) if (!frozen) for (const end of ends) end.resume()
    },
    close: async () => {
      breakAll()
      server.close()
      await once(server, 'close')
    },
  }
}
