import { hash } from 'node:crypto'
import { CatalogError } from '../shared/errors/namedError.ts'

export const hashLength = 32

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')

export const emptyRoot: Buffer = sha256(Buffer.alloc(0))

/** Hash of a leaf (RFC 6962 and RFC 9162, 2.1.1): SHA-256 of a zero byte and the entry. */
export const leafHash = (entry: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.from([0]), entry]))

const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.from([1]), left, right]))

/** Leaves from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A complete subtree: the `index`-th of those with `2 ** level` leaves. */
export interface Node {
  readonly level: number
  readonly index: number
}

const widthOf = ({ from, to }: Range): number => to - from

const isPowerOfTwo = (width: number): boolean => 2 ** Math.floor(Math.log2(width)) === width

/** Divides a range at the largest power of two that is smaller than its width, which is at least two. */
const halvesOf = ({ from, to }: Range): [left: Range, right: Range] => {
  const power = 2 ** Math.floor(Math.log2(to - from))
  const middle = from + (power === to - from ? power / 2 : power)
  return [
    { from, to: middle },
    { from: middle, to },
  ]
}

/** The complete subtrees of a range of a proof, from left to right. */
export const rangeNodes = (range: Range): Node[] => {
  const width = widthOf(range)
  if (width === 0) return []
  if (isPowerOfTwo(width)) return [{ level: Math.log2(width), index: range.from / width }]
  return halvesOf(range).flatMap(rangeNodes)
}

/** Root of a range whose nodes are known. */
export const rangeRoot = (range: Range, hashOf: (node: Node) => Buffer): Buffer => {
  const hashes = rangeNodes(range).map(hashOf)
  return hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => nodeHash(left, right))
}

/** Root of adjacent hashes whose number is a power of two. */
export const subtreeRoot = (hashes: Buffer): Buffer => {
  let level = hashes
  while (level.length > hashLength) {
    const parents: Buffer[] = []
    for (let at = 0; at < level.length; at += 2 * hashLength)
      parents.push(nodeHash(level.subarray(at, at + hashLength), level.subarray(at + hashLength, at + 2 * hashLength)))
    level = Buffer.concat(parents)
  }
  return level
}

/** The ranges whose roots prove that a leaf is in the tree of `size` leaves (RFC 9162, 2.1.3.1), lowest first. */
export const inclusionRanges = (leaf: number, size: number): Range[] => {
  const ranges: Range[] = []
  for (let range: Range = { from: 0, to: size }; widthOf(range) > 1;) {
    const [left, right] = halvesOf(range)
    ranges.push(leaf < left.to ? right : left)
    range = leaf < left.to ? left : right
  }
  return ranges.toReversed()
}

/** The ranges whose roots prove that the tree of `size` leaves begins with that of `first` (RFC 9162, 2.1.4.1). */
export const consistencyRanges = (first: number, size: number): Range[] => {
  if (first === 0 || first === size) return []
  const ranges: Range[] = []
  let range: Range = { from: 0, to: size }
  while (range.to !== first) {
    const [left, right] = halvesOf(range)
    ranges.push(first <= left.to ? right : left)
    range = first <= left.to ? left : right
  }
  return (range.from === 0 ? ranges : [...ranges, range]).toReversed()
}

export class ProofMismatch extends CatalogError {
  override readonly name = 'ProofMismatch'
}

const mustBe = (condition: boolean, message: string): void => {
  if (!condition) throw new ProofMismatch(message)
}

export interface TreeHead {
  readonly size: number
  readonly root: Buffer
}

/** Checks that the second tree begins with the first, as RFC 9162, 2.1.4.2 does. @throws ProofMismatch */
export const checkConsistency = (first: TreeHead, second: TreeHead, proof: readonly Buffer[]): void => {
  mustBe(first.size <= second.size, `The log had ${first.size} events and has ${second.size}.`)
  if (first.size === second.size || first.size === 0) {
    mustBe(proof.length === 0, 'The proof is too long.')
    const root = first.size === 0 ? emptyRoot : second.root
    mustBe(
      first.root.equals(root),
      `The log of ${first.size} events was changed: two checkpoints of the same size differ.`,
    )
    return
  }
  const path = isPowerOfTwo(first.size) ? [first.root, ...proof] : proof
  mustBe(path.length > 0, 'The proof is too short.')
  let [node, last] = [first.size - 1, second.size - 1]
  for (; node % 2 === 1; last = Math.floor(last / 2)) node = Math.floor(node / 2)
  let [old, now] = [path[0] as Buffer, path[0] as Buffer]
  for (const other of path.slice(1)) {
    mustBe(last > 0, 'The proof is too long.')
    const isLeft = node % 2 === 1 || node === last
    if (isLeft) old = nodeHash(other, old)
    now = isLeft ? nodeHash(other, now) : nodeHash(now, other)
    if (isLeft) for (; node % 2 === 0 && node !== 0; last = Math.floor(last / 2)) node /= 2
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  mustBe(last === 0, 'The proof is too short.')
  mustBe(old.equals(first.root), `The first ${first.size} events of the log are not those that it had.`)
  mustBe(now.equals(second.root), 'The proof does not lead to the tree that the log has now.')
}
