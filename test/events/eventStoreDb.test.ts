import { hasEventStoreDb, skippedOutLoud, storeUnderTest } from '../support/eventStoreDb.ts'
import { eventStoreContract } from './eventStoreContract.ts'

skippedOutLoud('eventStoreDb.test.ts')

if (hasEventStoreDb) eventStoreContract('EventStoreDB', () => storeUnderTest())
