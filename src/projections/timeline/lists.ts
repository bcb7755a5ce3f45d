import { hashNumber } from '../documents/port.ts'
import { statusNumber, type Edge, type Status } from '../entities/row.ts'
import type { ListFacts } from './timelineState.ts'

/** Pseudo relation to the direct parent. */
const byParent = '^'

/** What all entities of a list have in common besides kind and status. */
export const listRoot: Edge = { rel: '', target: '' }
export const withParent = (target: string): Edge => ({ rel: byParent, target })

/**
 * The number of a list: all entities of a kind and status with something in common. Names of kinds and members contain
 * no space.
 * @param scope FQN below which its total is counted
 */
export const listNumber = (kind: string, status: Status, { rel, target } = listRoot, scope = ''): bigint =>
  hashNumber(`${kind} ${statusNumber[status]} ${rel} ${target}\0${scope}`)

/** The list of all entities with a derived status: see {@link StoredState.isDerived}. */
export const derivedStatusList = hashNumber('untold')

/** The lists of an entity by number, each with whether it has only one total, none below FQNs. A gone entity is in one list. */
const listsOf = ({ kind, status, parent, edges, isDerived }: ListFacts): Map<bigint, boolean> => {
  const narrower = [...edges, ...(parent === undefined ? [] : [withParent(parent)])]
  return new Map([
    [listNumber(kind, status), false] as const,
    ...(status === 'gone' ? [] : narrower).map((list) => [listNumber(kind, status, list), true] as const),
    ...(isDerived ? [[derivedStatusList, false] as const] : []),
  ])
}

/**
 * The changes of an entity's lists: those whose spans end and start, and those with only one total that it leaves and
 * enters. Another name or entity status starts new spans.
 */
export const listChanges = (before: ListFacts | undefined, after: ListFacts) => {
  const [old, now] = [before === undefined ? new Map<bigint, never>() : listsOf(before), listsOf(after)]
  const left = [...old.keys()].filter((list) => !now.has(list))
  const entered = [...now.keys()].filter((list) => !old.has(list))
  const isSame = before?.entityStatus === after.entityStatus && before.fullyQualifiedName === after.fullyQualifiedName
  return {
    ended: isSame ? left : [...old.keys()],
    begun: isSame ? entered : [...now.keys()],
    left: left.filter((list) => old.get(list)),
    entered: entered.filter((list) => now.get(list)),
  }
}
