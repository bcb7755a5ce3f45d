import type { Filter } from 'mongodb'
import { gathering, type ReadMany } from './gather.ts'
import { readState, versionOf, type Generation, type Stored } from './generations.ts'

/** Reads the totals of lists. */
export interface Totals<D extends Stored> {
  count(generation: Generation<D>, filter: Filter<D>): Promise<number>
}

/** A generation, whatever its documents. */
type AnyGeneration = Pick<Generation, 'name' | 'state'>

const maxTotals = 2000

/** Reads the version of a generation, once for all who ask in the same turn. */
const makeVersions = (): ((generation: AnyGeneration) => Promise<string>) => {
  const readers = new WeakMap<AnyGeneration, ReadMany<string>>()
  return async (generation) => {
    const { name } = generation
    const read = async () => new Map([[name, `${name} ${versionOf(await readState(generation))}`]])
    const reader = readers.get(generation) ?? gathering(read)
    readers.set(generation, reader)
    return (await reader([name])).get(name) as string
  }
}

/**
 * Totals are counted on the keys of an index. A count is kept until documents have been written, by whatever process:
 * the generation's state tells.
 */
export const makeTotals = <D extends Stored>(): Totals<D> => {
  const versionNow = makeVersions()
  let kept = new Map<string, Promise<number>>()
  let keptFor = ''
  return {
    count: async (generation, filter) => {
      const version = await versionNow(generation)
      if (version !== keptFor || kept.size > maxTotals) {
        kept = new Map()
        keptFor = version
      }
      const totals = kept
      const key = JSON.stringify(filter)
      const known = totals.get(key)
      if (known !== undefined) return known
      const counted = generation.documents.countDocuments(filter)
      totals.set(key, counted)
      counted.catch(() => totals.delete(key))
      return counted
    },
  }
}
