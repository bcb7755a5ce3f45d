import type { Dependency, EventType, RecordedEvent } from './events.ts'
import { tell } from './verbs.ts'

/** Stands for every member in a {@link Dependency}. */
export const everyMember = '*'

/** What an append depends on: nothing of this was broken by an event anywhere in the log after a position. */
export interface AppendCondition {
  /** Exclusive: what was read shows the log at least up to here; `undefined` is its beginning. */
  readonly after: bigint | undefined
  readonly dependencies: readonly Dependency[]
}

/** Events by which something comes to be there. */
const appearances: ReadonlySet<EventType> = new Set(['Created', 'Restored'])

/** Events after which something is not any more what it was. */
const turnsOf: Readonly<Record<'live' | 'deleted' | 'gone', ReadonlySet<EventType>>> = {
  live: new Set(['SoftDeleted', 'HardDeleted']),
  deleted: new Set(['Restored', 'HardDeleted']),
  gone: new Set(['Created']),
}

const changesOneOf = (event: RecordedEvent, names: readonly string[]): boolean =>
  tell(event).changed.some((name) => names.includes(everyMember) || names.includes(name))

/** Does an event of one of the dependency's streams, or any where it names none, break it? */
const breaks = (event: RecordedEvent, dependency: Dependency): boolean => {
  const { type, metadata } = event
  if ('status' in dependency) return turnsOf[dependency.status].has(type)
  if ('members' in dependency) return changesOneOf(event, dependency.members)
  if ('name' in dependency) return type === 'Created' && metadata.fullyQualifiedName === dependency.name
  const isBelow = metadata.kind === dependency.kind && metadata.fullyQualifiedName.startsWith(`${dependency.below}.`)
  return isBelow && appearances.has(type)
}

const streamsOf = (dependency: Dependency): readonly string[] | undefined =>
  'stream' in dependency ? [dependency.stream] : 'streams' in dependency ? dependency.streams : undefined

/** Some events of the log, in its order, to be asked by stream. */
export interface EventIndex {
  of(stream: string): readonly RecordedEvent[]
  /** By which something comes to be there. */
  appeared(): readonly RecordedEvent[]
}

export const makeEventIndex = () => {
  const byStream = new Map<string, RecordedEvent[]>()
  const appeared: RecordedEvent[] = []
  return {
    of: (stream: string): readonly RecordedEvent[] => byStream.get(stream) ?? [],
    appeared: (): readonly RecordedEvent[] => appeared,
    add: (event: RecordedEvent): void => {
      const found = byStream.get(event.stream)
      if (found === undefined) byStream.set(event.stream, [event])
      else found.push(event)
      if (appearances.has(event.type)) appeared.push(event)
    },
  }
}

/** Those of these events, after the condition's position, that break it. */
export function* breakersOf(
  { after = -1n, dependencies }: AppendCondition,
  index: EventIndex,
): Generator<RecordedEvent, void, undefined> {
  for (const dependency of dependencies) {
    const streams = streamsOf(dependency)
    for (const events of streams === undefined ? [index.appeared()] : streams.map((stream) => index.of(stream)))
      for (const event of events) if (event.position > after && breaks(event, dependency)) yield event
  }
}
