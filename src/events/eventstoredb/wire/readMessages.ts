import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import { endOf, type StoredEvent } from '../ownEvents.ts'
import { eachField, numberAt, type Range } from './wireFormat.ts'
import { uuidIn } from './uuid.ts'

/** A subscription reports how far it has come at least every so many events of others. */
export const reportEvents = 500

const { Options } = streams.ReadReq

/** Where a subscription to the whole log begins: behind this position, or with the log. */
const placeOf = (from: bigint | undefined): ReadReq.Options.AllOptions => {
  if (from === undefined) return new Options.AllOptions().setStart(new shared.Empty() as never)
  const position = new Options.Position().setCommitPosition(String(from)).setPreparePosition(String(from))
  return new Options.AllOptions().setPosition(position)
}

/** Asks for the events of streams whose names match the regular expression, from a position on and without end. */
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

/** Asks for the newest event of a stream, named as in the store. */
export const headRequest = (stream: string): ReadReq => {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
  const of = new Options.StreamOptions().setStreamIdentifier(identifier).setEnd(new shared.Empty() as never)
  const options = new Options()
    .setStream(of)
    .setReadDirection(Options.ReadDirection.BACKWARDS)
    .setCount('1')
    .setNoFilter(new shared.Empty() as never)
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty() as never))
  return new streams.ReadReq().setOptions(options)
}

/** A message of a subscription, or of a read, as far as everybody needs it. */
export interface ReadMessage {
  /** Of the event in it; `undefined` in a message of another kind. */
  readonly position: bigint | undefined
  /** Of the event in it. */
  readonly revision: () => bigint | undefined
  /** The event, its data and metadata still as text. To be called where there is a {@link position}. */
  readonly event: () => StoredEvent
  /** How far the log has been looked through; `undefined` in a message of another kind. */
  readonly checkpoint: bigint | undefined
}

class Parts {
  id: Range = nowhere
  stream: Range = nowhere
  revision: Range = nowhere
  type: Range = nowhere
  metadata: Range = nowhere
  data: Range = nowhere
}

const nowhere: Range = { from: 0, to: 0 }

/** The value of the field `type` in an entry of a map, unless it is another entry. */
const typeIn = (bytes: Buffer, { from, to }: Range): Range | undefined => {
  let key = ''
  let value = nowhere
  eachField(bytes, from, to, (field, begin, end) => {
    if (field === 1) key = bytes.toString('latin1', begin, end)
    else if (field === 2) value = { from: begin, to: end }
  })
  return key === 'type' ? value : undefined
}

/** The value of the only field of a message within. */
const within = (bytes: Buffer, { from, to }: Range, wanted: number): Range => {
  let found = nowhere
  eachField(bytes, from, to, (field, begin, end) => {
    if (field === wanted) found = { from: begin, to: end }
  })
  return found
}

const lengthOf = ({ from, to }: Range): number => to - from
const textIn = (bytes: Buffer, { from, to }: Range): string => bytes.toString('utf8', from, to)

/** What is 0 may be left out of a message. */
const revisionIn = (bytes: Buffer, { revision: { from, to } }: Parts): bigint => numberAt(bytes, from, to)

const eventOf = (bytes: Buffer, parts: Parts, position: bigint): StoredEvent => {
  const { type, data, metadata } = parts
  const stream = within(bytes, parts.stream, 3)
  const lengths = {
    stream: lengthOf(stream),
    type: lengthOf(type),
    data: lengthOf(data),
    metadata: lengthOf(metadata),
  }
  return {
    stream: textIn(bytes, stream),
    revision: revisionIn(bytes, parts),
    position,
    id: uuidIn(bytes, parts.id),
    type: textIn(bytes, type),
    data: textIn(bytes, data),
    metadata: textIn(bytes, metadata),
    end: endOf(position, lengths),
  }
}

/** Finds the parts of an event of ours. @returns its position */
const findParts = (bytes: Buffer, { from, to }: Range, parts: Parts): bigint => {
  let position = 0n
  eachField(bytes, from, to, (field, begin, end) => {
    const range = { from: begin, to: end }
    if (field === 1) parts.id = range
    else if (field === 2) parts.stream = range
    else if (field === 3) parts.revision = range
    else if (field === 5) position = numberAt(bytes, begin, end)
    else if (field === 6) parts.type = typeIn(bytes, range) ?? parts.type
    else if (field === 7) parts.metadata = range
    else if (field === 8) parts.data = range
  })
  return position
}

/**
 * Reads a message of the server's (`ReadResp`) only as far as it is needed: a few texts of events not known. @throws
 * BrokenMessage
 */
export const readMessage = (bytes: Buffer): ReadMessage => {
  const parts = new Parts()
  let position: bigint | undefined
  let checkpoint: bigint | undefined
  eachField(bytes, 0, bytes.length, (field, from, to) => {
    if (field === 1) {
      const event = within(bytes, { from, to }, 1)
      if (event !== nowhere) position = findParts(bytes, event, parts)
    } else if (field === 3) {
      const commit = within(bytes, { from, to }, 1)
      checkpoint = numberAt(bytes, commit.from, commit.to)
    }
  })
  return {
    position,
    checkpoint,
    revision: () => (position === undefined ? undefined : revisionIn(bytes, parts)),
    event: () => eventOf(bytes, parts, position ?? 0n),
  }
}
