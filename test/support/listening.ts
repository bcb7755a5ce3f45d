import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { makeNotifier } from '../../src/events/logTail.ts'
import { portOf } from './ports.ts'

/** A server on a free port, closed when the test has finished. @returns its address */
export const listening = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await portOf(server)}`
}

/** A server that is sent messages: `answer` gives the status of each, and `until` waits for what they have led to. */
export const receiving = async (answer: (body: string, request: IncomingMessage) => number | Promise<number>) => {
  const notifier = makeNotifier()
  const url = await listening(async (request, response) => {
    response.writeHead(await answer(await text(request), request)).end()
    notifier.notify()
  })
  const until = async (enough: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await enough())) await notifier.wait(new AbortController().signal, 20)
  }
  return { url, until }
}
