import { hash } from 'node:crypto'

const sha256 = (...parts: Buffer[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

/** The root of the hashes of leaves by the definition of RFC 9162, 2.1.1, word for word. */
export const naiveRoot = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leaves[0] as Buffer
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  return sha256(Buffer.from([1]), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}
