import { hkdfSync } from 'node:crypto'
import type { JsonObject } from '../shared/json.ts'
import { makeOpaqueIds, type OpaqueIds, decrypt, encrypt, isEncrypted } from '../shared/secrets/aesGcm.ts'
import type { SecretCodec } from '../kinds/defineKind.ts'

/** A secret was encrypted with another key, or was modified. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError'
}

/** Part of the storage format: stored secrets could not be decrypted if it changed. */
const format = 'v1'
const purpose = 'metadata catalog: sealed secrets'
const purposeOfIds = 'metadata catalog: opaque ids'

/** The result of {@link encrypt}; `undefined` for an unknown format. */
const bodyOf = (sealed: JsonObject): string | undefined => {
  const text = sealed['$sealed']
  if (typeof text !== 'string' || !text.startsWith(`${format}:`)) return undefined
  const body = text.slice(format.length + 1)
  return isEncrypted(body) ? body : undefined
}

/**
 * Encrypts secrets with AES-256-GCM: `{ $sealed: 'v1:<iv>:<ciphertext and tag>' }`, in base64url.
 * @param secret any text with enough entropy; the key is derived from it
 */
export const makeSecretCodec = (secret: string): SecretCodec & OpaqueIds => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    ...makeOpaqueIds(Buffer.from(hkdfSync('sha256', secret, '', purposeOfIds, 16))),
    seal: (plain) => ({ $sealed: `${format}:${encrypt(key, plain)}` }),
    open: (sealed) => {
      const body = bodyOf(sealed)
      if (body === undefined) throw new DecryptionError('This is not a sealed secret of a form that is known here.')
      try {
        return decrypt(key, body)
      } catch (error) {
        throw new DecryptionError(
          'A sealed secret does not open: the key (CATALOG_SECRET_KEY, or the file in the data folder) is not the ' +
            'one that sealed it.',
          { cause: error },
        )
      }
    },
  }
}
