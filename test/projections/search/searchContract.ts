import { describe } from 'vitest'
import type { MakeReadModels } from '../entities/contract/support.ts'
import { counting } from '../entities/contract/counting.ts'
import { finding } from '../entities/contract/finding.ts'
import { ranking } from '../entities/contract/ranking.ts'
import { suggesting } from '../entities/contract/suggesting.ts'

/**
 * What search and suggestions of every adapter of the `ReadModels` port must give: the same hits in the same order with
 * the same scores.
 * @param make gives empty read models; each test has its own
 * @param runs how many random queries are compared with a search of every entity
 */
export const searchContract = (name: string, make: MakeReadModels, { runs = 300 } = {}): void => {
  describe(`${name}: the search contract`, () => {
    finding(make, runs)
    counting(make, runs)
    ranking(make)
    suggesting(make)
  })
}
