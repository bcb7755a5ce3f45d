import { expect, it } from 'vitest'
import { makeGuards } from '../../../../src/api/http/guards.ts'
import { setLimit } from '../../../support/limits.ts'

it('a client that left takes no memory for bodies any more, even where its body was still being inflated', () => {
  setLimit('bodies', 1000)
  const { claim } = makeGuards()
  for (let request = 0; request < 5; request++) {
    const left = claim('ann')
    left.add(50)
    left.release()
    left.add(200)
  }
  expect(() => claim('ann').add(250)).not.toThrow()
})
