import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { BSON, MongoError, MongoNetworkError, MongoServerError } from 'mongodb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { OtherLog } from '../../../src/events/events.ts'
import { StoreFailed, StoreUnavailable } from '../../../src/events/eventStore.ts'
import { asMongoError, databaseIn } from '../../../src/stores/mongo/connection.ts'
import { openMongoReadModels } from '../../../src/projections/distributed/readModels.ts'
import { openMongoVault } from '../../../src/events/personal/mongoVault.ts'
import { openMongoWebhookStore } from '../../../src/subscriptions/webhooks/mongo/webhookStore.ts'
import { secretCodec } from '../../subscriptions/webhooks/webhookStoreContract.ts'
import { silent } from '../../projections/entities/mongo/support.ts'

/** A server that does this with every connection; its URL. */
const serverThat = async (serve: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers the first message of a connection, and each further `hello`, with this document, other commands as told. */
const answering =
  (hello: object, answerTo: (command: BSON.Document) => object = () => hello) =>
  (socket: Socket): void => {
    socket.on('data', (message) => {
      const isCommand = message.readInt32LE(12) === 2013
      const command = isCommand ? BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21))) : { hello: 1 }
      const body = BSON.serialize('hello' in command ? hello : answerTo(command))
      const head = Buffer.alloc(isCommand ? 21 : 36)
      head.writeInt32LE(head.length + body.length, 0)
      head.writeInt32LE(message.readInt32LE(4), 8)
      head.writeInt32LE(isCommand ? 2013 : 1, 12)
      if (!isCommand) head.writeInt32LE(1, 32)
      socket.write(Buffer.concat([head, body]))
    })
  }

const patience = { selection: 400, answer: 400 }

const opening = (url: string) => openMongoReadModels({ url, logger: silent, timeouts: patience })

describe('connecting to MongoDB', () => {
  test('where nobody listens is refused in bounded time', async () => {
    const begun = performance.now()
    await expect(opening('mongodb://127.0.0.1:9')).rejects.toBeInstanceOf(StoreUnavailable)
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  test('connecting to MongoDB to a server that says nothing is refused in bounded time', async () => {
    const begun = performance.now()
    await expect(opening(await serverThat(() => {}))).rejects.toBeInstanceOf(StoreUnavailable)
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  test('connecting to MongoDB to a server that is too old is refused by name', async () => {
    const hello = { ok: 1, ismaster: true, helloOk: true, minWireVersion: 0, maxWireVersion: 6 }
    const url = await serverThat(answering(hello))
    // On a busy machine its answer may come later than it is waited for: then it is unavailable, once.
    const refusal = (): Promise<Error> =>
      opening(url).then(
        () => new Error('It was taken.'),
        (error: Error) => error,
      )
    await expect.poll(refusal).toMatchObject({
      name: 'UnsupportedServer',
      message: expect.stringMatching(/too old.*wire version 6/) as string,
    })
  })
})

test.each([
  ['vault', (url: string) => openMongoVault({ url })],
  ['webhook store', (url: string) => openMongoWebhookStore({ url, secretCodec })],
])('a %s that may not make its index leaves no connection open', async (_, open) => {
  const sockets: Socket[] = []
  const hello = { ok: 1, isWritablePrimary: true, helloOk: true, minWireVersion: 0, maxWireVersion: 21 }
  const serve = answering(hello, (command) =>
    'createIndexes' in command ? { ok: 0, code: 13, errmsg: 'not authorized' } : { ok: 1 },
  )
  const url = await serverThat((socket) => {
    sockets.push(socket)
    serve(socket)
  })
  await expect(open(url)).rejects.toThrow('not authorized')
  await expect.poll(() => sockets.length > 0 && sockets.every(({ closed }) => closed)).toBe(true)
})

describe('errors of MongoDB', () => {
  test.each([
    ['a lost connection', new MongoNetworkError('lost')],
    ['a primary that stepped down', new MongoError('not primary')],
    ['a server that shuts down', new MongoError('shutting down')],
  ])('%s means that the store is unavailable', (_, error) => {
    if (error.message === 'not primary') error.code = 10_107
    if (error.message === 'shutting down') error.addErrorLabel('RetryableWriteError')
    expect(asMongoError(error)).toBeInstanceOf(StoreUnavailable)
  })

  test.each([
    ['a code that nobody knows', new MongoServerError({ ok: 0, code: 8, errmsg: 'The map is closed' })],
    ['no code at all', new MongoError('no such command')],
    ['half a document', new BSON.BSONError('bson size must be >= 5, is 3')],
    ['what the driver stumbled over', new TypeError("Cannot read properties of null (reading 'ok')")],
    ['no error', undefined],
  ])('%s means that the store failed', (_, error) => {
    expect(asMongoError(error)).toBeInstanceOf(StoreFailed)
    expect(asMongoError(error)).not.toBeInstanceOf(StoreUnavailable)
    expect(asMongoError(error).cause).toBe(error)
  })

  test('what the catalog named itself stays what it is', () => {
    const errors = [new OtherLog('x'), new StoreUnavailable('y')]
    for (const error of errors) expect(asMongoError(error)).toBe(error)
  })
})

test.each([
  ['mongodb://localhost', 'catalog'],
  ['mongodb://localhost/?replicaSet=rs', 'catalog'],
  ['mongodb://u:p%2Fq@a:1,b:2/meta%20data?w=1', 'meta data'],
  ['mongodb+srv://host/mine', 'mine'],
])('the database of %s is %s', (url, name) => expect(databaseIn(url)).toBe(name))
