/** A revision or position as 20 digits, whose text order is the numeric order on every server. */
export const numberText = (value: bigint): string => String(value).padStart(20, '0')

/** The range of texts with this prefix. */
export const prefixRange = (beginning: string): { $gte: string; $lt: string } => {
  const characters = [...beginning]
  const last = (characters.pop() as string).codePointAt(0) as number
  return { $gte: beginning, $lt: characters.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1) }
}
