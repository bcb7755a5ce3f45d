import { isObject, type Json } from '../shared/json.ts'
import { mapReads, type EventStore, type MapEvents } from './eventStore.ts'
import { type RecordedEvent, type Reference, streamName } from './events.ts'

/** The first schema version whose references name an incarnation. Older references mean any. */
export const incarnationsSince = 2

const isOlder = ({ metadata }: RecordedEvent): boolean => metadata.schemaVersion < incarnationsSince

/** The start of an incarnation that references do not name. */
type Birth = Pick<RecordedEvent, 'position' | 'revision'>

const isUnnamed = (value: { readonly [name: string]: Json }): boolean =>
  typeof value['id'] === 'string' &&
  typeof value['type'] === 'string' &&
  typeof value['fullyQualifiedName'] === 'string' &&
  value['life'] === undefined

/** Maps each reference in a value that names no incarnation. */
const mapUnnamed = (value: Json, replace: (reference: Reference) => Reference): Json => {
  if (Array.isArray(value)) return value.map((item) => mapUnnamed(item, replace))
  if (!isObject(value)) return value
  if (isUnnamed(value)) return replace(value as unknown as Reference) as unknown as Json
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapUnnamed(member, replace)]))
}

/** Size of the cache of referenced entities; beyond it they are read again. */
const remembered = 100_000

type Births = (reference: Reference) => Promise<readonly Birth[]>

/** Incarnations after the first one in logs of version 0.1. */
const makeBirths = (log: Pick<EventStore, 'readStream'>): Births => {
  const known = new Map<string, readonly Birth[]>()
  return async ({ id, type }) => {
    const found = known.get(id)
    if (found !== undefined) return found
    const births: Birth[] = []
    for await (const event of log.readStream(streamName(type, id))) {
      if (!isOlder(event)) break
      const { position, revision } = event
      if (event.type === 'Created' && revision > 0n) births.push({ position, revision })
    }
    if (known.size >= remembered) known.clear()
    known.set(id, births)
    return births
  }
}

const nameIncarnations = async (event: RecordedEvent, birthsOf: Births): Promise<RecordedEvent> => {
  const before = event.data as unknown as Json
  const referred = new Map<string, Reference>()
  mapUnnamed(before, (reference) => {
    referred.set(reference.id, reference)
    return reference
  })
  const births = new Map<string, number>()
  for (const reference of referred.values()) {
    const birth = (await birthsOf(reference)).findLast(({ position }) => position < event.position)
    if (birth !== undefined) births.set(reference.id, Number(birth.revision))
  }
  if (births.size === 0 && !isOlder(event)) return event
  const { id, type, stream, revision, position } = event
  const metadata = { ...event.metadata, schemaVersion: Math.max(event.metadata.schemaVersion, incarnationsSince) }
  const data = mapUnnamed(before, (reference) => {
    const life = births.get(reference.id)
    return life === undefined ? reference : { ...reference, life }
  })
  return { id, type, stream, revision, position, metadata, data } as unknown as RecordedEvent
}

/**
 * A log in which every reference names its incarnation. Version 0.1 wrote references without one; there the order of
 * events determines it. A log that a later version started is read unchanged. The first event is read until there is one,
 * and then no more: before it, a shared server may hold many events of others.
 */
export const withIncarnations = <L extends EventStore>(log: L): L => {
  const birthsOf = makeBirths(log)
  let begun: RecordedEvent | undefined
  const first = async (): Promise<RecordedEvent | undefined> => (begun ??= await log.first())
  const mapBatch: MapEvents = async (events) => {
    if (events.length > 0 && begun === undefined) await first()
    return begun !== undefined && isOlder(begun)
      ? Array.fromAsync(events, (event) => nameIncarnations(event, birthsOf))
      : events
  }
  return { ...log, first, ...mapReads(log, mapBatch) }
}
