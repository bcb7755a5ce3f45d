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

/** Compares by code points, as the engines do: JavaScript compares code units. */
export const compareCodePoints = (a: string, b: string): number => {
  const [left, right] = [encodeOrder(a), encodeOrder(b)]
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The range of texts with this prefix. */
export const prefixRange = (beginning: string): { $gte: string; $lt: string } => {
  const characters = [...beginning]
  const last = (characters.pop() as string).codePointAt(0) as number
  return { $gte: beginning, $lt: characters.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1) }
}

/** Separator of FQN and id in a place, lower than any character of a name. */
const separator = '\u0001'
const afterSeparator = '\u0002'

export interface PlaceRange {
  $gt?: string
  $gte?: string
  $lt?: string
  $lte?: string
}

/** The list order by FQN and id as one text: a keyset page is one range of it. */
export const placeOf = (fqn: string, id: string): string => encodeOrder(fqn) + separator + id

export const fqnIn = (place: string, id: string): string => decodeOrder(place.slice(0, -1 - id.length))

/** The range of places with this FQN. */
export const placesOf = (fqn: string): { $gt: string; $lt: string } => {
  const text = encodeOrder(fqn)
  return { $gt: text + separator, $lt: text + afterSeparator }
}

/** The range of places below this FQN. */
export const placesBelow = (fqn: string): { $gte: string; $lt: string } => {
  const text = encodeOrder(fqn)
  return { $gte: `${text}.`, $lt: `${text}/` }
}

/** The deepest of nested FQNs; `undefined` if they are not nested, so that nothing is below all of them. */
export const deepest = (scopes: readonly string[]): string | undefined => {
  const last = scopes.reduce((longest, scope) => (scope.length > longest.length ? scope : longest), '')
  return scopes.every((scope) => scope === last || last.startsWith(`${scope}.`)) ? last : undefined
}

/** The range below all of these nested FQNs; none if they are not nested. */
export const rangeBelow = (scopes: readonly string[]): PlaceRange | undefined => {
  const last = deepest(scopes)
  if (last === undefined) return undefined
  return last === '' ? {} : placesBelow(last)
}

/** The part of the range on one side of a place. */
export const clipped = (
  range: PlaceRange,
  side: '$gt' | '$gte' | '$lt' | '$lte',
  place: string | undefined,
): PlaceRange => {
  if (place === undefined) return range
  const isLower = side === '$gt' || side === '$gte'
  const [beyond, from] = isLower ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const)
  const { [beyond]: exclusive, [from]: bound = exclusive, ...others } = range
  const isOutside = bound !== undefined && (isLower ? place < bound : place > bound)
  return isOutside || place === exclusive ? range : { ...others, [side]: place }
}
