import { statusNumber } from '../entities/row.ts'
import type { ListFacts } from './timelineProjection.ts'

/** Relations that are no members: all there are, the entity status, the direct parent. */
export const everything = ''
export const byEntityStatus = '='
export const byParent = '^'

/** A list is all entities of a kind and status that have something in common. */
export interface TimelineList {
  readonly kind: string
  /** One of `statusNumber`. */
  readonly status: number
  readonly rel: string
  readonly target: string
}

/** Names of kinds and members hold no space. */
export const listName = ({ kind, status, rel, target }: TimelineList): string => `${kind} ${status} ${rel} ${target}`

/**
 * The lists that an entity is in, by name. What is gone is in one that says just that.
 * @param usual the entity status that most have: it has no list of its own
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
  /** The spans that end, and those that begin. */
  readonly ended: readonly TimelineList[]
  readonly begun: readonly TimelineList[]
  /** The lists that it is in no longer, and those that it was not in before. */
  readonly left: readonly TimelineList[]
  readonly entered: readonly TimelineList[]
}

/** What an event changes in lists. With another name or entity status an entity has spans of their own. */
export const listChanges = (before: ListFacts | undefined, after: ListFacts, usual?: string): ListChanges => {
  const [old, now] = [before === undefined ? new Map<string, never>() : listsOf(before, usual), listsOf(after, usual)]
  const left = [...old].flatMap(([name, list]) => (now.has(name) ? [] : list))
  const entered = [...now].flatMap(([name, list]) => (old.has(name) ? [] : list))
  const isSame = before?.entityStatus === after.entityStatus && before.fullyQualifiedName === after.fullyQualifiedName
  return isSame
    ? { ended: left, begun: entered, left, entered }
    : { ended: [...old.values()], begun: [...now.values()], left, entered }
}
