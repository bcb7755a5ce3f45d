import { expect, it } from 'vitest'
import { isOfPresentLife } from '../../console/src/time/lives.ts'

it('Moments before the last deletion for good belong to lives that are over', () => {
  const of = (...verbs: string[]) =>
    verbs.map((_, at) =>
      isOfPresentLife(
        verbs.map((verb) => ({ verb })),
        at,
      ),
    )
  expect(of('Created', 'Updated')).toEqual([true, true])
  expect(of('Created', 'HardDeleted', 'Created', 'Updated')).toEqual([false, false, true, true])
  expect(of('Created', 'HardDeleted')).toEqual([false, false])
})
