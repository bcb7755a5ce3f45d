import type { Filter } from 'mongodb'
import { versionOf, type Generation, type Stored } from './generations.ts'
import type { StateReader } from './batchReads.ts'

export interface Totals<D extends Stored> {
  count(generation: Generation<D>, filter: Filter<D>): Promise<number>
}

const maxTotals = 2000

/** Caches totals, counted on index keys, until the generation's state reports writes. */
export const makeTotalCache = <D extends Stored>(state: StateReader): Totals<D> => {
  let kept = new Map<string, Promise<number>>()
  let keptFor = ''
  return {
    count: async (generation, filter) => {
      const version = `${generation.name} ${versionOf(await state(generation))}`
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
