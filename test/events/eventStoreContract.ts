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

type Suite = (current: () => EventStore) => void

const describeStore = (title: string, makeStore: () => Promise<StoreUnderTest>, ...suites: Suite[]): void => {
  describe(title, () => {
    let underTest: StoreUnderTest

    beforeAll(async () => {
      underTest = await makeStore()
    })
    afterAll(() => underTest.dispose())

    for (const suite of suites) suite(() => underTest.store)
  })
}

/**
 * What every adapter of the {@link EventStore} port must do. Each test uses streams of its own and looks at nothing
 * else, so the log may hold, and get, other events.
 */
export const eventStoreContract = (name: string, makeStore: () => Promise<StoreUnderTest>): void =>
  describeStore(
    `${name}: the event store contract`,
    makeStore,
    appending,
    conditions,
    repeating,
    reading,
    following,
    () => closing(makeStore),
  )

/** What of it looks at the newest events, which may be in memory or not. */
export const newestEventsContract = (name: string, makeStore: () => Promise<StoreUnderTest>): void =>
  describeStore(`${name}: conditions and subscriptions`, makeStore, conditions, following)
