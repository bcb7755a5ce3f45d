import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { HttpError, problemOf, type ProblemCode } from './problemDetails.ts'

const maxHeaderSize = 65_536

/**
 * Makes the HTTP server for an app, not yet listening, with bounds on how slowly and how largely a client may send:
 * headers within 10 s and 64 KiB (the longest FQN, escaped, fits), a whole request within 5 minutes.
 */
export const makeServer = (app: RequestListener): Server => {
  const server = createServer(
    {
      maxHeaderSize,
      headersTimeout: 10_000,
      requestTimeout: 300_000,
      keepAliveTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
    },
    app,
  )
  server.on('checkContinue', app)
  server.on('clientError', refuse)
  const open = new Set<Socket>()
  connections.set(server, open)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return server
}

/** Open connections of each server; the server itself does not tell those on which nothing was ever sent. */
const connections = new WeakMap<Server, Set<Socket>>()

const clientErrors: Readonly<Record<string, { code: ProblemCode; message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'HEADERS_TOO_LARGE',
    message: `The request line and the headers may have at most ${maxHeaderSize} bytes together.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'REQUEST_TIMEOUT', message: 'The request came too slowly.' },
}

const malformed = { code: 'BAD_REQUEST', message: 'The request is not valid HTTP.' } as const

/** A socket that an answer is being written to; bytes of ours must not get into the middle of it. */
const isAnswering = (socket: Duplex & { _httpMessage?: unknown }): boolean =>
  socket._httpMessage !== undefined && socket._httpMessage !== null

const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const { code, message } = clientErrors[error.code ?? ''] ?? malformed
  const { problem } = problemOf(new HttpError(code, message))
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/**
 * Stops a server: accepts nothing more, closes idle connections, lets running requests finish, and cuts what is still
 * open after `limit` milliseconds.
 */
export const drain = async (server: Server, limit = 10_000): Promise<void> => {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const end = setTimeout(() => server.closeAllConnections(), limit)
  await closed
  clearInterval(idle)
  clearTimeout(end)
}
