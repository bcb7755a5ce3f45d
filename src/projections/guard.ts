/** Wraps a call to map its errors or to retry it. */
export type Guard = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => (...args: A) => Promise<R>

/** Wraps every method of a port. */
export const guardAll = <T extends Record<keyof T, (...args: never[]) => Promise<unknown>>>(
  calls: T,
  guard: Guard,
): T =>
  Object.fromEntries(
    Object.entries<(...args: never[]) => Promise<unknown>>(calls).map(([name, call]) => [name, guard(call)]),
  ) as T

type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

/** Joins the methods of several ports into one. */
export const joined = <C extends readonly object[]>(calls: C): UnionToIntersection<C[number]> =>
  Object.assign({}, ...calls)
