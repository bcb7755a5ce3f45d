import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from './ports.ts'
import { startProxy, type TcpProxy } from './tcpProxy.ts'

// That it refuses, stalls and holds answers back shows in the errors that the tests of the stores expect. The rest would not.

/** A proxy before a server that sends everything back. */
const beforeEcho = async (): Promise<TcpProxy> => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.pipe(socket)
  })
  const proxy = await startProxy(await portOf(server))
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return proxy
}

const connected = async ({ port }: TcpProxy): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const echo = async (socket: Socket, text: string): Promise<string> => {
  socket.write(text)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString()
}

test('cut breaks connections and lets new ones through', async () => {
  const proxy = await beforeEcho()
  const socket = await connected(proxy)
  await echo(socket, 'one')
  const broken = once(socket, 'error')
  proxy.cut()
  expect(await broken).toMatchObject([{ code: 'ECONNRESET' }])
  expect(await echo(await connected(proxy), 'two')).toBe('two')
})

test('freeze ends nothing and says nothing, and lets new connections through', async () => {
  const proxy = await beforeEcho()
  const socket = await connected(proxy)
  await echo(socket, 'before')
  proxy.freeze()
  let answered = false
  void echo(socket, 'lost').then(
    () => (answered = true),
    () => {},
  )
  for (let round = 0; round < 50; round++) await echo(await connected(proxy), 'round')
  expect(answered).toBe(false)
  expect(socket.closed).toBe(false)
})

test('slow takes its time', async () => {
  const proxy = await beforeEcho()
  const socket = await connected(proxy)
  proxy.slow(10_000)
  await echo(socket, 'x'.repeat(1000))
  const began = performance.now()
  await echo(socket, 'y'.repeat(1000))
  expect(performance.now() - began).toBeGreaterThan(80)
  proxy.resume()
})
