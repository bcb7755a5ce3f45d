import { gathering, type ReadMany } from './gather.ts'
import { stateId, stateIn, type Generation, type Layout, type StateDocument } from './generations.ts'

/** Milliseconds for which a read of a state waits for the one before it. */
const patience = 20

type AnyGeneration = Pick<Generation, 'name' | 'state'>

/** Reads the state of a generation; `undefined` when somebody has emptied or dropped the collection. */
export type StateReader = (generation: AnyGeneration) => Promise<StateDocument | undefined>

/** Reads the state of a generation once for all who ask in a turn. @param looking is told what each read found */
export const gatheringStates = (looking?: Layout['looking']): StateReader => {
  const readers = new WeakMap<AnyGeneration, ReadMany<StateDocument>>()
  return async (generation) => {
    const { name, state } = generation
    const read: ReadMany<StateDocument> = async () => {
      const saw = looking?.()
      const found = await state.findOne({ _id: stateId }).catch((error: unknown) => {
        saw?.(name, undefined)
        throw error
      })
      saw?.(name, stateIn(found ?? undefined))
      return new Map(found === null ? [] : [[name, found]])
    }
    const reader = readers.get(generation) ?? gathering(read, patience)
    readers.set(generation, reader)
    return (await reader([name])).get(name)
  }
}
