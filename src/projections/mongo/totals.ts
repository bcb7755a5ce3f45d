import type { Filter } from 'mongodb'
import { batchReads, type BatchRead } from '../../shared/batchReads.ts'
import { memoize } from '../../shared/memoize.ts'
import { stateId, type Generation, type StateDocument, versionOf, type Stored } from './generations.ts'

/** Milliseconds that a read of a state waits for a running one. */
const patience = 20

/** Reads the state of a generation; `undefined` if the collection was emptied or dropped. */
export type StateReader = (generation: Generation) => Promise<StateDocument | undefined>

/** Batches reads of a generation's state per turn. */
export const batchedStates = (): StateReader => {
  const readerOf = memoize(({ name, state }: Generation) => {
    const read: BatchRead<StateDocument> = async () => {
      const found = await state.findOne({ _id: stateId })
      return new Map(found === null ? [] : [[name, found]])
    }
    return batchReads(read, patience)
  })
  return async (generation) => (await readerOf(generation)([generation.name])).get(generation.name)
}

const maxTotals = 2000

const textOfNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** Caches totals, counted on index keys, until the generation's state reports writes. */
export const makeTotalCache = (state: StateReader) => {
  let kept = new Map<string, Promise<number>>()
  let keptFor = ''
  return {
    count: async (generation: Generation, filter: Filter<Stored>): Promise<number> => {
      const version = `${generation.name} ${versionOf(await state(generation))}`
      if (version !== keptFor || kept.size > maxTotals) {
        kept = new Map()
        keptFor = version
      }
      const totals = kept
      const key = JSON.stringify(filter, textOfNumber)
      const known = totals.get(key)
      if (known !== undefined) return known
      const counted = generation.documents.countDocuments(filter)
      totals.set(key, counted)
      counted.catch(() => totals.delete(key))
      return counted
    },
  }
}
