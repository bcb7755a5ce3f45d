import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readPostgres } from '../../../src/cli/load/postgres.ts'

/** A message of the protocol of PostgreSQL. */
const message = (type: string, ...body: number[]): number[] => [type.charCodeAt(0), 0, 0, 0, 4 + body.length, ...body]

/** A server that lets everybody in, and ends each connection at its first query. */
const breakingServer = async (): Promise<number> => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([...message('R', 0, 0, 0, 0), ...message('Z', 'I'.charCodeAt(0))]))
      socket.once('data', () => socket.destroy())
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a connection that breaks off is an error of the load, and does not end the process', async () => {
  const address = `postgres://ann@127.0.0.1:${await breakingServer()}/shop?sslmode=disable`
  await expect(readPostgres(address, undefined)).rejects.toThrow('Connection terminated unexpectedly')
})
