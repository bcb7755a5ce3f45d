import { StoreFailed } from '../../../stores/errors.ts'

/** Where the value of a field begins and ends; that of a number is read with {@link numberAt}. */
export type Visit = (field: number, from: number, to: number) => void

/** A part of a message: from here on, up to there exclusively. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A message breaks off, or is none. */
export class BrokenMessage extends StoreFailed {
  override readonly name = 'BrokenMessage'
  constructor() {
    super('The event store sent a message that cannot be read.')
  }
}

const endOfNumber = (bytes: Uint8Array, from: number): number => {
  let at = from
  while ((bytes[at] ?? 0) >= 0x80) at++
  if (at >= bytes.length) throw new BrokenMessage()
  return at + 1
}

/** A number of up to 28 bits, as tags and lengths are. */
const smallAt = (bytes: Uint8Array, from: number, to: number): number => {
  let value = 0
  for (let at = to - 1; at >= from; at--) value = value * 128 + ((bytes[at] as number) & 0x7f)
  return value
}

/** A number without a sign, of up to 64 bits. */
export const numberAt = (bytes: Uint8Array, from: number, to: number): bigint => {
  if (to - from <= 7) return BigInt(smallAt(bytes, from, to))
  const middle = from + 7
  return BigInt.asUintN(64, (numberAt(bytes, middle, to) << 49n) + BigInt(smallAt(bytes, from, middle)))
}

/** Bytes of values that always have as many, by their type on the wire. */
const fixed: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/** Goes through the fields of a message in the order in which they were written. @throws BrokenMessage */
export const eachField = (bytes: Uint8Array, from: number, to: number, visit: Visit): void => {
  for (let at = from; at < to;) {
    const tagEnd = endOfNumber(bytes, at)
    const tag = smallAt(bytes, at, tagEnd)
    const type = tag & 7
    let begin = tagEnd
    let end: number
    if (type === 0) end = endOfNumber(bytes, begin)
    else if (type === 2) {
      begin = endOfNumber(bytes, tagEnd)
      end = begin + smallAt(bytes, tagEnd, begin)
    } else end = begin + (fixed[type] ?? Number.NaN)
    if (!(end <= to)) throw new BrokenMessage()
    visit(Math.floor(tag / 8), begin, end)
    at = end
  }
}
