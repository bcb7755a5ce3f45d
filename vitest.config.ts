import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { patience } from './test/support/patience.ts'

/** What measures how long something computes, or how much memory it takes. */
const measures = /from '.*\/(processorTime|longestTurn|turns|memory|measured)\.ts'/

const every = 'test/**/*.test.ts'

/** Tests that measure run after the others and one at a time: what others do beside them would be measured too. */
const measuring = globSync(every).filter((file) => measures.test(readFileSync(file, 'utf8')))

export default defineConfig({
  test: {
    ...patience,
    projects: [
      { extends: true, test: { name: 'other', include: [every], exclude: measuring, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: { name: 'measuring', include: measuring, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
