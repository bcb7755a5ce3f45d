import { useMemo, useRef } from 'react'

interface Staying<T> {
  readonly thing: T
  /** It is not there any more. */
  readonly gone: boolean
}

const merged = <T>(before: readonly Staying<T>[], present: readonly T[], keyOf: (thing: T) => string) => {
  const there = new Set(present.map(keyOf))
  const behind = new Map<string | undefined, Staying<T>[]>()
  let place: string | undefined
  for (const { thing } of before) {
    const key = keyOf(thing)
    if (there.has(key)) place = key
    else behind.set(place, [...(behind.get(place) ?? []), { thing, gone: true }])
  }
  const first = behind.get(undefined) ?? []
  return [...first, ...present.flatMap((thing) => [{ thing, gone: false }, ...(behind.get(keyOf(thing)) ?? [])])]
}

/**
 * Everything that was listed, in its place: what is gone is to be hidden unless somebody is writing in it, whose text
 * would go along.
 */
export const useStaying = <T>(present: readonly T[], keyOf: (thing: T) => string): readonly Staying<T>[] => {
  const before = useRef<readonly Staying<T>[]>([])
  return useMemo(() => (before.current = merged(before.current, present, keyOf)), [present])
}
