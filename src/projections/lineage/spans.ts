import {
  type EventType,
  type RecordedEvent,
  type Reference,
  parseStreamName,
  entityOf,
  incarnationKey,
} from '../../events/events.ts'
import { lineageKind } from '../../kinds/registry/kinds.ts'
import { entityId } from '../../kinds/names.ts'
import type { LineageEnd } from './port.ts'

export const lineageProjection = {
  name: 'lineageSpans',
  version: 3,
  handles: new Set<EventType>(['LineageStated', 'SoftDeleted', 'HardDeleted']),
}

/** What an event does to spans. */
export type SpanChange = { readonly position: bigint } & (
  | {
      readonly what: 'stated'
      readonly down: LineageEnd
      readonly source: string
      /** Spans of these upstreams end. */
      readonly ended: readonly string[]
      readonly begun: readonly { readonly up: LineageEnd; readonly details: string | undefined }[]
    }
  /** All upstreams of the asset that this lineage is about end. */
  | { readonly what: 'deleted'; readonly record: string }
  /** All spans of the entity end. */
  | { readonly what: 'gone'; readonly id: string }
)

/** Id of the lineage that has the upstreams of a life. */
export const recordOf = (life: string): string => entityId(lineageKind, entityOf(life))

const endOf = (reference: Reference): LineageEnd => ({
  life: incarnationKey(reference),
  type: reference.type,
  fullyQualifiedName: reference.fullyQualifiedName,
})

/** In the order of the events. */
export const spanChanges = (events: readonly RecordedEvent[]): SpanChange[] =>
  events.flatMap((event): SpanChange[] => {
    const { position } = event
    const { kind, id } = parseStreamName(event.stream)
    if (event.type === 'LineageStated') {
      const { entity, source, edges, ended } = event.data
      const begun = edges.map(({ from, ...details }) => ({
        up: endOf(from),
        details: Object.keys(details).length === 0 ? undefined : JSON.stringify(details),
      }))
      // What is stated anew ends as it was.
      const over = [...ended.map(incarnationKey), ...begun.map(({ up }) => up.life)]
      return [{ what: 'stated', position, down: endOf(entity), source, ended: over, begun }]
    }
    if (event.type === 'HardDeleted' && kind !== lineageKind) return [{ what: 'gone', position, id }]
    // What goes with its asset is part of that, and comes back with it.
    const isOver = event.type === 'HardDeleted' || (event.type === 'SoftDeleted' && event.data.inherited !== true)
    return kind === lineageKind && isOver ? [{ what: 'deleted', position, record: id }] : []
  })
