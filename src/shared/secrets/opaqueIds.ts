import { createCipheriv, createDecipheriv } from 'node:crypto'

/** Ids as those see them who may not know whose they are: an id is made of a name, so that a word list would find it. */
export interface OpaqueIds {
  /** The UUID that stands for an entity's, the same each time. */
  hideId(id: string): string
  /** What {@link OpaqueIds.hideId} hid; any other id as it is. */
  revealId(id: string): string
}

/** Entities have UUIDs of version 5, what stands for them has version 8. */
const [own, opaque] = [5, 8]

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const textOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')

const versionOf = (bytes: Buffer): number => (bytes[6] as number) >> 4

const withVersion = (bytes: Buffer, version: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[6] = ((bytes[6] as number) & 0x0f) | (version << 4)
  return copy
}

const isOpaque = (bytes: Buffer): boolean => versionOf(bytes) === opaque && (bytes[8] as number) >> 6 === 0b10

/** A permutation of all opaque UUIDs: a block cipher goes on until it comes to one again. @param key of 16 bytes */
export const makeOpaqueIds = (key: Buffer): OpaqueIds => {
  const walk = (make: typeof createCipheriv | typeof createDecipheriv, from: Buffer): Buffer => {
    const cipher = make('aes-128-ecb', key, null).setAutoPadding(false)
    let bytes = from
    do bytes = cipher.update(bytes)
    while (!isOpaque(bytes))
    return bytes
  }
  return {
    hideId: (id) => textOf(walk(createCipheriv, withVersion(bytesOf(id), opaque))),
    revealId: (id) => {
      const bytes = bytesOf(id)
      return isOpaque(bytes) ? textOf(withVersion(walk(createDecipheriv, bytes), own)) : id
    },
  }
}
