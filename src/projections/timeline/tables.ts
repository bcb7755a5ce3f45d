import type { Members } from '../../events/events.ts'
import { eventTypes } from '../../events/verbs.ts'
import type { DocumentLayout, RunningTotal, TableLayout } from '../documents/port.ts'
import { fqnIn } from '../entities/place.ts'
import { statuses, statusNumber, usualEntityStatus, type Status } from '../entities/row.ts'
import { isContainer, type StoredState, type StatusEntry } from './timelineState.ts'

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
  /** Its parent, if it is looked for by its children. */
  readonly parent?: string | undefined
}

/** A span that an entity begins with. On a server nothing else is kept of it until something changes. */
interface Birth extends Span {
  readonly text: string
}

/** What is kept of an entity, to tell what its next event changes. */
interface StateDocument extends Pick<StoredState, 'position'> {
  readonly id: string
  readonly text: string
}

/** The newest position up to a moment. */
export type TimePosition = readonly [time: number, position: bigint]

/** The moments from a time on: on a server those of a second together, elsewhere one. */
interface Instant {
  readonly time: number
  /** That of the last moment. */
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

export const secondOf = (time: number): number => time - (time % 1000)

export const toInstants = (moments: readonly TimePosition[], embedded: boolean): Instant[] => {
  if (embedded) return moments.map(([time, position]) => ({ time, position }))
  return [...Map.groupBy(moments, ([time]) => secondOf(time))].map(([time, all]) => ({
    time,
    position: (all.at(-1) as TimePosition)[1],
    text: JSON.stringify(all.map(([at, position]) => [at - time, String(position)])),
  }))
}

export const momentsIn = ({ time, position, text }: Instant): TimePosition[] =>
  text === undefined
    ? [[time, position]]
    : (JSON.parse(text) as [number, string][]).map(([after, each]) => [time + after, BigInt(each)])

/** How many were in a list, or below an FQN in it, from a position on. */
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

/** Found as the other spans are. */
export const births: TableLayout<Birth> = {
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
  further: [storedStates, instants, totals],
  serverTables: [births],
}

type Values = [
  kind: string,
  fqn: string,
  parent: string | null,
  status: number,
  ownStatus: number,
  inherited: number,
  untold: number,
  born: number,
  members?: Members | null,
  ...turns: (string | number)[],
]

/** Members that most entities have, which are left out. */
const usualMembers: Members = { entityStatus: usualEntityStatus }

const textOf = ({ status, untold, statusHistory, own }: Omit<StoredState, 'position'>): string => {
  const { kind, fullyQualifiedName, parent = null, inherited, born, members } = own
  const both = [statusNumber[status], statusNumber[own.status]] as const
  const isUsual = members['entityStatus'] === usualEntityStatus && Object.keys(members).length === 1
  const turns = statusHistory.flatMap(([position, each]) => [String(position), statusNumber[each]])
  const facts = [kind, fullyQualifiedName, parent, ...both, Number(inherited), Number(untold), Number(born)] as const
  const values: Values = [...facts, isUsual ? null : members, ...turns]
  return JSON.stringify(isUsual && turns.length === 0 ? values.slice(0, -1) : values)
}

const statusIn = (number: number): Status => statuses[number] as Status

const stateIn = (text: string): Omit<StoredState, 'position'> => {
  const [kind, fullyQualifiedName, parent, ...rest] = JSON.parse(text) as Values
  const [status, ownStatus, inherited, untold, born, members, ...turns] = rest
  return {
    status: statusIn(status),
    untold: untold === 1,
    statusHistory: turns.flatMap((at, index): StatusEntry[] =>
      index % 2 === 0 ? [[BigInt(at), statusIn(turns[index + 1] as number)]] : [],
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
  text: textOf(state),
})

export const fromStateDocument = ({ position, text }: StateDocument): StoredState => ({ position, ...stateIn(text) })

/** The text of a birth: an entity that is as its first event made it. */
export const creationText = ({ untold, own }: StoredState): string | undefined =>
  untold ? undefined : textOf({ status: 'live', untold, statusHistory: [], own: { ...own, fullyQualifiedName: '' } })

type CreationRow = Pick<Birth, 'entity' | 'place' | 'from' | 'text'>
export const creationMembers = ['entity', 'place', 'from', 'text'] as const

export const fromCreation = ({ entity, place, from, text }: CreationRow): StoredState => {
  const { own, ...state } = stateIn(text)
  const statusHistory: StatusEntry[] = isContainer(own.kind) ? [[from, 'live']] : []
  return { ...state, position: from, statusHistory, own: { ...own, fullyQualifiedName: fqnIn(place, entity) } }
}
