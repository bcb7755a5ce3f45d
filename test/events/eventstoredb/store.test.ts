import { describe } from 'vitest'
import { hasEventStoreDb, skippedOutLoud, storeUnderTest } from '../../support/eventStoreDb.ts'
import { eventStoreContract } from '../eventStoreContract.ts'

skippedOutLoud('eventStoreDb.test.ts')

describe.skipIf(!hasEventStoreDb)('a running server', () => eventStoreContract('EventStoreDB', () => storeUnderTest()))
