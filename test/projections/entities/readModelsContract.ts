import { describe } from 'vitest'
import { agreeing } from './contract/agreeing.ts'
import { applying } from './contract/applying.ts'
import { listing } from './contract/listing.ts'
import { rebuilding } from './contract/rebuilding.ts'
import { relating } from './contract/relating.ts'
import { rereading } from './contract/rereading.ts'
import type { MakeReadModels } from './contract/support.ts'

export type { MakeReadModels, ReadModelsUnderTest } from './contract/support.ts'

/**
 * What every adapter of the `ReadModels` port must do, but for search.
 * @param make gives empty read models; each test has its own
 * @param runs how many random histories are compared with a model
 */
export const readModelsContract = (name: string, make: MakeReadModels, { runs = 150 } = {}): void => {
  describe(`${name}: the read models contract`, () => {
    applying(make)
    listing(make)
    relating(make)
    rebuilding(make)
    agreeing(make, runs)
    rereading(make, runs)
  })
}
