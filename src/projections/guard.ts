/** Wraps a call, to map its errors or to make it again. */
export type Guard = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => (...args: A) => Promise<R>

/** Calls by name, each wrapped: none of a port can be forgotten. */
export const guardAll = <T extends Record<keyof T, (...args: never[]) => Promise<unknown>>>(
  calls: T,
  guard: Guard,
): T =>
  Object.fromEntries(
    Object.entries<(...args: never[]) => Promise<unknown>>(calls).map(([name, call]) => [name, guard(call)]),
  ) as T

type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

/** The calls of several ports as those of one. */
export const joined = <C extends readonly object[]>(calls: C): UnionToIntersection<C[number]> =>
  Object.assign({}, ...calls)
