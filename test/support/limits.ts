import { onTestFinished } from 'vitest'
import { limits } from '../../src/shared/limits.ts'

/** Changes a limit until the test has finished. */
export const setLimit = (name: keyof typeof limits, value: number): void => {
  const limit = limits[name]
  const before = limit.value
  Object.assign(limit, { value })
  onTestFinished(() => void Object.assign(limit, { value: before }))
}
