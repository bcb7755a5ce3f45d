import type { EventStore } from '../../events/eventStore.ts'
import { type RecordedEvent, streamName } from '../../events/events.ts'
import { eventTypes, type EventType } from '../../events/verbs.ts'
import { kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { buildFqn, entityId, isUuid, splitFqn } from '../../kinds/names.ts'
import { matchWithLabels, matchingEvents, type ActivityIndex } from '../../projections/activity/matching.ts'
import type { ActivityFilter } from '../../projections/activity/port.ts'
import { makeLabels } from '../../projections/labels.ts'
import { readInstant } from '../../shared/instant.ts'
import { UsageError } from './command.ts'

/** A selection of events; absent members do not restrict it. */
export interface Selection {
  /** A UUID, or KIND:FQN. */
  readonly entity?: string | undefined
  readonly kind?: string | undefined
  readonly type?: string | undefined
  readonly user?: string | undefined
  readonly domain?: string | undefined
  /** The correlation id. */
  readonly request?: string | undefined
  /** A member that changed. */
  readonly changed?: string | undefined
  /** Position, exclusive. */
  readonly after?: bigint | undefined
  /** Position, inclusive. */
  readonly upTo?: bigint | undefined
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** Reads an option that is a position. @param or what else the option can be @throws UsageError */
export const positionOption = (name: string, text: string | undefined, or = ''): bigint | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,19}$/.test(text)) throw new UsageError(`--${name} must be a position, such as 1200${or}`)
  return BigInt(text)
}

/** Reads an option that is a time, to epoch milliseconds. @throws UsageError */
export const timeOption = (name: string, text: string | undefined): number | undefined => {
  const time = text === undefined ? undefined : readInstant(text)
  if (Number.isNaN(time))
    throw new UsageError(`--${name} must be an ISO 8601 instant or day, such as 2026-01-31T12:00:00Z`)
  return time
}

const oneOf = (what: string, value: string | undefined, known: readonly string[]): void => {
  if (value !== undefined && !known.includes(value))
    throw new UsageError(`--${what} ${value} is unknown; there are ${known.join(', ')}`)
}

const kindNames = kinds.map(({ name }) => name)

interface Named {
  readonly match: (event: RecordedEvent) => boolean
  /** The possible streams of the entity; `undefined` if its name does not determine them. */
  readonly streams: readonly string[] | undefined
}

/** Parses the name of an entity: a UUID, or KIND:FQN. @throws UsageError if it is neither */
export const readEntity = (entity: string): Named => {
  if (isUuid(entity)) {
    const id = entity.toLowerCase()
    const suffix = `-${id}`
    return { match: ({ stream }) => stream.endsWith(suffix), streams: kindNames.map((kind) => streamName(kind, id)) }
  }
  const colon = entity.indexOf(':')
  const [kind, fqn] = [entity.slice(0, colon), entity.slice(colon + 1)]
  if (colon < 1) throw new UsageError('--entity takes a UUID, or KIND:FQN such as table:shop.sales.orders')
  oneOf('entity', kind, kindNames)
  const names = new Set([buildFqn(splitFqn(fqn) ?? [fqn]), buildFqn([fqn])])
  const byName = kindNamed(kind).behaviour.identity !== 'parent'
  return {
    match: ({ metadata }) => metadata.kind === kind && names.has(metadata.fullyQualifiedName),
    streams: byName ? [...names].map((name) => streamName(kind, entityId(kind, name))) : undefined,
  }
}

const domainNamed = (text: string): string => {
  const parts = splitFqn(text)
  if (parts === undefined) throw new UsageError(`--domain ${text} is not a fully qualified name`)
  return buildFqn(parts)
}

const filterOf = (selection: Selection): ActivityFilter => {
  const { kind, type, user, domain, request, changed, since, until } = selection
  oneOf('kind', kind, kindNames)
  oneOf('type', type, eventTypes)
  return {
    kinds: kind === undefined ? undefined : new Set([kind]),
    types: type === undefined ? undefined : new Set([type as EventType]),
    domains: domain === undefined ? undefined : new Set([domainNamed(domain)]),
    changed: changed === undefined ? undefined : new Set(changed.split(',').map((member) => member.trim())),
    correlationId: request,
    user,
    since,
    until,
  }
}

/** Events of the first of the possible streams of one entity that exists. */
async function* ofStreams(log: EventStore, streams: readonly string[]): AsyncGenerator<RecordedEvent> {
  for (const stream of streams) {
    if ((await log.revisionOf(stream)) === undefined) continue
    yield* log.readStream(stream)
    return
  }
}

/** The selected events in log order. `looked` receives the progress of a scan without an `index`. */
export async function* selectEvents(
  log: EventStore,
  selection: Selection,
  onProgress: (position: bigint) => void,
  index?: ActivityIndex,
): AsyncGenerator<RecordedEvent> {
  const filter = filterOf(selection)
  const { after, upTo } = selection
  const entity = selection.entity === undefined ? undefined : readEntity(selection.entity)
  const match = matchWithLabels(filter, makeLabels(log))
  const all = entity?.streams ? ofStreams(log, entity.streams) : matchingEvents(log, filter, after, index)
  for await (const event of all) {
    if (upTo !== undefined && event.position > upTo) return
    if (after !== undefined && event.position <= after) continue
    onProgress(event.position)
    if (entity !== undefined && !entity.match(event)) continue
    if (await match(event)) yield event
  }
}
