import { isObject, type Json } from '../shared/json.ts'
import { mapReads, type EventStore, type MapEvents } from './eventStore.ts'
import { type RecordedEvent, type Reference, streamName } from './events.ts'

/** The first schema version whose references name an incarnation. Older references mean any. */
export const incarnationsSince = 2

const isLegacy = ({ metadata }: RecordedEvent): boolean => metadata.schemaVersion < incarnationsSince

/** The Created event that began an incarnation. */
type IncarnationStart = Pick<RecordedEvent, 'position' | 'revision'>

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

/** Number of cached entities; when it is reached, the cache is cleared. */
const maxCachedEntities = 100_000

type FindStarts = (reference: Reference) => Promise<readonly IncarnationStart[]>

/** Finds the starts of the later incarnations of an entity, as far as version 0.1 wrote them. */
const makeStartFinder = (log: Pick<EventStore, 'readStream'>): FindStarts => {
  const known = new Map<string, readonly IncarnationStart[]>()
  return async ({ id, type }) => {
    const found = known.get(id)
    if (found !== undefined) return found
    const starts: IncarnationStart[] = []
    for await (const event of log.readStream(streamName(type, id))) {
      if (!isLegacy(event)) break
      const { position, revision } = event
      if (event.type === 'Created' && revision > 0n) starts.push({ position, revision })
    }
    if (known.size >= maxCachedEntities) known.clear()
    known.set(id, starts)
    return starts
  }
}

const nameIncarnations = async (event: RecordedEvent, findStarts: FindStarts): Promise<RecordedEvent> => {
  const before = event.data as unknown as Json
  const referred = new Map<string, Reference>()
  mapUnnamed(before, (reference) => {
    referred.set(reference.id, reference)
    return reference
  })
  const lives = new Map<string, number>()
  for (const reference of referred.values()) {
    const start = (await findStarts(reference)).findLast(({ position }) => position < event.position)
    if (start !== undefined) lives.set(reference.id, Number(start.revision))
  }
  if (lives.size === 0 && !isLegacy(event)) return event
  const { id, type, stream, revision, position } = event
  const metadata = { ...event.metadata, schemaVersion: Math.max(event.metadata.schemaVersion, incarnationsSince) }
  const data = mapUnnamed(before, (reference) => {
    const life = lives.get(reference.id)
    return life === undefined ? reference : { ...reference, life }
  })
  return { id, type, stream, revision, position, metadata, data } as unknown as RecordedEvent
}

/**
 * A log in which every reference names its incarnation. Version 0.1 wrote references without one; there the order of
 * events determines it. A log that a later version started is read unchanged. The first event is cached: on a shared
 * server the search for it may pass many events of others.
 */
export const withIncarnations = <L extends EventStore>(log: L): L => {
  const findStarts = makeStartFinder(log)
  let firstEvent: RecordedEvent | undefined
  const first = async (): Promise<RecordedEvent | undefined> => (firstEvent ??= await log.first())
  const mapBatch: MapEvents = async (events) => {
    if (events.length > 0 && firstEvent === undefined) await first()
    return firstEvent !== undefined && isLegacy(firstEvent)
      ? Array.fromAsync(events, (event) => nameIncarnations(event, findStarts))
      : events
  }
  return { ...log, first, ...mapReads(log, mapBatch) }
}
