import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string => prefix + randomBytes(32).toString('base64')

/** The key in a secret (`whsec_` and 24 to 64 bytes in base64); `undefined` if it is malformed. */
const keyOf = (secret: string): Buffer | undefined => {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : ''
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64')
  const isWhole = key.toString('base64').replaceAll('=', '') === text.replaceAll('=', '')
  return key.length >= 24 && key.length <= 64 && isWhole ? key : undefined
}

export const isSecret = (text: string): boolean => keyOf(text) !== undefined

/** The headers of Standard Webhooks: HMAC-SHA256 over `<id>.<timestamp>.<body>`, with the time of sending. */
export const signatureHeaders = (secret: string, id: string, time: Date, body: string): Record<string, string> => {
  const key = keyOf(secret)
  if (key === undefined) throw new TypeError('The secret of the webhook is malformed.')
  const timestamp = String(Math.floor(time.getTime() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
