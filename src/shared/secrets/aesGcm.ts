import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ivLength = 12
const tagLength = 16

/**
 * Encrypts a text with AES-256-GCM. @param bound additional authenticated data, also needed to decrypt @returns
 * `<iv>:<ciphertext and tag>`, both base64url
 */
export const encrypt = (key: Buffer, plain: string, bound = ''): string => {
  const iv = randomBytes(ivLength)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${iv.toString('base64url')}:${body.toString('base64url')}`
}

export const isEncrypted = (text: string): boolean => {
  const [iv = '', body = '', ...more] = text.split(':').map((part) => Buffer.from(part, 'base64url'))
  return more.length === 0 && iv.length === ivLength && body.length >= tagLength
}

/** Decrypts the result of {@link encrypt}. @throws Error when the key differs or the text was changed */
export const decrypt = (key: Buffer, text: string, bound = ''): string => {
  const [iv, body] = text.split(':').map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer]
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength }).setAAD(Buffer.from(bound))
  decipher.setAuthTag(body.subarray(-tagLength))
  return decipher.update(body.subarray(0, -tagLength), undefined, 'utf8') + decipher.final('utf8')
}

/** Entities have UUIDs of version 5, opaque ids have version 8. */
const [own, opaque] = [5, 8]

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const textOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')

const withVersion = (bytes: Buffer, version: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[6] = ((bytes[6] as number) & 0x0f) | (version << 4)
  return copy
}

const isOpaque = (bytes: Buffer): boolean => (bytes[6] as number) >> 4 === opaque && (bytes[8] as number) >> 6 === 0b10

/**
 * Opaque ids for entities that a caller may not view: a real id derives from a name, so a word list could reveal it. They
 * are a permutation of all opaque UUIDs: a block cipher is applied until the result is one.
 * @param key 16 bytes
 */
export const makeOpaqueIds = (key: Buffer) => {
  const walk = (make: typeof createCipheriv | typeof createDecipheriv, from: Buffer): Buffer => {
    const cipher = make('aes-128-ecb', key, null).setAutoPadding(false)
    let bytes = from
    do bytes = cipher.update(bytes)
    while (!isOpaque(bytes))
    return bytes
  }
  return {
    /** The opaque UUID of an entity, always the same. */
    hideId: (id: string): string => textOf(walk(createCipheriv, withVersion(bytesOf(id), opaque))),
    /** The inverse of `hideId`; other ids are returned unchanged. */
    revealId: (id: string): string => {
      const bytes = bytesOf(id)
      return isOpaque(bytes) ? textOf(withVersion(walk(createDecipheriv, bytes), own)) : id
    },
  }
}

export type OpaqueIds = ReturnType<typeof makeOpaqueIds>
