import { setTimeout as delay } from 'node:timers/promises'
import { overtaken } from './errors.ts'
import type { Entity } from './evolve.ts'
import type { Commands, Precondition } from './handleCommand.ts'

/** The entity is no longer what a request was worked out on. */
class MovedOn extends Error {
  override readonly name = 'MovedOn'
  readonly position: bigint | undefined
  constructor(position: bigint | undefined) {
    super('The entity has changed since it was read.')
    this.position = position
  }
}

const attempts = 20

/** Holds while the entity is what was read, and what the client demands holds too. */
export const unmoved =
  (read: Entity | undefined, demanded?: Precondition): Precondition =>
  (entity) => {
    demanded?.(entity)
    if (entity?.revision !== read?.revision) throw new MovedOn(entity?.position)
  }

/**
 * Works out a request that depends on what was read, such as a patch, and again on the newer state when others came first:
 * its command must have the precondition {@link unmoved}.
 * @param otherwise what is thrown when others keep coming first
 * @throws DomainError
 */
export const onLatest = async <T>(
  { projected }: Pick<Commands, 'projected'>,
  otherwise: 'conflict' | 'busy',
  work: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof MovedOn)) throw error
      if (error.position !== undefined) await projected(error.position)
      await delay(Math.random() * 5 * (attempt - 1))
    }
  }
  throw overtaken(otherwise)
}
