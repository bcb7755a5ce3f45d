import type { Members } from '../../events/events.ts'
import { eventTypes } from '../../events/verbs.ts'
import type { DocumentLayout, RunningTotal, TableLayout } from '../documents/keptDocuments.ts'
import { fqnIn } from '../entities/place.ts'
import { statuses, statusNumber, usualEntityStatus } from '../entities/row.ts'
import type { TimelineState } from './keptState.ts'
import type { CountChange, KeptAt } from './statusTurns.ts'

/** The time that an entity was in a list. */
export interface Span {
  /** {@link listNumber} */
  readonly list: bigint
  /** `placeOf` the entity. */
  readonly place: string
  readonly from: bigint
  /** Exclusive; {@link notEnded}. */
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
interface KeptEntity extends Omit<KeptAt, 'kept' | 'passing'> {
  readonly id: string
  readonly passing?: string | undefined
  readonly text: string
}

/** An event that descendants may follow, and the position from which it is effective. */
interface Cause {
  readonly event: string
  readonly position: bigint
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

export const keptTable: TableLayout<KeptEntity> = {
  name: 'timeline_kept',
  key: ['id'],
  members: {
    id: 'text',
    position: 'position',
    changed: 'position',
    since: 'position',
    former: 'position',
    settled: 'position',
    passing: 'text',
    text: 'text',
  },
  indexes,
}

export const causes: TableLayout<Cause> = {
  name: 'timeline_causes',
  key: ['event'],
  members: { event: 'text', position: 'position' },
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
  version: 21,
  handles: new Set(eventTypes),
  key: ['list', 'place', 'from'],
  members: spanMembers,
  indexes: { list: ['place', 'from', 'to', 'entityStatus'] },
  elements,
  further: [keptTable, causes, instants, totals],
  serverTables: [births],
}

type Values = [kind: string, fqn: string, parent: string | null, flags: number, members?: Members]

/** The number of the status, and flags beside it. */
const [statusBits, inheritedFlag, restoredFlag, lateFlag] = [3, 4, 8, 16]

/** Members that most entities have, which are left out. */
const usualMembers: Members = { entityStatus: usualEntityStatus }

const textOf = ({ kind, fullyQualifiedName, parent, status, members, ...told }: TimelineState): string => {
  const flags =
    statusNumber[status] +
    (told.inherited ? inheritedFlag : 0) +
    (told.restored ? restoredFlag : 0) +
    (told.late ? lateFlag : 0)
  const isUsual = members['entityStatus'] === usualEntityStatus && Object.keys(members).length === 1
  const values: Values = [kind, fullyQualifiedName, parent ?? null, flags]
  return JSON.stringify(isUsual ? values : [...values, members])
}

const stateIn = (text: string): TimelineState => {
  const [kind, fullyQualifiedName, parent, flags, members = usualMembers] = JSON.parse(text) as Values
  return {
    kind,
    fullyQualifiedName,
    parent: parent ?? undefined,
    status: statuses[flags & statusBits] as TimelineState['status'],
    inherited: (flags & inheritedFlag) > 0,
    restored: (flags & restoredFlag) > 0,
    late: (flags & lateFlag) > 0,
    members,
  }
}

const passingText = (passing: readonly CountChange[] | undefined): string | undefined =>
  passing && JSON.stringify(passing.map(([list, position, n]) => [String(list), String(position), n]))

const passingIn = (text: string | undefined): CountChange[] | undefined =>
  text === undefined
    ? undefined
    : (JSON.parse(text) as [string, string, number][]).map(([list, at, n]) => [BigInt(list), BigInt(at), n])

export const toKept = (id: string, { kept, passing, ...when }: KeptAt): KeptEntity => ({
  id,
  ...when,
  passing: passingText(passing),
  text: textOf(kept),
})

export const fromKept = ({ text, passing, ...when }: KeptEntity): KeptAt => ({
  ...when,
  passing: passingIn(passing),
  kept: stateIn(text),
})

/** The text of a birth: an entity that is as its first event made it. */
export const birthText = ({ position, changed, settled, kept }: KeptAt): string | undefined =>
  position === changed && settled === undefined ? textOf({ ...kept, fullyQualifiedName: '' }) : undefined

export type KeptSpan = Pick<Birth, 'entity' | 'place' | 'from' | 'text'>
export const birthMembers = ['entity', 'place', 'from', 'text'] as const

export const fromBirth = ({ entity, place, from, text }: KeptSpan): KeptAt => ({
  position: from,
  changed: from,
  since: from,
  kept: { ...stateIn(text), fullyQualifiedName: fqnIn(place, entity) },
})
