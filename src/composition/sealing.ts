import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { JsonObject } from '../shared/json.ts'
import type { Sealer } from '../kinds/defineKind.ts'

/** A sealed secret was sealed with another key, or was changed since. */
export class CannotOpenSecret extends Error {
  override readonly name = 'CannotOpenSecret'
}

/** Part of the storage format: neither changes, or nothing that was sealed opens any more. */
const format = 'v1'
const purpose = 'metadata catalog: sealed secrets'

const ivLength = 12
const tagLength = 16

const split = (sealed: JsonObject): { iv: Buffer; body: Buffer } | undefined => {
  const text = sealed['$sealed']
  const parts = typeof text === 'string' ? text.split(':') : []
  if (parts.length !== 3 || parts[0] !== format) return undefined
  const [iv, body] = parts.slice(1).map((part) => Buffer.from(part, 'base64url'))
  return iv?.length === ivLength && body !== undefined && body.length >= tagLength ? { iv, body } : undefined
}

/**
 * Seals secrets for the log with AES-256-GCM: `{ $sealed: 'v1:<iv>:<ciphertext and tag>' }`, both base64url.
 * `open` throws {@link CannotOpenSecret} when the key is another one or the text was changed.
 * @param secret any text with enough randomness, e.g. of `CATALOG_SECRET_KEY` or of the file in the data folder;
 * the key is derived from it
 */
export const makeTools = (secret: string): Sealer => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    seal: (plain) => {
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return { $sealed: `${format}:${iv.toString('base64url')}:${body.toString('base64url')}` }
    },
    open: (sealed) => {
      const parts = split(sealed)
      if (!parts) throw new CannotOpenSecret('This is no sealed secret of a form that is known here.')
      const decipher = createDecipheriv('aes-256-gcm', key, parts.iv, { authTagLength: tagLength })
      decipher.setAuthTag(parts.body.subarray(-tagLength))
      try {
        return decipher.update(parts.body.subarray(0, -tagLength), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new CannotOpenSecret(
          'A sealed secret does not open: the key (CATALOG_SECRET_KEY, or the file in the data folder) is not the ' +
            'one that sealed it.',
          { cause: error },
        )
      }
    },
  }
}
