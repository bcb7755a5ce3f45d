import { expect, it } from 'vitest'
import { applyJsonPatch as applyInSteps } from '../../../src/api/entities/patch.ts'
import type { Json, JsonObject } from '../../../src/shared/json.ts'
import { runToEnd } from '../../../src/shared/yieldToEventLoop.ts'
import { limits } from '../../../src/shared/limits.ts'
import { atThisPace, processorTimeAtBest } from '../../support/processorTime.ts'

const applyJsonPatch = (document: JsonObject, patch: unknown): Json => runToEnd(applyInSteps(document, patch))

const columns = Array.from({ length: 9000 }, (_, at) => ({ name: `column_${at}`, description: 'd'.repeat(60) }))
const large = { columns, extension: { a: 1 } }

it('The time that a JSON Patch takes grows with document and patch, and not with their product', () => {
  const moves = Array.from({ length: limits.patchOperations.value }, (_, at) =>
    at % 2 === 0
      ? { op: 'move', from: '/extension/a', path: '/extension/b' }
      : { op: 'move', from: '/extension/b', path: '/extension/a' },
  )
  expect(processorTimeAtBest(() => applyJsonPatch(large, moves))).toBeLessThan(atThisPace(1500))
  const wholes = moves.map((_, at) => ({
    op: 'move',
    from: at % 2 ? '/b' : '/columns',
    path: at % 2 ? '/columns' : '/b',
  }))
  expect(processorTimeAtBest(() => applyJsonPatch(large, wholes))).toBeLessThan(atThisPace(1500))
})
