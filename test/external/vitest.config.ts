import { defineConfig } from 'vitest/config'

/** One file after the other: they share two servers, and some make these fail. */
export default defineConfig({
  test: { testTimeout: 180_000, hookTimeout: 120_000, include: ['test/**/*.test.ts'], fileParallelism: false },
})
