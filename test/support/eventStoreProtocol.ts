import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'
import { bitsOf } from '../../src/events/eventstoredb/protocol.ts'
import type { EncodedEvent } from '../../src/events/codec.ts'

const root = protobuf.loadSync(
  fileURLToPath(new URL('../../src/events/eventstoredb/protocol/streams.proto', import.meta.url)),
)

/** A message of the protocol as a server writes it. */
export const messageOf = (name: string, members: object): Buffer =>
  root.lookupType(`event_store.client.${name}`).encode(members).finish() as Buffer

/** What a message of the protocol says to a server. */
export const readMessage = (name: string, bytes: Buffer): Record<string, any> =>
  root.lookupType(`event_store.client.${name}`).decode(bytes)

/** The answer that an append was written at this position; `request` is its first message. */
export const written = (request: Buffer, position: bigint): Buffer =>
  messageOf('streams.BatchAppendResp', {
    correlationId: readMessage('streams.BatchAppendReq', request)['correlationId'] as object,
    success: { currentRevision: 0, position: { commitPosition: bitsOf(position), preparePosition: bitsOf(position) } },
  })

/** What a read tells of an event. */
export const eventAnswer = (stream: string, { id, type, data, metadata }: EncodedEvent, position: bigint): Buffer =>
  messageOf('streams.ReadResp', {
    event: {
      event: {
        id: { string: id },
        streamIdentifier: { streamName: Buffer.from(stream) },
        streamRevision: 0,
        commitPosition: bitsOf(position),
        metadata: { type },
        data: Buffer.from(data),
        customMetadata: Buffer.from(metadata),
      },
    },
  })

export const checkpointAnswer = (position: bigint): Buffer =>
  messageOf('streams.ReadResp', { checkpoint: { commitPosition: bitsOf(position), preparePosition: 0 } })
