import { defineConfig } from 'vitest/config'
import { patience } from '../support/patience.ts'

/** One file after the other: they share two servers, and some make these fail. */
export default defineConfig({
  test: { ...patience, include: ['test/**/*.test.ts'], fileParallelism: false },
})
