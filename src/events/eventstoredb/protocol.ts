import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'
import type { RawEvent } from '../codec.ts'

const files = ['streams', 'gossip'].map((name) => fileURLToPath(new URL(`protocol/${name}.proto`, import.meta.url)))
const root = protobuf.loadSync(files)

export interface Bits {
  readonly low: number
  readonly high: number
}

/** An unsigned number. */
export const bigintOf = ({ low, high }: Bits): bigint => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)

export const bitsOf = (value: bigint): Bits => ({
  low: Number(BigInt.asIntN(32, value)),
  high: Number(BigInt.asIntN(32, value >> 32n)),
})

type Empty = Readonly<Record<string, never>>

interface StreamIdentifier {
  readonly streamName: Buffer
}

interface Position {
  readonly commitPosition: Bits
  readonly preparePosition: Bits
}

export interface LogReadRequest {
  readonly options: {
    readonly stream?: { readonly streamIdentifier: StreamIdentifier; revision?: Bits; start?: Empty; end?: Empty }
    readonly all?: { readonly position?: Position; start?: Empty; end?: Empty } | undefined
    readonly readDirection?: 0 | 1
    readonly count?: number
    readonly subscription?: Empty
    readonly filter?: {
      readonly streamIdentifier: { readonly regex: string }
      readonly max: number
      readonly checkpointIntervalMultiplier: number
    }
    readonly noFilter?: Empty
    readonly uuidOption: { readonly string: Empty }
  }
}

export interface RecordedMessage {
  readonly id: { readonly string: string }
  readonly streamIdentifier: StreamIdentifier
  readonly streamRevision: Bits
  readonly commitPosition: Bits
  readonly metadata: Readonly<Record<string, string>>
  readonly customMetadata: Buffer
  readonly data: Buffer
}

/** Other answers, such as the start of a subscription or a missing stream, have neither. */
export interface ReadAnswer {
  readonly event?: { readonly event?: RecordedMessage | null } | null
  /** The log was read up to this position. */
  readonly checkpoint?: { readonly commitPosition: Bits } | null
}

interface Correlation {
  readonly structured: { readonly mostSignificantBits: number; readonly leastSignificantBits: number }
}

export interface BatchAppendRequest {
  readonly correlationId: Correlation
  readonly options?:
    { readonly streamIdentifier: StreamIdentifier; streamPosition?: Bits; noStream?: Empty } | undefined
  readonly proposedMessages: readonly Pick<RecordedMessage, 'id' | 'metadata' | 'customMetadata' | 'data'>[]
  readonly isFinal: boolean
}

export interface AppendStatus {
  readonly message: string
  readonly details?: { readonly type_url: string; readonly value: Buffer } | null
}

export interface BatchAppendAnswer {
  readonly correlationId: { readonly structured?: { readonly leastSignificantBits: Bits } | null }
  readonly error?: AppendStatus | null
  readonly success?: { readonly currentRevision: Bits; readonly position?: Position | null } | null
}

export interface Cluster {
  readonly members: readonly {
    readonly state: number
    readonly isAlive: boolean
    readonly httpEndPoint?: { readonly address: string; readonly port: number } | null
  }[]
}

export interface Method<Request, Answer> {
  readonly path: string
  readonly serialize: (request: Request) => Buffer
  readonly deserialize: (bytes: Buffer) => Answer
}

const methodOf = <Request extends object, Answer>(service: string, name: string): Method<Request, Answer> => {
  const method = root.lookupService(service).methods[name]
  method?.resolve()
  const { resolvedRequestType: request, resolvedResponseType: answer } = method ?? {}
  if (!request || !answer) throw new Error(`The protocol has no ${service}/${name}.`)
  return {
    path: `/${service}/${name}`,
    serialize: (message) => request.encode(message).finish() as Buffer,
    deserialize: (bytes) => answer.decode(bytes) as Answer,
  }
}

const streams = 'event_store.client.streams.Streams'

export const methods = {
  read: methodOf<LogReadRequest, ReadAnswer>(streams, 'Read'),
  batchAppend: methodOf<BatchAppendRequest, BatchAppendAnswer>(streams, 'BatchAppend'),
  gossip: methodOf<Empty, Cluster>('event_store.client.gossip.Gossip', 'Read'),
} as const

/** Type and members of the details of a status; no members for an unknown type. */
export const detailsOf = ({ details }: AppendStatus): { name: string; members: Readonly<Record<string, unknown>> } => {
  const name = details?.type_url.replace(/^.*\./, '') ?? ''
  if (!details || !(root.lookup(`event_store.client.${name}`) instanceof protobuf.Type)) return { name, members: {} }
  return { name, members: { ...root.lookupType(`event_store.client.${name}`).decode(details.value) } }
}

/** The event with its texts and the stream name of the store. */
export const rawEventOf = (event: RecordedMessage): RawEvent => ({
  stream: event.streamIdentifier.streamName.toString(),
  revision: bigintOf(event.streamRevision),
  position: bigintOf(event.commitPosition),
  id: event.id.string,
  type: event.metadata['type'] ?? '',
  data: event.data.toString(),
  metadata: event.customMetadata.toString(),
})
