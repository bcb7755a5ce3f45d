import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { BSON } from 'mongodb'
import { portOf } from './ports.ts'

/** A command as a client sends it; its first key is its name. */
export type MongoCommand = Readonly<Record<string, unknown>>

/**
 * What is said to a command in the server's place; `undefined`: the command goes to the server. Bytes are sent as they
 * are, and the connection ends behind them.
 */
export type MongoAnswerer = (command: MongoCommand) => Readonly<Record<string, unknown>> | Buffer | undefined

const headerBytes = 16
const bodyStart = headerBytes + 4 + 1
const opMsg = 2013

/** The documents of a sequence, which is a section of a message beside the command. */
const documentsIn = (message: Buffer, from: number, to: number): BSON.Document[] => {
  const documents: BSON.Document[] = []
  for (let at = from; at < to; at += message.readInt32LE(at))
    documents.push(BSON.deserialize(message.subarray(at, at + message.readInt32LE(at))))
  return documents
}

/** The sequences behind the command, by their names. */
const sequencesIn = (message: Buffer): MongoCommand => {
  const sequences: Record<string, BSON.Document[]> = {}
  for (let at = bodyStart + message.readInt32LE(bodyStart); message[at] === 1;) {
    const end = at + 1 + message.readInt32LE(at + 1)
    const nameEnd = message.indexOf(0, at + 5)
    sequences[message.toString('utf8', at + 5, nameEnd)] = documentsIn(message, nameEnd + 1, end)
    at = end
  }
  return sequences
}

/** The command in a message; `undefined` where it is none (the first message of a connection). */
const commandIn = (message: Buffer): MongoCommand | undefined =>
  message.readInt32LE(12) === opMsg && message[bodyStart - 1] === 0
    ? {
        ...BSON.deserialize(message.subarray(bodyStart, bodyStart + message.readInt32LE(bodyStart))),
        ...sequencesIn(message),
      }
    : undefined

const answerTo = (message: Buffer, answer: object): Buffer => {
  const body = BSON.serialize(answer)
  const head = Buffer.alloc(bodyStart)
  head.writeInt32LE(head.length + body.length, 0)
  head.writeInt32LE(message.readInt32LE(4), 8)
  head.writeInt32LE(opMsg, 12)
  return Buffer.concat([head, body])
}

/** Calls `take` with each whole message that arrives. */
const eachMessage = (socket: Socket, take: (message: Buffer) => void): void => {
  let received: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= headerBytes && received.length >= received.readInt32LE(0)) {
      const size = received.readInt32LE(0)
      take(received.subarray(0, size))
      received = received.subarray(size)
    }
  })
}

/**
 * Starts a proxy before a MongoDB server that says some things itself, as a server does whose role has changed.
 * @returns the URL to reach it at
 */
export const startMongoProxy = async (
  url: string,
  answerer: MongoAnswerer,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const target = new URL(url)
  const [host, port] = [target.hostname, Number(target.port || 27_017)]
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, host)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(end)
      end.on('error', () => other.destroy())
      end.on('close', () => other.destroy())
    }
    far.pipe(near)
    eachMessage(near, (message) => {
      const command = commandIn(message)
      const answer = command && answerer(command)
      if (answer === undefined) far.write(message)
      else if (answer instanceof Buffer) near.end(answer)
      else near.write(answerTo(message, answer))
    })
  })
  target.host = `127.0.0.1:${await portOf(server)}`
  target.searchParams.delete('replicaSet')
  target.searchParams.set('directConnection', 'true')
  return {
    url: target.href,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Says of a server that it leaves out what stands behind a write that fails, as MongoDB does and not all that speak its
 * protocol: so it is asked, with an impossible write.
 */
export const keepingOrder: MongoAnswerer = ({ updates }) => {
  const isAsked = Array.isArray(updates) && (updates[0] as { u?: { $inc?: object } }).u?.$inc
  return isAsked && 'touched' in isAsked
    ? { n: 0, nModified: 0, writeErrors: [{ index: 0, code: 14, errmsg: 'no time can be incremented' }], ok: 1 }
    : undefined
}
