import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningService } from '../support/service.ts'

/** Environment of a service that can be looked into: its inspector takes a free port when it is asked for. */
export const readable = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' }

interface Reply {
  readonly id: number
  readonly result?: { readonly result?: { readonly value?: unknown } }
}

/** A connection to the inspector of a service. */
export interface Inspector {
  readonly ask: (method: string, params?: object) => Promise<unknown>
  /** Value of an expression in the main thread of the service. */
  readonly evaluate: (expression: string) => Promise<unknown>
  readonly close: () => void
}

const addressOf = async ({ process: child, output }: RunningService): Promise<string> => {
  const pattern = /Debugger listening on (ws:\/\/\S+)/
  if (!pattern.test(output())) child.kill('SIGUSR1')
  for (;;) {
    const found = pattern.exec(output())?.[1]
    if (found !== undefined) return found
    if (child.exitCode !== null) throw new Error('The service has ended.')
    await delay(20)
  }
}

/** Connects to a service that is {@link readable}. @throws Error when it has ended */
export const inspect = async (service: RunningService): Promise<Inspector> => {
  const socket = new WebSocket(await addressOf(service))
  await once(socket, 'open')
  let last = 0
  const ask: Inspector['ask'] = async (method, params = {}) => {
    const id = (last += 1)
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
  return {
    ask,
    evaluate: (expression) => ask('Runtime.evaluate', { expression, returnByValue: true }),
    close: () => socket.close(),
  }
}
