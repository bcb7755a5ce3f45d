import { hash, randomUUID } from 'node:crypto'

/** Namespace of the catalog's name-based UUIDs. Part of the storage format: it never changes. */
const namespace = Buffer.from('6f1c1f0ae4c95c5c8e0d3c2b7a9d4e10', 'hex')

/** Digits that encode the variant. */
const variants = ['8', '9', 'a', 'b']

/** UUIDv5 (RFC 9562) in the catalog's namespace: an entity's id is `nameUuid(kind:naturalKey)`. */
export const nameUuid = (name: string): string => {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]))
  const variant = variants[Number.parseInt(hex[16] as string, 16) & 3] as string
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** UUIDv7 (RFC 9562): begins with epoch milliseconds, so that an index grows at its end. */
export const orderedUuid = (time: number = Date.now()): string => {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${randomUUID().slice(15)}`
}
