import { once } from 'node:events'
import { createServer } from 'node:net'

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
