import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

/** Lets a server listen on a free port. @returns the port */
export const portOf = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Below those that systems give to connections that nobody has chosen a port for: such a one would take it meanwhile. */
const [least, most] = [10_000, 30_000]

/** A port that was free a moment ago, and that nobody gets who does not ask for it. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = least + Math.floor(Math.random() * (most - least))
    const server = createServer().listen(port, '127.0.0.1')
    const listens = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!listens) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
