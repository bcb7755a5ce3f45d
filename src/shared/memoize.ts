/** Calls `work` once per object and caches the result by weak reference; `undefined` is not cached. */
export const memoize = <Of extends object, T>(work: (of: Of) => T) => {
  const known = new WeakMap<Of, T>()
  const memoized = (of: Of): T => {
    let found = known.get(of)
    if (found === undefined) known.set(of, (found = work(of)))
    return found
  }
  return Object.assign(memoized, { forget: (of: Of): void => void known.delete(of) })
}

/** Calls `work` once per key and caches the result. */
export const memoizeByKey = <Key, Value>(work: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key)
    if (value !== undefined || known.has(key)) return value as Value
    const made = work(key)
    known.set(key, made)
    return made
  }
}
