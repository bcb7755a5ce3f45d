import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a service and a server that speaks MongoDB's protocol, and counts what is asked. */
export interface CountingProxy {
  /** The connection string that leads through it. */
  readonly url: string
  /** Messages to the server so far: each is one command, or a part of one that is too large for a message. */
  count(): number
  close(): Promise<void>
}

/** Every message begins with its length. */
const makeCounter = (counted: () => void) => {
  let head = Buffer.alloc(0)
  let rest = 0
  return (data: Buffer): void => {
    for (let at = 0; at < data.length;) {
      if (rest > 0) {
        const step = Math.min(rest, data.length - at)
        rest -= step
        at += step
        continue
      }
      const step = Math.min(4 - head.length, data.length - at)
      head = Buffer.concat([head, data.subarray(at, at + step)])
      at += step
      if (head.length < 4) continue
      counted()
      rest = head.readInt32LE(0) - 4
      head = Buffer.alloc(0)
    }
  }
}

/** @param url of a single server without TLS */
export const startCountingProxy = async (url: string): Promise<CountingProxy> => {
  const [, at = '', host = '', port = '27017'] =
    /^mongodb:\/\/(?:[^@/]*@)?(([^:/?,]+)(?::(\d+))?)(?=[/?]|$)/.exec(url) ?? []
  if (host === '') throw new Error('Queries can be counted before a single MongoDB server without TLS only.')
  const sockets = new Set<Socket>()
  let messages = 0
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) })
    const count = makeCounter(() => messages++)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => [client, upstream].forEach((each) => each.destroy()))
    }
    client.on('data', count)
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.replace(at, own),
    count: () => messages,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
