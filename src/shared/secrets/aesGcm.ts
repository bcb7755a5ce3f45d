import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ivLength = 12
const tagLength = 16

/**
 * Encrypts a text with AES-256-GCM: `<iv>:<ciphertext and tag>`, both base64url. @param bound what it opens with alone
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

/** Decrypts what {@link encrypt} made. @throws Error when the key is another one, or the text was changed */
export const decrypt = (key: Buffer, text: string, bound = ''): string => {
  const [iv, body] = text.split(':').map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer]
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength }).setAAD(Buffer.from(bound))
  decipher.setAuthTag(body.subarray(-tagLength))
  return decipher.update(body.subarray(0, -tagLength), undefined, 'utf8') + decipher.final('utf8')
}
