import {
  childInTheWay,
  contentAfter,
  contentReverted,
  differs,
  isReported,
  listReverted,
  namedRefs,
  sayingOf,
  statusesOf,
  type View,
} from './catalog.ts'
import { keyOf, parentOf, type Key } from './kinds.ts'
import { isStated } from './lineage.ts'
import { productLists, targetOf, type Item, type Operation } from './operations.ts'

type Status = 'live' | 'deleted' | 'gone' | 'none'

/** Every combination of what the entity and its parent may be taken for. */
const pairs = (view: View, key: Key): [Status, Status][] => {
  const parent = parentOf(key)
  const above: Status[] = parent === undefined ? ['live'] : [...statusesOf(view, parent)]
  return [...statusesOf(view, key)].flatMap((own) => above.map((each): [Status, Status] => [own, each]))
}

/** Are all of these there? Both, while a deletion is on its way down to one of them. */
const allThere = (view: View, refs: readonly Key[]): boolean[] => {
  const found = refs.map((ref) => [...statusesOf(view, ref)].map((status) => status === 'live' || status === 'deleted'))
  return [
    ...(found.every((each) => each.includes(true)) ? [true] : []),
    ...(found.some((each) => each.includes(false)) ? [false] : []),
  ]
}

const expectMade = (view: View, operation: Operation, { fqn, values }: Item, put: boolean): number[] => {
  const key = keyOf(operation.kind, fqn)
  const there = allThere(view, namedRefs(operation, values, fqn))
  return pairs(view, key).flatMap(([own, above]) =>
    there.map((refsAre) => {
      if (above !== 'live' || !refsAre) return 400
      if (own === 'none' || own === 'gone') return 201
      return put ? 200 : 409
    }),
  )
}

const expectEnded = (view: View, { kind, fqn, hard, recursive }: Operation & { do: 'delete' }): number[] => {
  const key = keyOf(kind, fqn)
  return [...statusesOf(view, key)].map((own) => {
    if (own === 'none' || own === 'gone' || (own === 'deleted' && !hard)) return 404
    if (!recursive && childInTheWay(view, key, hard) !== undefined) return 400
    return hard ? 204 : 200
  })
}

const expectRestored = (view: View, key: Key): number[] =>
  pairs(view, key).map(([own, above]) => {
    if (own === 'none' || own === 'gone') return 404
    return own === 'deleted' && above !== 'live' ? 400 : 200
  })

const included = { all: ['live', 'deleted'], deleted: ['deleted'], 'non-deleted': ['live'] } as const

/** Answers that each part of a request may get when the catalog is as the view shows it; several while something is on its way. */
export const expected = (view: View, operation: Operation, item?: Item): ReadonlySet<number> => {
  if (operation.do === 'bulk') return new Set(expectMade(view, operation, item as Item, true))
  const key = keyOf(operation.kind, operation.fqn)
  const live = (then: number): number[] => [...statusesOf(view, key)].map((own) => (own === 'live' ? then : 404))
  switch (operation.do) {
    case 'create':
    case 'upsert':
      return new Set(expectMade(view, operation, operation, operation.do === 'upsert'))
    case 'patch':
      return new Set(
        allThere(view, namedRefs(operation, operation.values, '')).flatMap((there) => live(there ? 200 : 400)),
      )
    case 'delete':
      return new Set(expectEnded(view, operation))
    case 'restore':
      return new Set(expectRestored(view, key))
    case 'vote':
    case 'confirm':
    case 'result':
      return new Set(live(200))
    case 'revert':
      return new Set(live(view.version(key, operation.version) === undefined ? 404 : 200))
    case 'follow':
    case 'unfollow': {
      const own = keyOf('user', operation.follower)
      const user = statusesOf(view, own)
      const found = user.has('live') || (operation.do === 'unfollow' && user.has('deleted'))
      return new Set([...(found ? live(200) : []), ...(user.size > 1 || !found ? [404] : [])])
    }
    case 'assets':
      return new Set(allThere(view, operation.assets).flatMap((there) => live(there ? 200 : 404)))
    case 'state': {
      const there = allThere(
        view,
        operation.edges.map(({ from }) => from),
      )
      return new Set(
        pairs(view, key).flatMap(([, above]) => (above === 'live' ? there.map((are) => (are ? 200 : 400)) : [404])),
      )
    }
    case 'get':
      return new Set(
        [...statusesOf(view, key)].map((own) =>
          (included[operation.include] as readonly Status[]).includes(own) ? 200 : 404,
        ),
      )
    case 'list':
      return new Set([200])
  }
}

/** Would the request change nothing, if the catalog were as the view shows it? */
export const changesNothing = (view: View, operation: Operation, item?: Item): boolean => {
  const key = item === undefined ? targetOf(operation) : keyOf(operation.kind, item.fqn)
  const before = key === undefined ? undefined : view.get(key)
  if (before === undefined || before.status !== 'live') return false
  const has = (list: string, ref: Key): boolean => (before.refs[list] ?? []).some((each) => each.key === ref)
  switch (operation.do) {
    case 'upsert':
    case 'patch':
      return !differs(view, before, contentAfter(before, operation.values, sayingOf(operation), view))
    case 'bulk':
      return !differs(view, before, contentAfter(before, (item as Item).values, 'PUT', view))
    case 'restore':
      return true
    case 'revert': {
      const to = view.version(before.key, operation.version)
      if (to === undefined || differs(view, before, contentReverted(view, before, to))) return false
      return productLists.every((list) => Object.values(listReverted(view, before, to, list)).flat().length === 0)
    }
    case 'state':
      return isStated(view, before, operation)
    case 'vote': {
      const voter = keyOf('user', operation.user)
      const present = has('upVoters', voter) ? 'votedUp' : has('downVoters', voter) ? 'votedDown' : 'unVoted'
      return present === operation.vote
    }
    case 'follow':
    case 'unfollow':
      return has('followers', keyOf('user', operation.follower)) === (operation.do === 'follow')
    case 'result':
      return isReported(before, operation)
    case 'assets':
      return operation.assets.every((asset) => has(operation.list, asset) === operation.add)
    default:
      return false
  }
}
