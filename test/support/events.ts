import { randomUUID } from 'node:crypto'
import { schemaVersion, type CatalogEvent, type NewEvent, type RecordedEvent } from '../../src/events/events.ts'
import { eventHash } from '../../src/events/codec.ts'
import type { Append, EventStore, ExpectedRevision } from '../../src/events/eventStore.ts'
import type { JsonObject } from '../../src/shared/json.ts'

/** A stream name that nobody used before. */
export const freshStream = (kind = 'thing'): string => `${kind}-${randomUUID()}`

export interface EventOptions {
  /** Where the event will stand; its hash covers both. */
  readonly stream?: string
  readonly revision?: bigint
  readonly id?: string
  readonly previousHash?: string
  readonly kind?: string
  readonly name?: string
  /** In tenths. */
  readonly version?: number
  readonly time?: string
}

/** A valid event with its hash. Without options: alone at the beginning of a stream of its own. */
export const newEvent = (event: CatalogEvent, options: EventOptions = {}): NewEvent => {
  const stream = options.stream ?? freshStream()
  const id = options.id ?? randomUUID()
  const metadata = {
    kind: options.kind ?? stream.slice(0, stream.indexOf('-')),
    fullyQualifiedName: options.name ?? 'somewhere.something',
    version: options.version ?? 1,
    user: 'tester',
    time: options.time ?? '2024-05-06T07:08:09.010Z',
    correlationId: randomUUID(),
    causationId: randomUUID(),
    schemaVersion,
    ...(options.previousHash === undefined ? {} : { previousHash: options.previousHash }),
  }
  const hash = eventHash({ ...event, id, stream, revision: options.revision ?? 0n, metadata })
  return { ...event, id, metadata: { ...metadata, hash } }
}

/** An event as a log gives it back. */
export const recordedEvent = (
  event: CatalogEvent,
  options: EventOptions & { readonly stream: string; readonly position: bigint },
): RecordedEvent => {
  const { stream, revision = 0n, position } = options
  return { ...newEvent(event, options), stream, revision, position }
}

/** A `Created` event with these members. */
export const created = (members: JsonObject = {}, options: EventOptions = {}): NewEvent =>
  newEvent({ type: 'Created', data: { name: options.name ?? 'something', members } }, options)

/** An `Updated` event that sets these members. */
export const updated = (set: JsonObject = {}, options: EventOptions = {}): NewEvent =>
  newEvent({ type: 'Updated', data: { set, unset: [] } }, options)

/** An append of `count` chained events at this expected revision. */
export const appendOf = (stream: string, expected: ExpectedRevision, count = 1, set: JsonObject = {}): Append => {
  const events: NewEvent[] = []
  for (let index = 0; index < count; index++) {
    const revision = (expected === 'no_stream' ? 0n : expected + 1n) + BigInt(index)
    const previous = events.at(-1)
    const options = { stream, revision, ...(previous ? { previousHash: previous.metadata.hash } : {}) }
    events.push(revision === 0n ? created(set, options) : updated({ ...set, step: Number(revision) }, options))
  }
  return { stream, expected, events }
}

/** An append to a new stream with each event changed before it gets its hash. */
export const changedAppend = (stream: string, count: number, change: (event: NewEvent) => object): Append => {
  const { events, ...rest } = appendOf(stream, 'no_stream', count)
  const changed = events.map((event, at): NewEvent => {
    const written = { ...event, ...change(event) } as NewEvent
    const hash = eventHash({ ...written, stream, revision: BigInt(at) })
    return { ...written, metadata: { ...written.metadata, hash } } as NewEvent
  })
  return { ...rest, events: changed }
}

/** Appends to one stream and gives its outcome, which must be a success. */
export const appendOk = async (store: EventStore, append: Append): Promise<{ revision: bigint; position: bigint }> => {
  const [outcome] = await store.append([append])
  if (!outcome?.ok)
    throw new Error(
      `refused: ${JSON.stringify(outcome, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
    )
  return outcome
}

/** Everything that an iteration gives. */
export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The events of a subscription, until `enough` says so; then the subscription is ended. */
export const collectUntil = async (
  store: EventStore,
  after: bigint | undefined,
  wanted: (event: RecordedEvent) => boolean,
  enough: (events: readonly RecordedEvent[]) => boolean,
  onBatch: () => Promise<void> | void = () => {},
): Promise<RecordedEvent[]> => {
  const controller = new AbortController()
  const events: RecordedEvent[] = []
  for await (const batch of store.subscribe({ after, signal: controller.signal })) {
    events.push(...batch.events.filter(wanted))
    if (enough(events)) controller.abort()
    else await onBatch()
  }
  return events
}

/** The first events of a subscription, at least so many. */
export const firstEvents = (
  store: EventStore,
  count: number,
  after?: bigint,
  onBatch?: () => Promise<void> | void,
): Promise<RecordedEvent[]> =>
  collectUntil(
    store,
    after,
    () => true,
    (events) => events.length >= count,
    onBatch,
  )

const reference = { id: '6f1c1f0a-e4c9-4c5c-8e0d-3c2b7a9d4e10', type: 'keeper', fullyQualifiedName: 'ann' }

/** Data of an event of each type: a type that is missing here is a type error. */
export const exampleData: { [T in CatalogEvent['type']]: (CatalogEvent & { type: T })['data'] } = {
  Created: { name: 'n', parent: reference, members: { a: 1 } },
  Updated: { set: { a: [1, { b: null }] }, unset: ['c'] },
  SoftDeleted: { deletion: reference.id },
  Restored: { deletion: reference.id },
  HardDeleted: { deletion: reference.id },
  Voted: { user: reference, vote: 'votedUp' },
  FollowerAdded: { user: reference },
  FollowerRemoved: { user: reference },
  AssetsAdded: { assets: [reference] },
  AssetsRemoved: { assets: [reference] },
  PortsAdded: { direction: 'input', ports: [reference] },
  PortsRemoved: { direction: 'output', ports: [reference] },
  Confirmed: { user: reference, confirmBy: '2026-12-31' },
  FellDue: { confirmBy: '2026-12-31' },
  Validated: { result: { status: 'Success' } },
  LineageStated: { entity: reference, source: 'manual', edges: [{ from: reference, sql: 'select 1' }], ended: [] },
  RunReported: { run: 'r', state: 'START', time: '2026-01-01T00:00:00Z', inputs: [], outputs: [] },
  Forgotten: { members: ['email'], keys: [reference.id] },
  PoliciesChanged: { digest: 'a'.repeat(64) },
  KeyChanged: { former: 'a+01+b', key: 'a+02+c', note: 'a successor\nkey a+02+c\n\n— a d\n' },
}
