import type { Changes } from './generations.ts'
import { numberText } from './texts.ts'

export interface Change {
  readonly id: string
  readonly kind: string
  readonly position: bigint
}

/** So many changes are told at least, and those of the last two batches, but never more than this. */
const atLeast = 128
const atMost = 2000

/** Bytes of an id, and of one with its position. */
const idBytes = 16
const changeBytes = 24

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A batch that is told of. What it tells is worked out once, however often it is told. */
interface Written {
  readonly after: bigint
  readonly position: bigint
  readonly count: number
  readonly ids: Buffer
  /** Newest position of each kind. */
  readonly kinds: ReadonlyMap<string, bigint>
}

const idsOf = (changes: readonly Change[]): Buffer => {
  const bytes = Buffer.allocUnsafe(changes.length * changeBytes)
  for (const [index, { id, position }] of changes.entries()) {
    bytes.write(id.replaceAll('-', ''), index * changeBytes, idBytes, 'hex')
    bytes.writeBigUInt64BE(position, index * changeBytes + idBytes)
  }
  return bytes
}

const newestOf = (changes: Iterable<readonly [kind: string, position: bigint]>): Map<string, bigint> => {
  const kinds = new Map<string, bigint>()
  for (const [kind, position] of changes) if (position > (kinds.get(kind) ?? -1n)) kinds.set(kind, position)
  return kinds
}

const writtenOf = (after: bigint, position: bigint, changes: readonly Change[]): Written => ({
  after,
  position,
  count: changes.length,
  ids: idsOf(changes),
  kinds: newestOf(changes.map((change) => [change.kind, change.position])),
})

const kindsIn = (batches: readonly Written[]): Changes['kinds'] => {
  const newest = newestOf(batches.flatMap(({ kinds }) => [...kinds]))
  return Object.fromEntries([...newest].map(([kind, position]) => [kind, numberText(position)]))
}

/**
 * What the process that projects tells the others with each checkpoint: the documents of all events behind a position.
 */
export const makeChanges = () => {
  let batches: Written[] = []
  return {
    /** @returns `undefined` when nothing is known of what came before, or an id cannot be told */
    add: (after: bigint | undefined, position: bigint, changes: readonly Change[]): Changes | undefined => {
      if (batches.at(-1)?.position !== after) batches = []
      if (after === undefined || !changes.every(({ id }) => uuid.test(id))) {
        batches = []
        return undefined
      }
      const last = batches.at(-1)
      if (last !== undefined && changes.length === 0) batches[batches.length - 1] = { ...last, position }
      else batches.push(writtenOf(after, position, changes))
      let count = batches.reduce((sum, each) => sum + each.count, 0)
      while (batches.length > 0) {
        const oldest = batches[0] as Written
        if (count <= atMost && (batches.length <= 2 || count - oldest.count < atLeast)) break
        batches.shift()
        count -= oldest.count
      }
      const since = batches[0]?.after ?? position
      const ids = Buffer.concat(batches.map((each) => each.ids))
      return { since: numberText(since), to: numberText(position), ids, kinds: kindsIn(batches) }
    },
  }
}

export const changedIds = ({ ids }: Pick<Changes, 'ids'>): Pick<Change, 'id' | 'position'>[] => {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)
  return Array.from({ length: bytes.length / changeBytes }, (_, index) => {
    const hex = bytes.toString('hex', index * changeBytes, index * changeBytes + idBytes)
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    return { id, position: bytes.readBigUInt64BE(index * changeBytes + idBytes) }
  })
}
