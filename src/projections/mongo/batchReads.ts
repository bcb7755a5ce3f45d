import { setImmediate as endOfTurn, setTimeout as delay } from 'node:timers/promises'
import type { Filter } from 'mongodb'
import { stateId, type Generation, type StateDocument, versionOf, type Stored } from './generations.ts'

/** Reads values by key; missing keys are left out. */
export type ReadMany<T> = (keys: readonly string[]) => Promise<Map<string, T>>

/** Calls with more keys than this are not batched. */
const fewKeys = 100

interface Gathered<T> {
  readonly keys: Set<string>
  readonly answer: Promise<Map<string, T>>
}

/**
 * Batches the reads of one turn into one (data loader).
 * @param patience milliseconds to wait for a running read, so that under load more are batched (default 0)
 */
export const batchReads = <T>(read: ReadMany<T>, patience = 0): ReadMany<T> => {
  let open: Gathered<T> | undefined
  let underWay: Promise<unknown> | undefined
  const send = (keys: readonly string[]): Promise<Map<string, T>> => {
    const answer = read(keys)
    const ended = answer
      .catch(() => undefined)
      .then(() => {
        if (underWay === ended) underWay = undefined
      })
    underWay = ended
    return answer
  }
  const begin = (): Gathered<T> => {
    const keys = new Set<string>()
    const answer = async (): Promise<Map<string, T>> => {
      await endOfTurn()
      if (patience > 0 && underWay) await Promise.race([underWay, delay(patience, undefined, { ref: false })])
      open = undefined
      return send([...keys])
    }
    return { keys, answer: answer() }
  }
  return async (keys) => {
    if (keys.length === 0) return new Map()
    if (keys.length > fewKeys) return read(keys)
    const gathered = (open ??= begin())
    for (const key of keys) gathered.keys.add(key)
    const found = await gathered.answer
    const mine = new Map<string, T>()
    for (const key of keys) {
      const value = found.get(key)
      if (value !== undefined) mine.set(key, value)
    }
    return mine
  }
}

/** Milliseconds that a read of a state waits for a running one. */
const patience = 20

type AnyGeneration = Pick<Generation, 'name' | 'state'>

/** Reads the state of a generation; `undefined` if the collection was emptied or dropped. */
export type StateReader = (generation: AnyGeneration) => Promise<StateDocument | undefined>

/** Batches reads of a generation's state per turn. */
export const gatheringStates = (): StateReader => {
  const readers = new WeakMap<AnyGeneration, ReadMany<StateDocument>>()
  return async (generation) => {
    const { name, state } = generation
    const read: ReadMany<StateDocument> = async () => {
      const found = await state.findOne({ _id: stateId })
      return new Map(found === null ? [] : [[name, found]])
    }
    const reader = readers.get(generation) ?? batchReads(read, patience)
    readers.set(generation, reader)
    return (await reader([name])).get(name)
  }
}

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
