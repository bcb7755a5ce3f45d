import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { makeServer } from '../../src/api/http/server.ts'
import { makeBreather } from '../../src/shared/breathe.ts'

const spin = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

it('work that is done in slices lets many connections in between two of them, and goes on while they come', async () => {
  const many = 60
  const server = makeServer((_, response) => void response.end())
  let accepted = 0
  server.on('connection', () => accepted++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: many }, () => connect(port, '127.0.0.1'))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const breathe = makeBreather()
  let slices = 0
  for (const end = performance.now() + 20_000; accepted < many && performance.now() < end; slices++) {
    spin(11)
    await breathe()
  }
  expect(accepted).toBe(many)
  expect(slices).toBeGreaterThan(0)
  expect(slices).toBeLessThan(many / 2)
})
