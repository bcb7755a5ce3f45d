import { expect, it } from 'vitest'
import { makeGuards } from '../../../../src/api/http/guards.ts'

it('a client that left takes no memory for bodies any more, even where its body was still being inflated', () => {
  const { claim } = makeGuards({ bodies: 1000 })
  for (let request = 0; request < 5; request++) {
    const left = claim('ann')
    left.add(50)
    left.release()
    left.add(200)
  }
  expect(() => claim('ann').add(250)).not.toThrow()
})
