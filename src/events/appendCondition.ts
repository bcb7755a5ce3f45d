import type { Dependency, EventMetadata, EventType, RecordedEvent } from './events.ts'
import { isWork, summarizeEvent } from './verbs.ts'

/** Wildcard for all members in a {@link Dependency}. */
export const everyMember = '*'

/** The condition of an append: no event after a position in the log breaks any of its dependencies. */
export interface AppendCondition {
  /** Exclusive: position that the reads showed at least; `undefined` for the beginning of the log. */
  readonly after: bigint | undefined
  readonly dependencies: readonly Dependency[]
}

const appearanceTypes: ReadonlySet<EventType> = new Set(['Created', 'Restored'])

/** Event types that end a status, by status. */
const typesEnding: Readonly<Record<'live' | 'deleted' | 'gone', ReadonlySet<EventType>>> = {
  live: new Set(['SoftDeleted', 'HardDeleted']),
  deleted: new Set(['Restored', 'HardDeleted']),
  gone: new Set(['Created']),
}

const changesOneOf = (event: RecordedEvent, names: readonly string[]): boolean =>
  summarizeEvent(event).changed.some((name) => names.includes(everyMember) || names.includes(name))

const breaks = (event: RecordedEvent, dependency: Dependency): boolean => {
  const { type, metadata } = event
  if ('status' in dependency) return typesEnding[dependency.status].has(type)
  if ('members' in dependency) return changesOneOf(event, dependency.members)
  if ('name' in dependency) return type === 'Created' && metadata.fullyQualifiedName === dependency.name
  if ('kinds' in dependency) return isWork(event) && standsBelow(metadata, dependency)
  return appearanceTypes.has(type) && standsBelow(metadata, { kinds: [dependency.kind], below: dependency.below })
}

/** Whether an entity is of one of these kinds and stands below this name. */
export const standsBelow = (
  { kind, fullyQualifiedName }: Pick<EventMetadata, 'kind' | 'fullyQualifiedName'>,
  { kinds, below }: { readonly kinds: readonly string[]; readonly below: string },
): boolean => kinds.includes(kind) && fullyQualifiedName.startsWith(`${below}.`)

const streamsOf = (dependency: Dependency): readonly string[] | undefined =>
  'stream' in dependency ? [dependency.stream] : 'streams' in dependency ? dependency.streams : undefined

/** A part of the log, indexed by stream. */
export const makeEventIndex = () => {
  const byStream = new Map<string, RecordedEvent[]>()
  const all: RecordedEvent[] = []
  return {
    of: (stream: string): readonly RecordedEvent[] => byStream.get(stream) ?? [],
    all: (): readonly RecordedEvent[] => all,
    add: (event: RecordedEvent): void => {
      const found = byStream.get(event.stream)
      if (found === undefined) byStream.set(event.stream, [event])
      else found.push(event)
      all.push(event)
    },
  }
}

/** The events after the condition's position that break it. */
export function* violationsOf(
  { after = -1n, dependencies }: AppendCondition,
  index: Pick<ReturnType<typeof makeEventIndex>, 'of' | 'all'>,
): Generator<RecordedEvent, void, undefined> {
  for (const dependency of dependencies) {
    const streams = streamsOf(dependency)
    for (const events of streams === undefined ? [index.all()] : streams.map((stream) => index.of(stream)))
      for (const event of events) if (event.position > after && breaks(event, dependency)) yield event
  }
}
