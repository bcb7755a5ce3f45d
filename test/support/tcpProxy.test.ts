import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startProxy, type TcpProxy } from './tcpProxy.ts'

/** A proxy before a server that sends everything back; the server's own port too. */
const beforeEcho = async (): Promise<TcpProxy & { direct: { port: number } }> => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const direct = { port: (server.address() as AddressInfo).port }
  const proxy = await startProxy({ host: '127.0.0.1', ...direct })
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return { ...proxy, direct }
}

const connected = async ({ port }: { port: number }): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const echo = async (socket: Socket, text: string): Promise<string> => {
  socket.write(text)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString()
}

test('passes on what comes, both ways', async () => {
  expect(await echo(await connected(await beforeEcho()), 'hello')).toBe('hello')
})

test('cut breaks connections and lets new ones through', async () => {
  const proxy = await beforeEcho()
  const socket = await connected(proxy)
  await echo(socket, 'one')
  const broken = once(socket, 'error')
  proxy.cut()
  expect(await broken).toMatchObject([{ code: 'ECONNRESET' }])
  expect(await echo(await connected(proxy), 'two')).toBe('two')
})

test('refuse lets nobody in until it resumes', async () => {
  const proxy = await beforeEcho()
  proxy.refuse()
  const socket = connect(proxy.port, '127.0.0.1')
  expect(await once(socket, 'error')).toMatchObject([{ code: 'ECONNRESET' }])
  proxy.resume()
  expect(await echo(await connected(proxy), 'hello')).toBe('hello')
})

test('stall holds everything back until it resumes, and loses nothing', async () => {
  const proxy = await beforeEcho()
  const socket = await connected(proxy)
  await echo(socket, 'before')
  proxy.stall()
  const late = await connected(proxy)
  let answered = false
  const answers = Promise.all([echo(socket, 'during'), echo(late, 'new')])
  void answers.then(() => (answered = true))
  const direct = await connected(proxy.direct)
  for (let round = 0; round < 50; round++) await echo(direct, 'round')
  direct.destroy()
  expect(answered).toBe(false)
  proxy.resume()
  expect(await answers).toEqual(['during', 'new'])
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
