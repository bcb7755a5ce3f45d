import { randomUUID } from 'node:crypto'

/**
 * UUIDv7 (RFC 9562): it begins with the time, so that what is indexed by many of them grows at its end.
 * @param time epoch milliseconds
 */
export const orderedUuid = (time: number = Date.now()): string => {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${randomUUID().slice(15)}`
}
