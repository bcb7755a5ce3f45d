/**
 * Closes all, one after the other, also after one that fails.
 * @throws the error; an AggregateError of several
 */
export const closeAll = async (closes: Iterable<() => unknown>): Promise<void> => {
  const errors: Error[] = []
  for (const close of closes)
    try {
      await close()
    } catch (error) {
      errors.push(error as Error)
    }
  const [first, ...others] = errors
  if (first === undefined) return
  if (others.length === 0) throw first
  throw new AggregateError(errors, errors.map(({ message }) => message).join(' '))
}
