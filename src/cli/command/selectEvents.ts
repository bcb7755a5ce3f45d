import { eventFilters, readRequestFilter } from '../../api/feed/feedQuery.ts'
import { makeReadQuery } from '../../api/http/queryParameters.ts'
import { DomainError } from '../../commands/errors.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { type RecordedEvent, streamName } from '../../events/events.ts'
import { kindNamed, kinds } from '../../kinds/registry/kinds.ts'
import { buildFqn, entityId, isUuid, splitFqn } from '../../kinds/names.ts'
import { matchWithLabels, matchingEvents, type ActivityIndex } from '../../projections/activity/matching.ts'
import type { ActivityFilter } from '../../projections/activity/port.ts'
import { makeLabels } from '../../projections/labels.ts'
import { UsageError } from './command.ts'

/** A selection of events; absent members do not restrict it. */
export interface Selection extends ActivityFilter {
  /** A UUID, or KIND:FQN. */
  readonly entity?: string | undefined
  /** Position, exclusive. */
  readonly after?: bigint | undefined
  /** Position, inclusive. */
  readonly upTo?: bigint | undefined
}

/** Reads an option that is a position. @param or what else the option can be @throws UsageError */
export const positionOption = (name: string, text: string | undefined, or = ''): bigint | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,19}$/.test(text)) throw new UsageError(`--${name} must be a position, such as 1200${or}`)
  return BigInt(text)
}

const readQuery = makeReadQuery({ parameters: eventFilters, permission: 'signedIn' })

/** The option of `correlationId` is `request`; all others are called like their parameters. */
const parameterOf = (option: string): string => (option === 'request' ? 'correlationId' : option)
const optionOf = (parameter: string): string => (parameter === 'correlationId' ? 'request' : parameter)

/** Reads options that are parameters of the feed. @throws UsageError */
export const readFilter = (options: Readonly<Record<string, string | undefined>>): ActivityFilter => {
  const given = Object.entries(options).flatMap(([option, text]): [string, string][] =>
    text === undefined ? [] : [[parameterOf(option), text]],
  )
  try {
    return readRequestFilter(readQuery(String(new URLSearchParams(given))))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new UsageError(
      error.problems.map(({ path, message }) => `--${optionOf(path.slice(1))} ${message}`).join('; '),
    )
  }
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
  if (!kindNames.includes(kind)) throw new UsageError(`--entity ${kind} is unknown; there are ${kindNames.join(', ')}`)
  const names = new Set([buildFqn(splitFqn(fqn) ?? [fqn]), buildFqn([fqn])])
  const byName = kindNamed(kind).behaviour.identity !== 'parent'
  return {
    match: ({ metadata }) => metadata.kind === kind && names.has(metadata.fullyQualifiedName),
    streams: byName ? [...names].map((name) => streamName(kind, entityId(kind, name))) : undefined,
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
  { entity: named, after, upTo, ...filter }: Selection,
  onProgress: (position: bigint) => void,
  index?: ActivityIndex,
): AsyncGenerator<RecordedEvent> {
  const entity = named === undefined ? undefined : readEntity(named)
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
