import { gathering, type ReadMany } from './gather.ts'
import { stateId, type Generation, type StateDocument } from './generations.ts'

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
    const reader = readers.get(generation) ?? gathering(read, patience)
    readers.set(generation, reader)
    return (await reader([name])).get(name)
  }
}
