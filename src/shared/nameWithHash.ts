import { createHash } from 'node:crypto'

/** A name, cut where it is long, with a part of the hash of a text: names that begin alike stay different. */
export const nameWithHash = (name: string, text: string): string =>
  `${[...name].slice(0, 243).join('')}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
