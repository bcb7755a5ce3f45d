import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { adminToken, tokenFor, type RunningService } from '../support/service.ts'
import { memoryOf, type Memory } from './memory.ts'
import type { Ping } from './pinger.ts'
import { startPings } from './pings.ts'
import { turnsOf } from './turns.ts'

const many = (count: number, make: (at: number) => Socket): Socket[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** A client that sends a request so many times at once and never reads an answer. */
type Deaf = (requests: number, token: string) => Socket

const deafTo =
  (url: string, path: string): Deaf =>
  (requests, token) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(requests))
    return socket
  }

/** Makes the sockets of clients. */
export type Crowd = (deaf: Deaf) => Socket[]

/** Clients that ask for much and read nothing. */
export const crowds: Readonly<Record<string, Crowd>> = {
  'one socket with 2,000 requests': (deaf) => [deaf(2000, adminToken)],
  '300 sockets of one caller': (deaf) => many(300, () => deaf(10, adminToken)),
  '20 callers with ten sockets each': (deaf) =>
    many(200, (at) => deaf(20, tokenFor(`reader${at % 20}`, ['DataConsumer']))),
}

/** Pings that are waited for while a crowd asks. */
const enough = 60

/** How somebody who asks for little was answered beside a crowd, for how long others were not served, what was held. */
interface Beside {
  readonly pings: readonly Ping[]
  readonly longestTurn: number
  readonly meanwhile: Memory
}

/** Sends a crowd that asks for what stands at a path. */
export const besideCrowd = async (service: RunningService, path: string, crowd: Crowd): Promise<Beside> => {
  const turns = await turnsOf(service)
  const pinging = startPings(service, tokenFor('victim', ['DataConsumer']), () => {}, '/api/v1/me')
  while (pinging.all.length === 0) await pause(50)
  const quiet = pinging.all.length
  let sockets: Socket[] = []
  const longestTurn = await turns.longest(async () => {
    sockets = crowd(deafTo(service.url, path))
    while (pinging.all.length < quiet + enough) await pause(50)
  })
  turns.close()
  // Before garbage is collected, which the crowd did not ask for.
  const pings = pinging.all.slice(quiet)
  const meanwhile = await memoryOf(service)
  for (const socket of sockets) socket.destroy()
  await pinging.stop()
  return { pings, longestTurn, meanwhile }
}
