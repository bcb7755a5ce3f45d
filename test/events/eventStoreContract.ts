import { afterAll, beforeAll, describe } from 'vitest'
import type { EventStore } from '../../src/events/eventStore.ts'
import { appending } from './contract/appending.ts'
import { closing } from './contract/closing.ts'
import { conditions } from './contract/conditions.ts'
import { following } from './contract/following.ts'
import { reading } from './contract/reading.ts'
import { repeating } from './contract/repeating.ts'
import type { StoreUnderTest } from './contract/support.ts'

export type { StoreUnderTest } from './contract/support.ts'

/**
 * What every adapter of the {@link EventStore} port must do. Each test uses streams of its own and looks at nothing
 * else, so the log may hold, and get, other events.
 */
export const eventStoreContract = (name: string, makeStore: () => Promise<StoreUnderTest>): void => {
  describe(`${name}: the event store contract`, () => {
    let underTest: StoreUnderTest
    const current = (): EventStore => underTest.store

    beforeAll(async () => {
      underTest = await makeStore()
    })
    afterAll(() => underTest.dispose())

    appending(current)
    conditions(current)
    repeating(current)
    reading(current)
    following(current)
    closing(makeStore)
  })
}
