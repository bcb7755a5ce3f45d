import type { EventEmitter } from 'node:events'
import {
  Client,
  Metadata,
  credentials,
  status,
  type ClientOptions,
  type ServiceError,
  type ClientReadableStream,
} from '@grpc/grpc-js'
import type { Logger } from 'pino'
import { StoreUnavailable } from '../eventStore.ts'
import { parseConnectionString, type ServerAddress } from './connectionString.ts'
import { methods, type Cluster, type Method, type ReadAnswer, type LogReadRequest } from './protocol.ts'
import { sleep } from '../../shared/backOff.ts'
import { reasonIn } from '../../stores/errors.ts'
import { asEventStoreError } from './storeErrors.ts'

/** State of the leader, as numbered by the protocol. */
const leading = 8

const leaderOf = ({ members }: Cluster): string | undefined => {
  const leader = members.find(({ isAlive, state }) => isAlive && state === leading)?.httpEndPoint
  return leader ? `${leader.address}:${leader.port}` : undefined
}

/**
 * Discovers the leader of a cluster. @returns `host:port` @throws StoreUnavailable when no host names one in any attempt
 */
const discoverLeader = async (
  { hosts, maxdiscoverattempts, discoveryinterval }: ServerAddress,
  ask: (host: string) => Promise<Cluster>,
  signal: AbortSignal,
): Promise<string> => {
  let reason = 'none of them knows the leader of a cluster'
  for (let attempt = 0; attempt < maxdiscoverattempts && !signal.aborted; attempt++) {
    if (attempt > 0) await sleep(discoveryinterval, signal)
    for (const host of hosts) {
      const cluster = await ask(host).catch((error: unknown) => void (reason = reasonIn(error)))
      const node = cluster && leaderOf(cluster)
      if (node !== undefined) return node
    }
  }
  throw new StoreUnavailable(`No leader of the event store was found at ${hosts.join(', ')}: ${reason}`)
}

const never = 2 ** 31 - 1

const optionsOf = ({ keepaliveinterval, keepalivetimeout }: ServerAddress): ClientOptions => ({
  'grpc.keepalive_time_ms': keepaliveinterval < 0 ? never : keepaliveinterval,
  'grpc.keepalive_timeout_ms': keepalivetimeout < 0 ? never : keepalivetimeout,
  // The server takes appends of up to 16 MiB.
  'grpc.max_receive_message_length': 17 * 2 ** 20,
  // A call after a broken one connects at once, without a shared back-off.
  'grpc.use_local_subchannel_pool': 1,
})

const channelCredentialsOf = ({ tls, tlsverifycert, certificates: { ca, key, cert } }: ServerAddress) =>
  tls ? credentials.createSsl(ca, key, cert, { rejectUnauthorized: tlsverifycert }) : credentials.createInsecure()

const metadataOf = ({ tls, basic, connectionname }: ServerAddress): Metadata => {
  const metadata = new Metadata()
  metadata.set('connection-name', connectionname)
  if (tls && basic !== undefined) metadata.set('authorization', basic)
  return metadata
}

/** Whether a new connection, perhaps to another node, is needed after this error. */
const endsConnection = ({ code, details, metadata }: Partial<ServiceError>): boolean =>
  code === status.UNAVAILABLE ||
  (code === status.CANCELLED && details !== 'Cancelled on client') ||
  metadata?.get('exception')[0] === 'not-leader'

/** Asks a node for the nodes of its cluster. @param timeout milliseconds */
const gossip = (client: Client, metadata: Metadata, timeout: number): Promise<Cluster> =>
  new Promise((resolve, reject) => {
    const { path, serialize, deserialize } = methods.gossip
    const options = { deadline: Date.now() + timeout }
    client.makeUnaryRequest(path, serialize, deserialize, {}, metadata.clone(), options, (error, answer) => {
      if (error) reject(error)
      else resolve(answer as Cluster)
    })
  })

const makeClients = (open: () => Promise<Client>) => {
  let current: Promise<Client> | undefined
  return {
    /** Uses a client; `broke` discards it, so that the next use creates another. */
    use: async <T>(work: (client: Client, broke: (error: object) => void) => T | Promise<T>): Promise<T> => {
      const opening = (current ??= open())
      const forget = (): void => {
        if (current === opening) current = undefined
      }
      opening.catch(forget)
      const client = await opening
      return work(client, (error) => {
        if (!endsConnection(error)) return
        forget()
        client.close()
      })
    },
    close: (): void => void current?.then((client) => client.close()).catch(() => undefined),
  }
}

/**
 * Calls to one server, or to the leader of a cluster, which is discovered again after a broken connection. The
 * first call opens it.
 * @param url see {@link parseConnectionString} @throws Error for a malformed one
 */
export const connectEventStore = (url: string, logger: Pick<Logger, 'debug'>) => {
  const address = parseConnectionString(url)
  const [secured, options, metadata] = [channelCredentialsOf(address), optionsOf(address), metadataOf(address)]
  const closing = new AbortController()
  const { signal } = closing
  const calls = new Set<{ cancel(): void }>()
  const assertOpen = (): void => {
    if (signal.aborted) throw new StoreUnavailable('The event store is closed.')
  }
  const ask = (host: string): Promise<Cluster> => {
    const client = new Client(host, secured, options)
    return gossip(client, metadata, address.gossiptimeout * 1000).finally(() => client.close())
  }
  const clients = makeClients(async () => {
    const host = address.discover ? await discoverLeader(address, ask, signal) : address.hosts[0]
    assertOpen()
    return new Client(host, secured, options)
  })
  const begin = <Call extends EventEmitter & { cancel(): void }>(make: (client: Client) => Call): Promise<Call> =>
    clients.use((client, broke) => {
      assertOpen()
      const call = make(client)
      calls.add(call)
      call.once('status', () => calls.delete(call))
      call.on('error', broke)
      return call
    })
  return {
    logger,
    closing: signal,
    assertOpen,
    /** The receiver of the call must add listeners at once. */
    stream: <Request, Answer>({ path, serialize, deserialize }: Method<Request, Answer>, request: Request) =>
      begin((client) => client.makeServerStreamRequest(path, serialize, deserialize, request, metadata.clone())),
    duplex: <Request, Answer>({ path, serialize, deserialize }: Method<Request, Answer>) =>
      begin((client) => client.makeBidiStreamRequest(path, serialize, deserialize, metadata.clone())),
    /** Ends all calls. */
    close: (): void => {
      for (const call of calls) call.cancel()
      closing.abort()
      clients.close()
    },
  }
}

export type Connection = ReturnType<typeof connectEventStore>

/** Starts a read and passes its answers to `take` in order; an error of `take` ends the call. */
export const openRead = (connection: Connection, request: LogReadRequest, take: (answer: ReadAnswer) => void) => {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>()
  let call: ClientReadableStream<ReadAnswer> | undefined
  let isEnded = false
  const end = (reason?: unknown): void => {
    if (isEnded) return
    isEnded = true
    resolve(reason === undefined ? undefined : asEventStoreError(reason))
    call?.cancel()
  }
  const takeUnlessEnded = (answer: ReadAnswer): void => {
    if (isEnded) return
    try {
      take(answer)
    } catch (error) {
      end(error)
    }
  }
  connection.stream(methods.read, request).then((opened) => {
    call = opened
      .on('data', takeUnlessEnded)
      .on('error', end)
      .on('end', () => end())
    if (isEnded) opened.cancel()
  }, end)
  return {
    /** Resolves with an error of the port, or `undefined` when the server has finished or the read was left. */
    ended,
    end,
    setPaused: (wait: boolean): void => {
      if (isEnded || !call || wait === call.isPaused()) return
      if (wait) call.pause()
      else call.resume()
    },
  }
}

export type ReadCall = ReturnType<typeof openRead>
