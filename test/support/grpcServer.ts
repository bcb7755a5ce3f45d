import { createServer, type ServerHttp2Stream } from 'node:http2'
import { onTestFinished } from 'vitest'
import { portOf } from './ports.ts'

/** Headers of a call that is answered. */
export const answered = { ':status': 200, 'content-type': 'application/grpc+proto' }

/** A message of a gRPC call as it is sent. */
export const framed = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** Calls `take` with each gRPC message that arrives. */
export const eachMessage = (stream: ServerHttp2Stream, take: (message: Buffer) => void): void => {
  let received: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 5 && received.length >= 5 + received.readUInt32BE(1)) {
      const end = 5 + received.readUInt32BE(1)
      take(received.subarray(5, end))
      received = received.subarray(end)
    }
  })
}

/** A server of gRPC calls, which answers as it is told and ends with the test; its connection string. */
export const startGrpcServer = async (answer: (stream: ServerHttp2Stream, path: string) => void): Promise<string> => {
  const server = createServer()
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    answer(stream, headers[':path'] ?? '')
  })
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return `esdb://127.0.0.1:${await portOf(server)}?tls=false`
}
