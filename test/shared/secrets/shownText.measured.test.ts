import { expect, it } from 'vitest'
import { maskText } from '../../../src/shared/secrets/shownText.ts'
import { atThisPace, processorTimeAtBest } from '../../support/processorTime.ts'

it('What is harmless of a text is worked out in time that grows with the text, whatever stands in it', () => {
  const signs = ['{', '"', "'", ';', '=', ':', '/', '@', ',', 'a:', '={', '?&', '://', '1a']
  const cost = (length: number): number =>
    processorTimeAtBest(() => {
      for (const sign of signs)
        for (const name of ['url', 'user', 'x']) maskText(name, sign.repeat(length / sign.length))
    })
  expect(cost(4000)).toBeLessThan(atThisPace(50))
  expect(cost(400_000)).toBeLessThan(atThisPace(50))
})
