import { statusNumber } from '../entities/row.ts'
import type { ListFacts } from './timelineProjection.ts'

/** Pseudo relations: everything, the entity status, the direct parent. */
export const everything = ''
export const byEntityStatus = '='
export const byParent = '^'

/** A list: all entities of a kind and status with a common relation. */
export interface TimelineList {
  readonly kind: string
  /** One of `statusNumber`. */
  readonly status: number
  readonly rel: string
  readonly target: string
}

/** Names of kinds and members contain no space. */
export const listName = ({ kind, status, rel, target }: TimelineList): string => `${kind} ${status} ${rel} ${target}`

/**
 * The lists of an entity, by name. A gone entity is in one special list.
 * @param usual the most common entity status, which has no list of its own
 */
const listsOf = ({ kind, status, parent, entityStatus, edges }: ListFacts, usual = ''): Map<string, TimelineList> => {
  const list = (rel: string, target: string): TimelineList => ({ kind, status: statusNumber[status], rel, target })
  const isUsual = entityStatus === '' || entityStatus === usual
  const narrower = [
    ...(isUsual ? [] : [list(byEntityStatus, entityStatus)]),
    ...(parent === undefined ? [] : [list(byParent, parent)]),
    ...edges.map(({ rel, target }) => list(rel, target)),
  ]
  const all = [list(everything, ''), ...(status === 'gone' ? [] : narrower)]
  return new Map(all.map((each) => [listName(each), each]))
}

export interface ListChanges {
  /** Lists whose spans end and start. */
  readonly ended: readonly TimelineList[]
  readonly begun: readonly TimelineList[]
  /** Lists that it leaves and enters. */
  readonly left: readonly TimelineList[]
  readonly entered: readonly TimelineList[]
}

/** The list changes of an event. Another name or entity status starts new spans. */
export const listChanges = (before: ListFacts | undefined, after: ListFacts, usual?: string): ListChanges => {
  const [old, now] = [before === undefined ? new Map<string, never>() : listsOf(before, usual), listsOf(after, usual)]
  const left = [...old].flatMap(([name, list]) => (now.has(name) ? [] : list))
  const entered = [...now].flatMap(([name, list]) => (old.has(name) ? [] : list))
  const isSame = before?.entityStatus === after.entityStatus && before.fullyQualifiedName === after.fullyQualifiedName
  return isSame
    ? { ended: left, begun: entered, left, entered }
    : { ended: [...old.values()], begun: [...now.values()], left, entered }
}
