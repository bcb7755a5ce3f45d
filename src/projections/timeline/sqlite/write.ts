import type { RecordedEvent } from '../../../events/events.ts'
import { parseStreamName } from '../../../events/streamName.ts'
import { ancestorFqns } from '../../../kinds/names.ts'
import { statusNumber } from '../../entities/sqlite/rows.ts'
import { usualEntityStatus } from '../../entities/sqlite/tables.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { factsOf, keptAfter, type Facts, type Kept } from '../timelineProjection.ts'
import { addList, byEntityStatus, byParent, everything, notEnded, type ListName } from './tables.ts'

/** What was written lately; to be forgotten when a transaction is undone. */
export interface TimelineMemory {
  /** Numbers of lists by {@link keyOf}. */
  readonly lists: Map<string, number>
  /** The newest total by number of the list. */
  readonly totals: Map<number, number>
  readonly kept: Map<string, KeptAt>
}

interface KeptAt {
  readonly position: bigint
  readonly kept: Kept
}

export const newTimelineMemory = (): TimelineMemory => ({ lists: new Map(), totals: new Map(), kept: new Map() })

export const forgetTimeline = ({ lists, totals, kept }: TimelineMemory): void => {
  for (const each of [lists, totals, kept]) each.clear()
}

/** Things of each sort that are remembered. */
const capacity = 20_000

const remember = <K, V>(map: Map<K, V>, key: K, value: V): V => {
  if (map.size >= capacity && !map.has(key)) map.delete(map.keys().next().value as K)
  map.set(key, value)
  return value
}

/** A file with what was written to it lately. */
export interface FileWithTimeline {
  readonly file: SqliteFile
  readonly timeline: TimelineMemory
}

const keyOf = ({ kind, status, rel, target, scope }: ListName): string =>
  `${kind} ${status} ${rel}\0${target}\0${scope}`

const listNamed = ({ file, timeline: { lists } }: FileWithTimeline, name: ListName): number => {
  const key = keyOf(name)
  return lists.get(key) ?? remember(lists, key, addList(file, name))
}

const newestTotal = ({ file, timeline: { totals } }: FileWithTimeline, list: number): number => {
  const known = totals.get(list)
  if (known !== undefined) return known
  const found = file
    .statement('SELECT n FROM timeline_totals WHERE list = ? ORDER BY position DESC LIMIT 1')
    .get(list) as [number] | undefined
  return found?.[0] ?? 0
}

const count = (opened: FileWithTimeline, list: number, position: bigint, by: number): void => {
  const n = newestTotal(opened, list) + by
  opened.file
    .statement('INSERT OR REPLACE INTO timeline_totals (list, position, n) VALUES (?, ?, ?)')
    .run(list, position, n)
  remember(opened.timeline.totals, list, n)
}

const isUnusual = ({ entityStatus }: Facts): boolean => entityStatus !== '' && entityStatus !== usualEntityStatus

/** The lists that an entity is in. What is gone is in one that says just that. */
const listsOf = (facts: Facts): ListName[] => {
  const { kind, status, parent, entityStatus, edges } = facts
  const list = (rel: string, target: string): ListName => ({
    kind,
    status: statusNumber[status],
    rel,
    target,
    scope: '',
  })
  if (status === 'gone') return [list(everything, '')]
  return [
    list(everything, ''),
    ...(isUnusual(facts) ? [list(byEntityStatus, entityStatus)] : []),
    ...(parent === undefined ? [] : [list(byParent, parent)]),
    ...edges.map(({ rel, target }) => list(rel, target)),
  ]
}

/** Counts an entity in, or out, of everything that it stands below. */
const countAll = (opened: FileWithTimeline, facts: Facts, position: bigint, by: number): void => {
  const { kind, status, entityStatus, fullyQualifiedName } = facts
  if (status === 'gone') return
  const all = { kind, status: statusNumber[status], rel: everything, target: '' }
  const lists = isUnusual(facts) ? [all, { ...all, rel: byEntityStatus, target: entityStatus }] : [all]
  for (const scope of ['', ...ancestorFqns(fullyQualifiedName)])
    for (const list of lists) count(opened, listNamed(opened, { ...list, scope }), position, by)
}

const writeSpans = (opened: FileWithTimeline, before: Facts | undefined, after: Facts, position: bigint): void => {
  const { file } = opened
  const end = file.statement(
    `UPDATE timeline_spans SET ended = ? WHERE list = ? AND fqn = ? AND id = ? AND ended = ${notEnded}`,
  )
  const begin = file.statement(
    `INSERT INTO timeline_spans (list, fqn, id, began, ended, entity_status) VALUES (?, ?, ?, ?, ${notEnded}, ?)`,
  )
  const whole = before?.entityStatus !== after.entityStatus || before.fullyQualifiedName !== after.fullyQualifiedName
  const old = new Map((before === undefined ? [] : listsOf(before)).map((list) => [keyOf(list), list]))
  const now = new Map(listsOf(after).map((list) => [keyOf(list), list]))
  for (const [key, list] of old)
    if (whole || !now.has(key)) end.run(position, listNamed(opened, list), before?.fullyQualifiedName ?? '', after.id)
  for (const [key, list] of now)
    if (whole || !old.has(key))
      begin.run(listNamed(opened, list), after.fullyQualifiedName, after.id, position, after.entityStatus)
}

const readKept = ({ file, timeline }: FileWithTimeline, id: string): KeptAt | undefined => {
  const known = timeline.kept.get(id)
  if (known !== undefined) return known
  const found = file.wide('SELECT position, kept FROM timeline_kept WHERE id = ?').get(id) as
    [bigint, string] | undefined
  return found && remember(timeline.kept, id, { position: found[0], kept: JSON.parse(found[1]) as Kept })
}

const writeKept = ({ file, timeline }: FileWithTimeline, id: string, kept: KeptAt): void => {
  file
    .statement('INSERT OR REPLACE INTO timeline_kept (id, position, kept) VALUES (?, ?, ?)')
    .run(id, kept.position, JSON.stringify(kept.kept))
  remember(timeline.kept, id, kept)
}

const writeEvent = (opened: FileWithTimeline, event: RecordedEvent): void => {
  const { id } = parseStreamName(event.stream)
  const { position } = event
  let old: KeptAt | undefined
  const kept = keptAfter(event, () => (old = readKept(opened, id))?.kept)
  // What came again after a crash, or was already so, changes nothing.
  if (kept === undefined || (old !== undefined && old.position >= position)) return
  const [before, after] = [old && factsOf(id, old.kept), factsOf(id, kept)]
  writeKept(opened, id, { position, kept })
  writeSpans(opened, before, after, position)
  const same =
    before?.status === after.status &&
    before.entityStatus === after.entityStatus &&
    before.fullyQualifiedName === after.fullyQualifiedName
  if (same) return
  if (before !== undefined) countAll(opened, before, position, -1)
  countAll(opened, after, position, 1)
}

/** Notes of each instant the first position. */
const writeTimes = ({ file }: FileWithTimeline, events: readonly RecordedEvent[]): void => {
  const write = file.statement(
    `INSERT INTO timeline_times (time, position) VALUES (?, ?)
    ON CONFLICT (time) DO UPDATE SET position = excluded.position WHERE excluded.position < position`,
  )
  let last: string | undefined
  for (const { metadata, position } of events) {
    if (metadata.time !== last) write.run(Date.parse(metadata.time), position)
    last = metadata.time
  }
}

/** Writes what events change; to be run within a transaction. They come in the order of the log. */
export const writeTimeline = (opened: FileWithTimeline, events: readonly RecordedEvent[]): void => {
  writeTimes(opened, events)
  for (const event of events) writeEvent(opened, event)
}
