import { once } from 'node:events'
import type { RunningService } from '../support/service.ts'

/** Environment of a service whose memory can be read: its inspector takes a free port when it is asked for. */
export const readable = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' }

/** Bytes that a service holds on to. */
export interface Memory {
  /** On the heap and beside it, after a collection. */
  readonly held: number
  readonly resident: number
}

interface Reply {
  readonly id: number
  readonly result?: { readonly result?: { readonly value?: unknown } }
}

const inspectorOf = async ({ process: child, output }: RunningService): Promise<string> => {
  const pattern = /Debugger listening on (ws:\/\/\S+)/
  if (!pattern.test(output())) child.kill('SIGUSR1')
  for (;;) {
    const found = pattern.exec(output())?.[1]
    if (found !== undefined) return found
    await Promise.race([once(child.stderr as NodeJS.ReadableStream, 'data'), once(child, 'exit')])
    if (child.exitCode !== null) throw new Error('The service has ended.')
  }
}

/** Collects the garbage of a service and tells what is left. */
export const memoryOf = async (service: RunningService): Promise<Memory> => {
  const socket = new WebSocket(await inspectorOf(service))
  await once(socket, 'open')
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    const reply = new Promise<Reply>((resolve) => {
      const read = ({ data }: MessageEvent): void => {
        const message = JSON.parse(String(data)) as Reply
        if (message.id !== id) return
        socket.removeEventListener('message', read)
        resolve(message)
      }
      socket.addEventListener('message', read)
    })
    socket.send(JSON.stringify({ id, method, params }))
    return (await reply).result?.result?.value
  }
  await ask(1, 'HeapProfiler.collectGarbage', {})
  await ask(2, 'HeapProfiler.collectGarbage', {})
  const usage = (await ask(3, 'Runtime.evaluate', {
    expression: 'process.memoryUsage()',
    returnByValue: true,
  })) as NodeJS.MemoryUsage
  socket.close()
  return { held: usage.heapUsed + usage.external, resident: usage.rss }
}
