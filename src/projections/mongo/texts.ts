/** A revision or position as 20 digits, whose text order is the numeric order on every server. */
export const numberText = (value: bigint): string => String(value).padStart(20, '0')

/** Characters that UTF-16 and UTF-8 order differently, and their escape character. */
const misordered = /[\u{10000}-\u{10ffff}\uffff]/gu
const marked = /\uffff([\s\S])([\s\S]?)/g
const offset = 0x100

/**
 * Encodes a text so that UTF-16 and UTF-8 order it by code points, since servers compare either. A character above
 * U+FFFF becomes U+FFFF followed by its halves as lower characters.
 */
export const encodeOrder = (text: string): string =>
  text.replace(misordered, (character) => {
    const code = character.codePointAt(0) as number
    if (code === 0xffff) return '\uffff\u0001\u0001'
    const rest = code - 0x10000
    return `\uffff${String.fromCharCode(offset + (rest >> 10), offset + (rest & 0x3ff))}`
  })

export const decodeOrder = (text: string): string =>
  text.replace(marked, (_, high: string, low: string) =>
    high === '\u0001'
      ? '\uffff'
      : String.fromCodePoint(0x10000 + ((high.charCodeAt(0) - offset) << 10) + low.charCodeAt(0) - offset),
  )

/** The range of texts with this prefix. */
export const prefixRange = (beginning: string): { $gte: string; $lt: string } => {
  const characters = [...beginning]
  const last = (characters.pop() as string).codePointAt(0) as number
  return { $gte: beginning, $lt: characters.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1) }
}
