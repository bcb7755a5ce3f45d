import type { EventType, RecordedEvent } from '../../events/events.ts'
import type { Labels } from '../../projections/labels.ts'

/** Which events a consumer gets. What is left out does not narrow. */
export interface FeedFilter {
  readonly kinds?: ReadonlySet<string> | undefined
  readonly types?: ReadonlySet<EventType> | undefined
  readonly entityId?: string | undefined
  /** Fully qualified names: the entity had one of them just before the event or just after it. */
  readonly domains?: ReadonlySet<string> | undefined
  /** Of these kinds only events of entities that had one of these owners, by id, just before the event or just after it. */
  readonly owned?: { readonly kinds: ReadonlySet<string>; readonly owners: readonly string[] } | undefined
}

export type Match = (event: RecordedEvent) => boolean | Promise<boolean>

/** Compiles a filter. Answers at once unless labels must be read from the log. */
export const makeMatch = (filter: FeedFilter, labelsOf: (event: RecordedEvent) => Labels | Promise<Labels>): Match => {
  const { kinds, types, entityId, domains, owned } = filter
  const suffix = entityId === undefined ? undefined : `-${entityId}`

  const labelled = (labels: Labels, mustBeOwned: boolean): boolean =>
    (domains === undefined || labels.domains.some((domain) => domains.has(domain))) &&
    (!mustBeOwned || labels.owners.some((owner) => owned?.owners.includes(owner)))

  return (event) => {
    if (kinds !== undefined && !kinds.has(event.metadata.kind)) return false
    if (types !== undefined && !types.has(event.type)) return false
    if (suffix !== undefined && !event.stream.endsWith(suffix)) return false
    const mustBeOwned = owned?.kinds.has(event.metadata.kind) === true
    if (domains === undefined && !mustBeOwned) return true
    const labels = labelsOf(event)
    return labels instanceof Promise
      ? labels.then((found) => labelled(found, mustBeOwned))
      : labelled(labels, mustBeOwned)
  }
}
