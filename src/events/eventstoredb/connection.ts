import type { CallOptions, Metadata } from '@grpc/grpc-js'
import { EventStoreDBClient } from '@eventstore/db-client'
import grpcStreams from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { Logger } from 'pino'
import { StoreUnavailable } from '../eventStore.ts'
import { within } from './clientErrors.ts'

/** One client of the store, shared by everything that one adapter does. */
export interface Connection {
  readonly client: EventStoreDBClient
  readonly logger: Pick<Logger, 'debug'>
  /** Begins a call without an end. `begin` adds its listeners before anything happens. */
  openCall<Call>(name: string, begin: (client: GrpcClient, ...given: CallArguments) => Call): Promise<Call>
  /** To make a call of the server's that the client has no method for. */
  readonly unary: Pick<ClientInternals, 'execute' | 'callArguments'>
  /** Throws {@link StoreUnavailable} once closing has begun. */
  assertOpen(): void
  readonly closing: AbortSignal
  close(): Promise<void>
}

type GrpcClient = InstanceType<typeof grpcStreams.StreamsClient>
type CallArguments = [Metadata, Partial<CallOptions>]

/** The parts of the client that subclasses are given. They find the server, follow the leader and reconnect. */
interface ClientInternals {
  GRPCStreamCreator<Call>(
    client: typeof grpcStreams.StreamsClient,
    name: string,
    create: (client: GrpcClient) => Call,
  ): () => Promise<Call>
  execute<Client, T>(
    client: new (...options: never[]) => Client,
    name: string,
    call: (client: Client) => Promise<T>,
  ): Promise<T>
  callArguments(options: { readonly deadline?: number }, callOptions: object): CallArguments
  handleError(client: unknown, error: Error): Promise<void>
}

/** Milliseconds within which a silent connection is found dead: ping after, and answer to it within. */
const keepAlive = { keepAliveInterval: 10_000, keepAliveTimeout: 5000 }

/** The connection string with the scheme that the client knows, and with keep-alive unless it says otherwise. */
const completeUrl = (url: string): string => {
  const known = url
    .trim()
    .replace(/^kurrentdb(?=:|\+)/i, 'esdb')
    .replace(/\/+$/, '')
  const missing = Object.entries(keepAlive).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(known))
  const parameters = missing.map(([name, value]) => `${name}=${value}`).join('&')
  if (parameters === '') return known
  return known.includes('?') ? `${known}&${parameters}` : `${known.replace(/\/?$/, '/')}?${parameters}`
}

/** Contains rejections of the client's error handling, which nobody awaits: they would end the process. */
const containErrorHandling = (internals: ClientInternals, logger: Connection['logger']): void => {
  const handleError = internals.handleError
  internals.handleError = (client, error) =>
    handleError(client, error).catch((cause: unknown) =>
      logger.debug({ err: cause }, 'event store: reconnecting failed'),
    )
}

/**
 * Makes the client; it connects with its first call.
 * @param url `esdb://…`, `esdb+discover://…`, or with `kurrentdb`
 * @throws an error that does not repeat the URL, which may hold a password
 */
export const connect = (url: string, logger: Connection['logger']): Connection => {
  let client: EventStoreDBClient
  try {
    client = EventStoreDBClient.connectionString(completeUrl(url))
  } catch {
    throw new Error('The address of the event store is no connection string that its client can read.')
  }
  const internals = client as unknown as ClientInternals
  containErrorHandling(internals, logger)
  const closing = new AbortController()
  return {
    client,
    logger,
    closing: closing.signal,
    unary: internals,
    openCall: (name, begin) =>
      internals.GRPCStreamCreator(grpcStreams.StreamsClient, name, (grpc) =>
        begin(grpc, ...internals.callArguments({}, { deadline: Infinity })),
      )(),
    assertOpen: () => {
      if (closing.signal.aborted) throw new StoreUnavailable('The event store is closed.')
    },
    close: async () => {
      closing.abort()
      await within(5000, 'ending its calls', client.dispose()).catch((error: unknown) =>
        logger.debug({ err: error }, 'event store: closing took too long'),
      )
    },
  }
}
