import { hash } from 'node:crypto'
import { ProofMismatch } from '../../src/transparency/merkle.ts'

const sha256 = (...parts: Buffer[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.from([1]), left, right)

/** The largest power of two below. */
const split = (size: number): number => 2 ** (Math.ceil(Math.log2(size)) - 1)

/** The root of the hashes of leaves by the definition of RFC 9162, 2.1.1, word for word. */
export const naiveRoot = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leaves[0] as Buffer
  const k = split(leaves.length)
  return nodeHash(naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

interface Inclusion {
  readonly leaf: number
  readonly size: number
  readonly hash: Buffer
  readonly root: Buffer
}

const rootBy = (leaf: number, size: number, hashed: Buffer, proof: readonly Buffer[]): Buffer => {
  const other = proof.at(-1)
  if (size === 1 && other === undefined) return hashed
  if (size < 2 || other === undefined) throw new ProofMismatch('The proof has another length.')
  const [k, rest] = [split(size), proof.slice(0, -1)]
  return leaf < k
    ? nodeHash(rootBy(leaf, k, hashed, rest), other)
    : nodeHash(other, rootBy(leaf - k, size - k, hashed, rest))
}

/** Checks an inclusion proof by the definition of RFC 9162, 2.1.3.1. @throws ProofMismatch */
export const checkInclusion = ({ leaf, size, hash: hashed, root }: Inclusion, proof: readonly Buffer[]): void => {
  if (leaf >= size || !rootBy(leaf, size, hashed, proof).equals(root)) throw new ProofMismatch('The leaf is not there.')
}
