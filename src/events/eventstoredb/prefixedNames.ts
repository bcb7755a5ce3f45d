/** Allowed prefixes; a leading `$` is reserved by the store. */
const prefixPattern = /^(?!\$)[\w.:$-]*$/

/**
 * Maps stream names to names in a store that others may use too, of the form `<prefix><kind>-<uuid>`; without `kinds` any kind of letters is accepted. @throws RangeError
 * for an invalid prefix or kind
 */
export const makeStreamNames = (prefix: string, kinds: readonly string[] | undefined) => {
  if (!prefixPattern.test(prefix)) throw new RangeError('A stream prefix is made of letters, digits and ". : _ - $".')
  const odd = kinds?.find((kind) => !/^[a-zA-Z]\w*$/.test(kind))
  if (odd !== undefined) throw new RangeError(`No stream name can begin with ${odd}.`)
  const kind = kinds ? `(${kinds.join('|')})` : '[a-zA-Z]+'
  const pattern = `^${prefix.replaceAll(/[.$]/g, String.raw`\$&`)}${kind}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`
  const ours = new RegExp(pattern)
  return {
    /** Name in the store. */
    storeNameOf: (stream: string): string => prefix + stream,
    localNameOf: (name: string): string => name.slice(prefix.length),
    isLocal: (name: string): boolean => ours.test(name),
    /** Regular expression for the names of this catalog's streams, valid for the store and for JavaScript. */
    pattern,
  }
}

export type StreamNames = ReturnType<typeof makeStreamNames>
