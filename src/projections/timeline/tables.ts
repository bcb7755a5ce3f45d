import type { Members } from '../../events/events.ts'
import { eventTypes } from '../../events/verbs.ts'
import type { DocumentLayout, RunningTotal, TableLayout } from '../documents/port.ts'
import { fqnIn } from '../entities/place.ts'
import { statuses, statusNumber, usualEntityStatus, type Status } from '../entities/row.ts'
import { isContainer, type StoredState, type StatusChange } from './timelineState.ts'

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

/** A span that begins with its entity. On a server it has the entity's state too, until an event changes that. */
interface CreationSpan extends Span {
  readonly text: string
}

/** A {@link StoredState} as text. */
interface StateDocument extends Pick<StoredState, 'position'> {
  readonly id: string
  readonly text: string
}

/** The newest position up to a time (epoch milliseconds). */
export type TimePosition = readonly [time: number, position: bigint]

/** Positions by time. On a server a document has all those of a second, in the embedded engine one. */
interface Instant {
  readonly time: number
  /** The newest of them. */
  readonly position: bigint
  readonly text?: string
}

const indexes = {}

export const storedStates: TableLayout<StateDocument> = {
  name: 'timeline_kept',
  key: ['id'],
  members: { id: 'text', position: 'position', text: 'text' },
  indexes,
}

export const instants: TableLayout<Instant> = {
  name: 'timeline_instants',
  key: ['time'],
  members: { time: 'number', position: 'position', text: 'text' },
  indexes: { time: [] },
}

export const startOfSecond = (time: number): number => time - (time % 1000)

export const toInstants = (moments: readonly TimePosition[], embedded: boolean): Instant[] => {
  if (embedded) return moments.map(([time, position]) => ({ time, position }))
  return [...Map.groupBy(moments, ([time]) => startOfSecond(time))].map(([time, all]) => ({
    time,
    position: (all.at(-1) as TimePosition)[1],
    text: JSON.stringify(all.map(([at, position]) => [at - time, String(position)])),
  }))
}

export const momentsIn = ({ time, position, text }: Instant): TimePosition[] =>
  text === undefined
    ? [[time, position]]
    : (JSON.parse(text) as [number, string][]).map(([after, each]) => [time + after, BigInt(each)])

/** Number of entities in a list, or below an FQN in it, as of a position. */
export const totals: TableLayout<RunningTotal> = {
  name: 'timeline_totals',
  key: ['key', 'position'],
  members: { key: 'position', position: 'position', n: 'number' },
  indexes,
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

/** Queries for spans find these too: on a server both are in one collection, with the same members. */
export const creationSpans: TableLayout<CreationSpan> = {
  name: 'timeline_births',
  key: ['entity'],
  members: { ...spanMembers, text: 'text' },
  indexes,
  elements,
}

/**
 * The timeline: spans of entities in lists. A page of a list at any moment is a walk along its spans, which have the order
 * of lists. Raise its version too when lists get another filter.
 */
export const spans: DocumentLayout<Span> = {
  name: 'timeline',
  version: 25,
  handles: new Set(eventTypes),
  key: ['list', 'place', 'from'],
  members: spanMembers,
  indexes: { list: ['place', 'from', 'to', 'entityStatus'] },
  elements,
  otherTables: [storedStates, instants, totals],
  serverTables: [creationSpans],
}

type EncodedState = [
  kind: string,
  fqn: string,
  parent: string | null,
  status: number,
  ownStatus: number,
  inherited: number,
  isDerived: number,
  born: number,
  members?: Members | null,
  ...history: (string | number)[],
]

/** Members that most entities have, which are left out. */
const usualMembers: Members = { entityStatus: usualEntityStatus }

const encode = ({ status, isDerived, statusHistory, own }: Omit<StoredState, 'position'>): string => {
  const { kind, fullyQualifiedName, parent = null, inherited, born, members } = own
  const isUsual = members['entityStatus'] === usualEntityStatus && Object.keys(members).length === 1
  const history = statusHistory.flatMap(([position, each]) => [String(position), statusNumber[each]])
  const both = [statusNumber[status], statusNumber[own.status]] as const
  const facts = [kind, fullyQualifiedName, parent, ...both, Number(inherited), Number(isDerived), Number(born)] as const
  const values: EncodedState = [...facts, isUsual ? null : members, ...history]
  return JSON.stringify(isUsual && history.length === 0 ? values.slice(0, -1) : values)
}

const statusIn = (number: number): Status => statuses[number] as Status

const decode = (text: string): Omit<StoredState, 'position'> => {
  const [kind, fullyQualifiedName, parent, ...rest] = JSON.parse(text) as EncodedState
  const [status, ownStatus, inherited, isDerived, born, members, ...history] = rest
  return {
    status: statusIn(status),
    isDerived: isDerived === 1,
    statusHistory: history.flatMap((at, index): StatusChange[] =>
      index % 2 === 0 ? [[BigInt(at), statusIn(history[index + 1] as number)]] : [],
    ),
    own: {
      kind,
      fullyQualifiedName,
      parent: parent ?? undefined,
      status: statusIn(ownStatus),
      inherited: inherited === 1,
      born: BigInt(born),
      members: members ?? usualMembers,
    },
  }
}

export const toStateDocument = (id: string, { position, ...state }: StoredState): StateDocument => ({
  id,
  position,
  text: encode(state),
})

export const fromStateDocument = ({ position, text }: StateDocument): StoredState => ({ position, ...decode(text) })

/** The text of a new entity; `undefined` if its status is derived. The spans have its FQN. */
export const encodeCreation = ({ isDerived, own }: StoredState): string | undefined =>
  isDerived
    ? undefined
    : encode({ status: 'live', isDerived, statusHistory: [], own: { ...own, fullyQualifiedName: '' } })

type CreationRow = Pick<CreationSpan, 'entity' | 'place' | 'from' | 'text'>
export const creationMembers = ['entity', 'place', 'from', 'text'] as const

export const decodeCreation = ({ entity, place, from, text }: CreationRow): StoredState => {
  const { own, ...state } = decode(text)
  const statusHistory: StatusChange[] = isContainer(own.kind) ? [[from, 'live']] : []
  return { ...state, position: from, statusHistory, own: { ...own, fullyQualifiedName: fqnIn(place, entity) } }
}
