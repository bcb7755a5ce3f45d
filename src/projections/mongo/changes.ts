import type { Changes } from './generations.ts'
import { numberText } from './texts.ts'

/** A document that was written, and the position of the newest event that it shows. */
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

interface Written {
  readonly after: bigint
  readonly position: bigint
  readonly changes: readonly Change[]
}

const idsOf = (changes: readonly Change[]): Buffer => {
  const bytes = Buffer.allocUnsafe(changes.length * changeBytes)
  for (const [index, { id, position }] of changes.entries()) {
    bytes.write(id.replaceAll('-', ''), index * changeBytes, idBytes, 'hex')
    bytes.writeBigUInt64BE(position, index * changeBytes + idBytes)
  }
  return bytes
}

const kindsOf = (changes: readonly Change[]): Changes['kinds'] => {
  const kinds = new Map<string, bigint>()
  for (const { kind, position } of changes) if (position > (kinds.get(kind) ?? -1n)) kinds.set(kind, position)
  return Object.fromEntries([...kinds].map(([kind, position]) => [kind, numberText(position)]))
}

/**
 * What the process that projects tells the others with each checkpoint: which documents were written lately. They are
 * those of all events behind a position, whoever wrote them before.
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
      batches.push({ after, position, changes })
      let count = batches.reduce((sum, each) => sum + each.changes.length, 0)
      while (batches.length > 0) {
        const { length } = (batches[0] as Written).changes
        if (count <= atMost && (batches.length <= 2 || count - length < atLeast)) break
        batches.shift()
        count -= length
      }
      const all = batches.flatMap((each) => each.changes)
      const since = batches[0]?.after ?? position
      return { since: numberText(since), to: numberText(position), ids: idsOf(all), kinds: kindsOf(all) }
    },
  }
}

/** Reads the ids of changes with their positions. */
export const changedIds = ({ ids }: Pick<Changes, 'ids'>): Pick<Change, 'id' | 'position'>[] => {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)
  return Array.from({ length: bytes.length / changeBytes }, (_, index) => {
    const hex = bytes.toString('hex', index * changeBytes, index * changeBytes + idBytes)
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    return { id, position: bytes.readBigUInt64BE(index * changeBytes + idBytes) }
  })
}
