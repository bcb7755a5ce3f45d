import type { IncomingMessage, RequestListener, ServerResponse, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { limits } from '../../shared/limits.ts'
import { createServer, STATUS_CODES } from '../../shared/nodeHttp.ts'
import { HttpError, problemOf, type ProblemCode } from './problemDetails.ts'
import { acceptsEvents } from './exchange.ts'
import type { Pages } from './pages.ts'

/** A pipelined item that waits until everything before it is answered. */
interface Waiting {
  readonly request?: IncomingMessage
  readonly begin: () => void
}

/** The requests of one connection. */
interface Pipeline {
  /** The answer being made or read. */
  current: ServerResponse | undefined
  readonly waiting: Waiting[]
  begun: number
  /** Starts the next waiting item. */
  readonly next: () => void
}

const pipelines = new WeakMap<Duplex, Pipeline>()

const openPipeline = (socket: Duplex): Pipeline => {
  const next = (): void => {
    const request = pipeline.current?.req
    pipeline.current = undefined
    if (request?.complete === false) awaitRest(request)
    if (socket.destroyed) return void pipeline.waiting.splice(0)
    const first = pipeline.waiting.shift()
    if (first === undefined) return
    first.begin()
    if (pipeline.waiting.length === 0) socket.resume()
  }
  const pipeline: Pipeline = { current: undefined, waiting: [], begun: 0, next }
  pipelines.set(socket, pipeline)
  // Reading a body resumes the connection, however many requests wait.
  socket.on('resume', () => {
    if (pipeline.waiting.length > 0) socket.pause()
  })
  return pipeline
}

/** The pipeline of a connection, initially empty. */
const pipelineOf = (socket: Duplex): Pipeline => pipelines.get(socket) ?? openPipeline(socket)

/** Queues an item until everything before it is answered, and pauses the connection. */
const enqueue = (socket: Duplex, waiting: Waiting): void => {
  pipelineOf(socket).waiting.push(waiting)
  socket.pause()
}

const begin = (app: RequestListener, pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void => {
  pipeline.current = response
  pipeline.begun += 1
  response.once('close', pipeline.next)
  app(request, response as Parameters<RequestListener>[1])
}

/** Closes the connection of an answered request unless the rest of its body comes in time. */
const awaitRest = (request: IncomingMessage): void => {
  const timer = setTimeout(() => request.socket.destroy(), limits.restTime.value)
  request.once('close', () => clearTimeout(timer))
}

/** Connections beyond the limit, and what is served there. */
interface Spare {
  readonly connections: WeakSet<Duplex>
  readonly app: RequestListener
}

/** Runs one request per connection at a time: the next one starts when the client has read the answer before it. */
const withPipelining =
  (usual: RequestListener, spare: Spare): RequestListener =>
  (request, response) => {
    const { socket } = request
    const app = spare.connections.has(socket) ? spare.app : usual
    const pipeline = pipelines.get(socket) ?? openPipeline(socket)
    if (pipeline.current === undefined) begin(app, pipeline, request, response)
    else enqueue(socket, { request, begin: () => begin(app, pipeline, request, response) })
  }

interface ServerOptions {
  /** PEM texts for TLS; default: plain HTTP. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly maxConnections?: number | undefined
  /** Called for each connection that is refused because too many are open. */
  readonly onRefused?: () => void
}

/** Number of connections beyond the limit, on which only the probes are served. */
const spareConnections = 16

/** The handler of spare connections: it answers the probes alone, and ends each connection with its first answer. */
const probesOnly =
  (app: RequestListener, onRefused: () => void): RequestListener =>
  (request, response) => {
    response.setHeader('Connection', 'close')
    if (isProbe(request)) return app(request, response)
    onRefused()
    request.resume()
    answerUnavailable(request, response, 'Too many connections are open: try again later.')
  }

/** Makes the HTTP server for an app, not yet listening, with limits for slow, large and many clients. */
export const makeServer = (app: RequestListener, options: ServerOptions = {}): Server => {
  const { maxConnections = limits.connections.value, onRefused = () => {} } = options
  const settings = {
    maxHeaderSize: limits.headers.value,
    headersTimeout: limits.headersTime.value,
    requestTimeout: 0,
    keepAliveTimeout: limits.idleTime.value,
    connectionsCheckingInterval: 2_000,
    // The app refuses requests without it, with a clear problem.
    requireHostHeader: false,
  }
  const spare = { connections: new WeakSet<Duplex>(), app: probesOnly(app, onRefused) }
  const handler = withPipelining(app, spare)
  const server =
    options.tls === undefined
      ? createServer(settings, handler)
      : createSecureServer({ ...settings, ...options.tls }, handler)
  server.maxConnections = maxConnections + spareConnections
  server.on('drop', onRefused)
  server.on('checkContinue', handler)
  server.on('checkExpectation', handler)
  server.on('clientError', refuse)
  const openSockets = new Set<Socket>()
  connections.set(server, openSockets)
  let open = 0
  const count = (socket: Socket): void => {
    open += 1
    if (open > maxConnections) spare.connections.add(socket)
    socket.once('close', () => (open -= 1))
  }
  const trackSocket = (socket: Socket): void => {
    openSockets.add(socket)
    socket.once('close', () => openSockets.delete(socket))
  }
  // While many connect at once, those that still shake hands leave the places to those that have done so.
  server.on(options.tls === undefined ? 'connection' : 'secureConnection', count)
  server.on('connection', trackSocket)
  server.on('secureConnection', trackSocket)
  // Without progress for that long, a client reads nothing of its answer, or the connection is idle.
  server.setTimeout(limits.unreadTime.value, (socket: Socket) => {
    if (socket.writableLength > 0 || pipelineOf(socket).current === undefined) socket.destroy()
  })
  return server
}

/** Open connections by server, including idle ones that never sent anything. */
const connections = new WeakMap<Server, Set<Socket>>()

const clientErrors: Readonly<Record<string, { code: ProblemCode; message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'HEADERS_TOO_LARGE',
    message: `The request line and the headers may have at most ${limits.headers.value} bytes together.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'REQUEST_TIMEOUT', message: 'The request came too slowly.' },
}

const malformed = { code: 'BAD_REQUEST', message: 'The request is not valid HTTP.' } as const

/** Answers malformed input after the valid requests before it. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const pipeline = pipelineOf(socket)
  const { current, waiting, begun } = pipeline
  if (error.code === 'ECONNRESET' || !socket.writable || (current?.headersSent === true && !current.req.complete)) {
    socket.destroy()
    return
  }
  if (current?.req.complete !== true) return writeRefusal(error, socket)
  if (waiting.at(-1)?.request?.complete === false) waiting.pop()
  const last = begun + waiting.length
  // A request that was not read because others wait gets its full time when they are answered.
  const refuseLate = (): void => {
    setTimeout(() => {
      if (pipeline.begun === last) writeRefusal(error, socket)
    }, limits.headersTime.value).unref()
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  enqueue(socket, { begin: isLate ? refuseLate : () => writeRefusal(error, socket) })
}

const writeRefusal = (error: NodeJS.ErrnoException, socket: Duplex): void => {
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

/** Milliseconds for which running requests may go on when the service stops; deployments allow 40 seconds in all. */
const drainTime = 30_000

/**
 * Stops a server: lets running requests finish, and cuts those that still run after `limit` milliseconds.
 * @returns the number of requests cut
 */
export const drain = async (server: Server, limit = drainTime): Promise<number> => {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const open = connections.get(server) ?? new Set()
  for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  let cut = 0
  const end = setTimeout(() => {
    const running = [...open].flatMap((socket) => pipelines.get(socket)?.current ?? [])
    cut = running.length
    for (const response of running) response.destroy(new Error('The service stopped before the request was done.'))
    // The server does not count those that have not agreed on TLS.
    for (const socket of open) socket.destroy()
  }, limit)
  await closed
  clearInterval(idle)
  clearTimeout(end)
  return cut
}

const pathOf = ({ url }: IncomingMessage): string => url?.split('?', 1)[0] ?? ''

const probePaths = new Set(['/livez', '/readyz', '/metrics'])

const isProbe = (request: IncomingMessage): boolean => probePaths.has(pathOf(request))

/** By the HTML standard an EventSource does not reconnect after an error status, but does after a closed connection. */
const answerUnavailable = (request: IncomingMessage, response: ServerResponse, message: string): void => {
  if (acceptsEvents(request)) return void request.destroy()
  const { problem, headers } = problemOf(new HttpError('UNAVAILABLE', message))
  response.writeHead(problem.status, { ...headers, 'Content-Type': 'application/problem+json' })
  response.end(JSON.stringify(problem))
}

/** The handler until the stores are open: health endpoints, a waiting page for the console, 503 for everything else. */
export const startingHandler =
  (pages: Pages, system: RequestListener): RequestListener =>
  (request, response) => {
    const path = pathOf(request)
    const page = path.startsWith('/api/') ? undefined : pages({ method: request.method ?? 'GET', path, request })
    if (isProbe(request) || page !== undefined) return system(request, response)
    answerUnavailable(request, response, 'The catalog is starting: /readyz says what it waits for.')
  }
