import type { RecordedEvent } from '../../events/events.ts'
import { nameOf, type Finding } from '../../events/transfer/logAudit.ts'
import type { TreeCheckpoint } from '../../transparency/checkpoint.ts'
import { leafHash, emptyRoot } from '../../transparency/merkle.ts'
import type { LogTree, LeafAt } from './tree.ts'
import { entryOf } from './treeProjection.ts'
import { addLeaves, rootsFrom, tileKey, type TreeEdge } from '../../transparency/tiles.ts'

interface Differing {
  readonly first: string
  count: number
}

/** An event whose leaf the tree has at another index, or not at all. */
interface UnmatchedEvent {
  readonly name: string
  readonly stream: string
  readonly position: bigint
}

/** Largest number of events and leaves that are kept until they are matched with each other. */
const maxUnmatched = 100_000

/** Distinguishes moved events from inserted and removed ones: events after an insertion have only moved. */
const makeMoves = () => {
  const events = new Map<string, UnmatchedEvent>()
  const leaves = new Map<string, bigint>()
  const streams = new Map<string, Differing>()
  let first: string | undefined
  let moved = 0
  const change = ({ name, stream }: UnmatchedEvent): void => {
    const found = streams.get(stream)
    if (found) found.count++
    else streams.set(stream, { first: name, count: 1 })
  }
  const move = ({ name }: UnmatchedEvent, to: bigint): void => {
    first ??= `${name} is at position ${to} in the tree`
    moved++
  }
  return {
    differs: (event: UnmatchedEvent, leaf: Buffer, stored: Buffer): void => {
      const [is, was] = [leaf.toString('base64'), stored.toString('base64')]
      const elsewhere = events.get(was)
      if (elsewhere) move(elsewhere, event.position)
      else if (leaves.size < maxUnmatched) leaves.set(was, event.position)
      events.delete(was)
      const from = leaves.get(is)
      if (from !== undefined) move(event, from)
      else if (events.size < maxUnmatched) events.set(is, event)
      else change(event)
      leaves.delete(is)
    },
    end: (): Finding[] => {
      for (const event of events.values()) change(event)
      const changed = [...streams].map(([stream, { first: name, count }]): Finding => ({
        what: 'changed',
        message:
          `${name} is not what was written: the tree has another leaf there` +
          `${count === 1 ? '' : `, and for ${count - 1} more of ${stream}`}.`,
      }))
      if (first === undefined) return changed
      const others =
        moved === 1 ? '' : `, and ${moved - 1} more ${moved === 2 ? 'stands' : 'stand'} elsewhere than in the tree`
      return [...changed, { what: 'reordered', message: `${first}${others}.` }]
    },
  }
}

const makeComparison = (leaves: AsyncIterator<LeafAt>) => {
  const moves = makeMoves()
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
      const { stream, position } = event
      if (!next.hash.equals(leaf)) moves.differs({ name: nameOf(event), stream, position }, leaf, next.hash)
      await advance()
    },
    end: async (): Promise<Finding[]> => {
      if (!begun) await advance()
      await skipRemoved(2n ** 63n)
      const cut = removed.map((position): Finding => ({
        what: 'removed',
        message: `The tree has a leaf for position ${position}, where the log has no event.`,
      }))
      const more: Finding[] =
        gone > removed.length ? [{ what: 'removed', message: `So it is for ${gone - removed.length} more.` }] : []
      const added = inserted.map((name): Finding => ({ what: 'inserted', message: `${name} is not in the tree.` }))
      return [...moves.end(), ...cut, ...more, ...added]
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

const maxNamedStreams = 10

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
  /** Streams with events after the last valid checkpoint, up to the first broken one. */
  let since = new Set<string>()

  const compare = async (checkpoint: TreeCheckpoint): Promise<void> => {
    const { size } = checkpoint
    if (tree.root().equals(checkpoint.root)) {
      verified++
      validSize = size
      since = new Set()
      return
    }
    // After the first broken checkpoint all later ones are broken too.
    if (broken.length > 0) return
    const proven = stored !== undefined && (await storedTreeMatches(stored, checkpoint))
    const named = [...since].slice(0, maxNamedStreams)
    const start = validSize + 1
    const where = start === 1 ? `The first ${size} events` : `Of events ${start} to ${size} of the log some`
    const who = proven
      ? 'The tree that is kept beside it still shows what was signed: what differs from it is named here.'
      : `The tree beside it does not show what was signed either. It may be any of ${since.size} streams: ` +
        `${named.join(', ')}${since.size > named.length ? ' …' : ''}.`
    broken.push({ what: 'changed', message: `${where} are not those of the checkpoint of ${size} events. ${who}` })
  }

  const reach = async (size: number): Promise<void> => {
    for (; due[0] !== undefined && due[0].size <= size;) await compare(due.shift() as TreeCheckpoint)
  }

  return {
    addEvent: async (event: RecordedEvent): Promise<void> => {
      if (tree.size() === 0) await reach(0)
      const leaf = leafHash(entryOf(event))
      tree.add(leaf)
      if (due.length > 0) since.add(event.stream)
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
