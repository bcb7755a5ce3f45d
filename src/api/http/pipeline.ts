import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Something that was sent on a connection and waits until everything before it was answered. */
interface Waiting {
  readonly request?: IncomingMessage
  readonly begin: () => void
}

/** The requests of one connection. */
interface Pipeline {
  /** The answer that is being made, or taken. */
  current: ServerResponse | undefined
  readonly waiting: Waiting[]
  /** How many requests have been begun. */
  begun: number
  /** Begins what waits, now that the answer before it has been taken. */
  readonly next: () => void
}

const pipelines = new WeakMap<Duplex, Pipeline>()

const open = (socket: Duplex): Pipeline => {
  const next = (): void => {
    pipeline.current = undefined
    if (socket.destroyed) return void pipeline.waiting.splice(0)
    const first = pipeline.waiting.shift()
    if (first === undefined) return
    first.begin()
    if (pipeline.waiting.length === 0) socket.resume()
  }
  const pipeline: Pipeline = { current: undefined, waiting: [], begun: 0, next }
  pipelines.set(socket, pipeline)
  // What reads a body lets the connection go on, however much of it waits.
  socket.on('resume', () => {
    if (pipeline.waiting.length > 0) socket.pause()
  })
  return pipeline
}

/** Of a connection that has sent no request yet it is empty. */
export const pipelineOf = (socket: Duplex): Pipeline => pipelines.get(socket) ?? open(socket)

/** Lets something wait until everything before it was answered; nothing more is read from the connection until then. */
export const enqueue = (socket: Duplex, waiting: Waiting): void => {
  pipelineOf(socket).waiting.push(waiting)
  socket.pause()
}

const begin = (app: RequestListener, pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void => {
  pipeline.current = response
  pipeline.begun += 1
  response.once('close', pipeline.next)
  app(request, response as Parameters<RequestListener>[1])
}

/** Begins one request of a connection at a time: the next when the answer before it is made and its client has taken it. */
export const oneAfterTheOther =
  (app: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = request
    const pipeline = pipelines.get(socket) ?? open(socket)
    if (pipeline.current === undefined) begin(app, pipeline, request, response)
    else enqueue(socket, { request, begin: () => begin(app, pipeline, request, response) })
  }
