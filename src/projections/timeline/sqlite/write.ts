import { statuses, statusNumber } from '../../entities/row.ts'
import { type Members, type RecordedEvent, parseStreamName } from '../../../events/events.ts'
import { ancestorFqns } from '../../../kinds/names.ts'
import { descendantKinds } from '../../../kinds/registry/kinds.ts'
import { usualEntityStatus } from '../../entities/sqlite/tables.ts'
import { entrySize, makeRecent, type Recent } from '../../entities/recent.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { historyBatching, keptInSqlite, rememberingOf } from '../../sqlite/sqliteProjection.ts'
import {
  effectOf,
  endsStatus,
  factsOf,
  impliedTurns,
  isFollowed,
  isSettled,
  isTurn,
  keptAfter,
  type TurnEffect,
  type KeptAt,
  type ListFacts,
  type TimelineState,
} from '../timelineProjection.ts'
import { timelineReads } from './read.ts'
import { addList, findList, notEnded, timelineTables, type ListName } from './tables.ts'
import { byEntityStatus, everything, listChanges, listName, type TimelineList } from '../lists.ts'
import { makeTotals, readTotal, type TotalsOfBatch } from './totals.ts'

/** What was written lately. */
interface TimelineMemory {
  /** Numbers of lists by {@link keyOf}. */
  readonly lists: Recent<number>
  /** Numbers of the lists that count what stands in the same place. */
  readonly counted: Recent<readonly number[]>
  /** The newest total by number of the list. */
  readonly totals: Recent<number, number>
  readonly kept: Recent<KeptAt>
}

/** Bytes for each sort of what is remembered: some 20,000 things. */
const room = 20_000 * entrySize

const newTimelineMemory = (): TimelineMemory => ({
  lists: makeRecent(room),
  counted: makeRecent(room),
  totals: makeRecent(room),
  kept: makeRecent(room),
})

const remember = <K, V>(recent: Recent<V, K>, key: K, value: V): V => {
  recent.set(key, value, 0)
  return value
}

interface FileWithTimeline {
  readonly file: SqliteFile
  readonly timeline: TimelineMemory
}

const keyOf = (name: ListName): string => `${listName(name)}\0${name.scope}`

const listNamed = ({ file, timeline: { lists } }: FileWithTimeline, name: ListName): number => {
  const key = keyOf(name)
  return lists.get(key) ?? remember(lists, key, addList(file, name))
}

/** A file that an event is written to, with the totals that it changes. */
interface Writing extends FileWithTimeline {
  readonly changing: TotalsOfBatch
  /** Does it count from an earlier position on than its own? */
  readonly isEarlier: boolean
}

const count = (opened: Writing, list: number, position: bigint, by: number): void => {
  const { file, timeline, changing, isEarlier } = opened
  const { totals } = timeline
  if (isEarlier) return changing.noteEarlier(list, position, by)
  const n = (totals.get(list) ?? readTotal(file, list)) + by
  changing.write(list, position, n)
  remember(totals, list, n)
}

const isUnusual = ({ entityStatus }: ListFacts): boolean => entityStatus !== '' && entityStatus !== usualEntityStatus

/** The lists that count an entity: all of its kind and status in everything that it stands below. */
const countedIn = (opened: FileWithTimeline, facts: ListFacts): readonly number[] => {
  const { kind, status, entityStatus, fullyQualifiedName } = facts
  const above = ancestorFqns(fullyQualifiedName)
  const unusual = isUnusual(facts)
  const { counted } = opened.timeline
  const key = `${kind} ${status} ${unusual ? entityStatus : ''}\0${above.at(-1) ?? ''}`
  const known = counted.get(key)
  if (known !== undefined) return known
  const all = { kind, status: statusNumber[status], rel: everything, target: '' }
  const lists = unusual ? [all, { ...all, rel: byEntityStatus, target: entityStatus }] : [all]
  const found = ['', ...above].flatMap((scope) => lists.map((list) => listNamed(opened, { ...list, scope })))
  return remember(counted, key, found)
}

/** Counts an entity in, or out, of everything that it stands below. */
const countAll = (opened: Writing, facts: ListFacts, position: bigint, by: number): void => {
  if (facts.status === 'gone') return
  for (const list of countedIn(opened, facts)) count(opened, list, position, by)
}

/** Is this list counted as it is? The others are counted in everything that their entities stand below. */
const isCounted = ({ rel }: TimelineList): boolean => rel !== everything && rel !== byEntityStatus

const writeSpans = (opened: Writing, before: ListFacts | undefined, after: ListFacts, position: bigint): void => {
  const { file } = opened
  const end = file.statement(
    `UPDATE timeline_spans SET ended = ? WHERE list = ? AND fqn = ? AND id = ? AND ended = ${notEnded}`,
  )
  const begin = file.statement(
    `INSERT INTO timeline_spans (list, fqn, id, began, ended, entity_status) VALUES (?, ?, ?, ?, ${notEnded}, ?)`,
  )
  const { id, fullyQualifiedName, entityStatus } = after
  const numberOf = (list: TimelineList): number => listNamed(opened, { ...list, scope: '' })
  const { ended, begun, left, entered } = listChanges(before, after, usualEntityStatus)
  for (const list of ended) end.run(position, numberOf(list), before?.fullyQualifiedName ?? null, id)
  for (const list of begun) {
    begin.run(numberOf(list), fullyQualifiedName, id, position, entityStatus)
  }
  for (const list of left.filter(isCounted)) count(opened, numberOf(list), position, -1)
  for (const list of entered.filter(isCounted)) count(opened, numberOf(list), position, 1)
}

type KeptValues = [kind: string, fqn: string, parent: string | null, flags: number, members?: Members]

/** Flags beside the number of the status. */
const [inheritedFlag, restoredFlag] = [4, 8]

/** What is kept, as a text; members that most entities have are left out. */
const keptText = (kept: TimelineState): string => {
  const { kind, fullyQualifiedName, parent, members } = kept
  const flags = statusNumber[kept.status] + (kept.inherited ? inheritedFlag : 0) + (kept.restored ? restoredFlag : 0)
  const isUsual = members['entityStatus'] === usualEntityStatus && Object.keys(members).length === 1
  const values: KeptValues = [kind, fullyQualifiedName, parent ?? null, flags]
  if (!isUsual) values.push(members)
  return JSON.stringify(values)
}

const readKeptText = (text: string): TimelineState => {
  const [kind, fullyQualifiedName, parent, flags, members = { entityStatus: usualEntityStatus }] = JSON.parse(
    text,
  ) as KeptValues
  return {
    kind,
    fullyQualifiedName,
    parent: parent ?? undefined,
    status: statuses[flags & 3] as TimelineState['status'],
    inherited: (flags & inheritedFlag) > 0,
    restored: (flags & restoredFlag) > 0,
    members,
  }
}

const readKept = ({ file, timeline }: FileWithTimeline, id: string): KeptAt | undefined => {
  const known = timeline.kept.get(id)
  if (known !== undefined) return known
  const found = file.wide('SELECT position, since, settled, kept FROM timeline_kept WHERE id = ?').get(id) as
    [bigint, bigint, bigint | null, string] | undefined
  if (found === undefined) return undefined
  const [position, since, settled, text] = found
  return remember(timeline.kept, id, { position, since, settled: settled ?? undefined, kept: readKeptText(text) })
}

/**
 * @param isFirst nothing can be kept of the entity yet @returns false where it is, all the same: the event came again
 */
const writeKept = ({ file, timeline }: FileWithTimeline, id: string, kept: KeptAt, isFirst: boolean): boolean => {
  const { changes } = file
    .statement(
      `INSERT OR ${isFirst ? 'IGNORE' : 'REPLACE'} INTO timeline_kept (id, position, since, settled, kept)
      VALUES (?, ?, ?, ?, ?)`,
    )
    .run(id, kept.position, kept.since, kept.settled ?? null, keptText(kept.kept))
  if (changes === 0) return false
  remember(timeline.kept, id, kept)
  return true
}

/** When an event is effective; one that may be followed is stored with that. */
const readEffect = ({ file }: FileWithTimeline, event: RecordedEvent, before: KeptAt | undefined): TurnEffect => {
  if (!isTurn(event)) return effectOf(event, undefined, before)
  const [cause] = (file.wide('SELECT position FROM timeline_causes WHERE id = ?').get(event.metadata.causationId) ??
    []) as [bigint?]
  const effect = effectOf(event, cause, before)
  if (isFollowed(event))
    file.statement('INSERT OR IGNORE INTO timeline_causes (id, position) VALUES (?, ?)').run(event.id, effect.from)
  return effect
}

/** Writes what an entity is from a position on. */
const writeChange = (opened: Omit<Writing, 'isEarlier'>, id: string, old: KeptAt | undefined, next: KeptAt): void => {
  const { since, position } = next
  const [before, after] = [old && factsOf(id, old.kept), factsOf(id, next.kept)]
  const writing = { ...opened, isEarlier: since < position }
  writeSpans(writing, before, after, since)
  const same =
    before?.status === after.status &&
    before.entityStatus === after.entityStatus &&
    before.fullyQualifiedName === after.fullyQualifiedName
  if (same) return
  if (before !== undefined) countAll(writing, before, since, -1)
  countAll(writing, after, since, 1)
}

/** Ids below a name with one of these statuses, ancestors first. */
const idsBelow = (
  { file }: FileWithTimeline,
  { kind, fullyQualifiedName }: TimelineState,
  wanted: readonly (keyof typeof statusNumber)[],
): string[] => {
  const lists = descendantKinds(kind).flatMap(({ name }) =>
    wanted.flatMap(
      (status) =>
        findList(file, { kind: name, status: statusNumber[status], rel: everything, target: '', scope: '' }) ?? [],
    ),
  )
  const sql = `SELECT id FROM timeline_spans
    WHERE list IN (SELECT value FROM json_each(?)) AND fqn > ? AND fqn < ? AND ended = ${notEnded} ORDER BY fqn`
  const found = file.statement(sql).all(JSON.stringify(lists), `${fullyQualifiedName}.`, `${fullyQualifiedName}/`)
  return found.map((row) => (row as unknown as [string])[0])
}

/** Ids below an entity that may lack an event of a status that it had. Below a deletion all may have been told of it. */
const unfollowedBelow = (opened: FileWithTimeline, { kept }: KeptAt): string[] => {
  if (kept.status === 'live') return idsBelow(opened, kept, ['deleted'])
  const areTold = !kept.restored && idsBelow(opened, kept, ['live']).length === 0
  return areTold ? [] : idsBelow(opened, kept, ['live', 'deleted'])
}

const writeImplied = (opened: Omit<Writing, 'isEarlier'>, event: RecordedEvent, before: KeptAt, next: KeptAt): void => {
  const below = unfollowedBelow(opened, before)
  for (const { id, states } of impliedTurns(event, before, next, below, (each) => readKept(opened, each)))
    for (const [at, state] of states.slice(1).entries()) {
      writeChange(opened, id, states[at], state)
      writeKept(opened, id, state, false)
    }
}

const writeEvent = (opened: Omit<Writing, 'isEarlier'>, event: RecordedEvent): void => {
  const { id } = parseStreamName(event.stream)
  const { position } = event
  const isFirst = event.revision === 0n
  let old: KeptAt | undefined
  const kept = keptAfter(event, () => (old = isFirst ? undefined : readKept(opened, id))?.kept)
  // What came again after a crash, or was already so, changes nothing.
  if (kept === undefined || (old !== undefined && old.position >= position)) return
  const effect = readEffect(opened, event, old)
  const { from } = effect
  if (isSettled(from, old)) return
  const next = { position, since: from, settled: old?.settled, kept }
  if (!writeKept(opened, id, next, isFirst)) return
  writeChange(opened, id, old, next)
  if (endsStatus(event, old, effect)) writeImplied(opened, event, old, next)
}

/**
 * Notes of each instant the newest position that it, or one before it, has. Where clocks differ an event may be earlier
 * than others before it in the log: their instants have it, too.
 */
const writeTimes = ({ file }: FileWithTimeline, events: readonly RecordedEvent[]): void => {
  const write = file.statement(
    `INSERT INTO timeline_times (time, position) VALUES (?1, ?2)
    ON CONFLICT (time) DO UPDATE SET position = excluded.position WHERE excluded.position > position`,
  )
  const raise = file.statement('UPDATE timeline_times SET position = ?2 WHERE time > ?1 AND position < ?2')
  for (const [at, { metadata, position }] of events.entries()) {
    if (events[at + 1]?.metadata.time === metadata.time) continue
    const time = Date.parse(metadata.time)
    for (const statement of [write, raise]) statement.run(time, position)
  }
}

const memory = rememberingOf(newTimelineMemory)

export const timelineInSqlite = keptInSqlite({
  tables: timelineTables,
  batching: historyBatching,
  changes:
    async ({ events }, { file }: { readonly file: SqliteFile }) =>
    () => {
      const changing = makeTotals(file)
      const writing = { file, timeline: memory.of(file), changing }
      writeTimes(writing, events)
      for (const event of events) writeEvent(writing, event)
      for (const list of changing.end()) writing.timeline.totals.delete(list)
    },
  forget: memory.forget,
  reads: (current) => timelineReads(() => current().file),
})
