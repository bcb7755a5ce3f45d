import type { DocumentLayout, RunningTotal, TableLayout } from '../documents/port.ts'
import type { StoredState } from './timelineState.ts'

/** The time that an entity was in a list. */
export interface Span {
  /** {@link listNumber} */
  readonly list: bigint
  /** `placeOf` the entity. */
  readonly place: string
  readonly from: bigint
  /** Exclusive; {@link openEnd}. */
  readonly to: bigint
  readonly entity: string
  readonly entityStatus: string
  /** Its parent, if lists are filtered by children of its kind. */
  readonly parent?: string | undefined
}

/** A span that begins with its entity, and has the entity's state as text until an event changes that. */
interface CreationSpan extends Span {
  readonly text: string
}

/** A {@link StoredState} as text. */
interface StateDocument extends Pick<StoredState, 'position'> {
  readonly id: string
  readonly text: string
}

export const storedStates: TableLayout<StateDocument> = {
  name: 'timeline_kept',
  key: ['id'],
  members: { id: 'text', position: 'position', text: 'text' },
  indexes: {},
}

/** Number of entities in a list, or below an FQN in it, as of a position. */
export const totals: TableLayout<RunningTotal> = {
  name: 'timeline_totals',
  key: ['key', 'position'],
  members: { key: 'position', position: 'position', n: 'number' },
  indexes: {},
}

const spanMembers = {
  list: 'position',
  place: 'text',
  from: 'position',
  to: 'position',
  entity: 'text',
  entityStatus: 'text',
  parent: 'text',
} as const

const elements = ['list', 'to'] as const

/** On a server alone, in the collection of the other spans, with which queries find them. */
export const creationSpans: TableLayout<CreationSpan> = {
  name: 'timeline_births',
  key: ['entity'],
  members: { ...spanMembers, text: 'text' },
  indexes: {},
  elements,
}

/**
 * The timeline: spans of entities in lists. A page of a list at any moment is a walk along its spans, which have the order
 * of lists. Raise its version too when lists get another filter.
 */
export const spans: DocumentLayout<Span> = {
  name: 'timeline',
  version: 28,
  key: ['list', 'place', 'from'],
  members: spanMembers,
  indexes: { list: ['place', 'from', 'to', 'entityStatus'] },
  elements,
  otherTables: [storedStates, totals],
  serverTables: [creationSpans],
}

/** Positions and revisions are texts in JSON. */
export const stateText = (state: StoredState): string =>
  JSON.stringify({ ...state, position: undefined }, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )

export const stateOf = (position: bigint, text: string): StoredState => {
  const state = JSON.parse(text) as StoredState
  return {
    ...state,
    position,
    statusHistory: state.statusHistory.map(([at, status]) => [BigInt(at), status]),
    own: { ...state.own, born: BigInt(state.own.born) },
  }
}
