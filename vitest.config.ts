import { defineConfig } from 'vitest/config'
import { patience } from './test/support/patience.ts'
export default defineConfig({ test: { ...patience, include: ['test/**/*.test.ts'] } })
