import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { endOf, type StoredEvent } from './ownEvents.ts'
import { uuidText } from './uuid.ts'

/** A subscription reports how far it has come at least every so many events of others. */
export const reportEvents = 500

const { Options } = streams.ReadReq

/** Where a subscription to the whole log begins: behind this position, or with the log. */
const placeOf = (from: bigint | undefined): ReadReq.Options.AllOptions => {
  if (from === undefined) return new Options.AllOptions().setStart(new shared.Empty() as never)
  const position = new Options.Position().setCommitPosition(String(from)).setPreparePosition(String(from))
  return new Options.AllOptions().setPosition(position)
}

/**
 * Asks for the events of streams whose names match, from a position on and without end.
 * @param pattern regular expression
 */
export const subscriptionRequest = (from: bigint | undefined, pattern: string): ReadReq => {
  const filter = new Options.FilterOptions()
    .setStreamIdentifier(new Options.FilterOptions.Expression().setRegex(pattern))
    .setMax(reportEvents)
    .setCheckpointintervalmultiplier(1)
  const options = new Options()
    .setAll(placeOf(from))
    .setSubscription(new Options.SubscriptionOptions())
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty() as never))
    .setFilter(filter)
  return new streams.ReadReq().setOptions(options)
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()

/** The event of a message, its data and metadata still as text; `undefined` in a message of another kind. */
export const eventIn = (message: ReadResp): StoredEvent | undefined => {
  const event = message.getEvent()?.getEvent()
  if (!event) return undefined
  const stream = event.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()
  const [data, metadata] = [event.getData_asU8(), event.getCustomMetadata_asU8()]
  const type = event.getMetadataMap().get('type') ?? ''
  const position = BigInt(event.getCommitPosition())
  const lengths = { stream: stream.length, type: type.length, data: data.length, metadata: metadata.length }
  return {
    stream: textOf(stream),
    revision: BigInt(event.getStreamRevision()),
    position,
    id: uuidText(event.getId()),
    type,
    data: textOf(data),
    metadata: textOf(metadata),
    end: endOf(position, lengths),
  }
}

/** How far the log has been looked through; `undefined` in a message of another kind. */
export const checkpointIn = (message: ReadResp): bigint | undefined => {
  const checkpoint = message.getCheckpoint()
  return checkpoint && BigInt(checkpoint.getCommitPosition())
}
