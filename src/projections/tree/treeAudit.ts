import type { RecordedEvent } from '../../events/events.ts'
import { nameOf, type Finding } from '../../events/transfer/logAudit.ts'
import type { TreeCheckpoint } from '../../transparency/checkpoint.ts'
import { leafHash, emptyRoot } from '../../transparency/merkle.ts'
import type { LogTree, LeafAt } from './tree.ts'
import { entryOf } from './treeProjection.ts'
import { addLeaves, rootsFrom, tileKey, type TreeEdge } from '../../transparency/tiles.ts'

/** Largest number of streams named because of changed events: behind an inserted event everything differs. */
const maxNamedStreams = 100

const changedIn = (stream: string, first: string, count: number): Finding => {
  const others = count === 1 ? '' : `, and for ${count - 1} more of ${stream}`
  return { what: 'changed', message: `${first} is not what was written: the tree has another leaf there${others}.` }
}

const countMore = (what: Finding['what'], count: number, noun = ''): Finding[] =>
  count > 0 ? [{ what, message: `So it is for ${count} more${noun}.` }] : []

const makeComparison = (leaves: AsyncIterator<LeafAt>) => {
  /** By stream: the name of its first event that differs, and how many do. */
  const changed = new Map<string, { readonly first: string; count: number }>()
  const removed: bigint[] = []
  const inserted: string[] = []
  let next: LeafAt | undefined
  let begun = false
  let gone = 0
  const advance = async (): Promise<void> => {
    const { done, value } = await leaves.next()
    next = done === true ? undefined : value
  }
  const skipRemoved = async (position: bigint): Promise<void> => {
    for (; next !== undefined && next.position < position; await advance()) {
      gone++
      if (removed.length < 10) removed.push(next.position)
    }
  }
  return {
    compare: async (event: RecordedEvent, leaf: Buffer): Promise<void> => {
      if (!begun) await advance()
      begun = true
      await skipRemoved(event.position)
      // Events after the end of the tree are newer than it.
      if (next === undefined) return
      if (next.position > event.position) {
        if (inserted.length < 10) inserted.push(nameOf(event))
        return
      }
      if (!next.hash.equals(leaf)) {
        const found = changed.get(event.stream)
        if (found) found.count++
        else changed.set(event.stream, { first: nameOf(event), count: 1 })
      }
      await advance()
    },
    end: async (): Promise<Finding[]> => {
      if (!begun) await advance()
      await skipRemoved(2n ** 63n)
      const cut = removed.map((position): Finding => ({
        what: 'removed',
        message: `The tree has a leaf for position ${position}, where the log has no event.`,
      }))
      const added = inserted.map((name): Finding => ({ what: 'inserted', message: `${name} is not in the tree.` }))
      const differing = [...changed]
        .slice(0, maxNamedStreams)
        .map(([stream, { first, count }]) => changedIn(stream, first, count))
      return [
        ...differing,
        ...countMore('changed', changed.size - differing.length, ' streams'),
        ...cut,
        ...countMore('removed', gone - removed.length),
        ...added,
      ]
    },
  }
}

interface StoredTree {
  readonly tree: LogTree
  readonly size: number
}

interface TreeAuditOptions {
  /** Signed checkpoints, in any order. */
  readonly checkpoints?: readonly TreeCheckpoint[]
  /** The stored tree, and its size before the log was read. */
  readonly stored?: StoredTree | undefined
}

/** Checks a whole log, event by event, against its stored tree and signed checkpoints. */
export const makeTreeAudit = ({ checkpoints = [], stored }: TreeAuditOptions) => {
  const tree = makeGrowingTree()
  const comparison = stored && makeComparison(stored.tree.leaves(stored.size)[Symbol.asyncIterator]())
  const due = checkpoints.toSorted((a, b) => a.size - b.size)
  const twice = due.filter(({ size, root }, at) => due[at - 1]?.size === size && !due[at - 1]?.root.equals(root))
  const contradictory = twice.map(({ size }): Finding => ({
    what: 'changed',
    message: `Two checkpoints of ${size} events differ: the key signed two histories.`,
  }))
  const broken: Finding[] = []
  let [verified, validSize] = [0, 0]

  const compare = async (checkpoint: TreeCheckpoint): Promise<void> => {
    const { size } = checkpoint
    if (tree.root().equals(checkpoint.root)) {
      verified++
      validSize = size
      return
    }
    // After the first broken checkpoint all later ones are broken too.
    if (broken.length > 0) return
    const proven = stored !== undefined && (await storedTreeMatches(stored, checkpoint))
    const start = validSize + 1
    const where = start === 1 ? `The first ${size} events` : `Of events ${start} to ${size} of the log some`
    const beside = proven
      ? ' The tree that is kept beside it still shows what was signed: what differs from it is named here.'
      : ''
    broken.push({ what: 'changed', message: `${where} are not those of the checkpoint of ${size} events.${beside}` })
  }

  const reach = async (size: number): Promise<void> => {
    for (; due[0] !== undefined && due[0].size <= size;) await compare(due.shift() as TreeCheckpoint)
  }

  return {
    addEvent: async (event: RecordedEvent): Promise<void> => {
      if (tree.size() === 0) await reach(0)
      const leaf = leafHash(entryOf(event))
      tree.add(leaf)
      await comparison?.compare(event, leaf)
      await reach(tree.size())
    },
    end: async (): Promise<Finding[]> => {
      const missing = due.map(({ size }): Finding => ({
        what: 'removed',
        message: `The checkpoint is of ${size} events, and the log has ${tree.size()}.`,
      }))
      return [...contradictory, ...broken, ...missing.slice(0, 1), ...((await comparison?.end()) ?? [])]
    },
    head: () => ({ size: tree.size(), root: tree.root() }),
    /** Number of checkpoints that the log extends. */
    verifiedCount: () => verified,
  }
}

export type TreeAudit = ReturnType<typeof makeTreeAudit>

const storedTreeMatches = async (stored: StoredTree, { size, root }: TreeCheckpoint): Promise<boolean> =>
  stored.size >= size && (await stored.tree.rootAt(size)).equals(root)

const batchLeaves = 4096

/** Computes the root of a tree from its leaves. @param from the edge of the tree that they extend */
export const makeGrowingTree = (from: { readonly edge: TreeEdge; readonly size: number } = { edge: [], size: 0 }) => {
  let { edge, size } = from
  let waiting: Buffer[] = []
  const addWaiting = (): void => {
    if (waiting.length > 0) edge = addLeaves(edge, waiting).edge
    waiting = []
  }
  return {
    size: () => size,
    add: (leaf: Buffer): void => {
      waiting.push(leaf)
      size++
      if (waiting.length === batchLeaves) addWaiting()
    },
    root: (): Buffer => {
      addWaiting()
      const tiles = new Map(edge.map((tile) => [tileKey(tile), tile]))
      return rootsFrom(tiles, [{ from: 0, to: size }])[0] ?? emptyRoot
    },
  }
}
