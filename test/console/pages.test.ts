import { expect, it } from 'vitest'
import { firstPages, goesOn, isShort } from '../../console/src/ui/pages.ts'

const list = {
  hasNextPage: true,
  isFetching: false,
  isFetchingNextPage: false,
  isFetchNextPageError: false,
  error: null,
  fetchNextPage: () => undefined,
}

it('A list goes on by itself until there is no more of it, or its next page fails', () => {
  expect(goesOn(list)).toBe(true)
  expect(goesOn({ ...list, hasNextPage: false })).toBe(false)
  expect(goesOn({ ...list, isFetching: true })).toBe(false)
  expect(goesOn({ ...list, isFetchNextPageError: true, error: new Error('Too many requests.') })).toBe(false)
})

it('A list of more than five pages is not asked for again whenever somebody looks at it again', () => {
  expect([undefined, { entity: {} }, { pages: [1, 2, 3, 4, 5] }, { pages: [1, 2, 3, 4, 5, 6] }].map(isShort)).toEqual([
    true,
    true,
    true,
    false,
  ])
})

it('Five pages are kept of a long list that is asked for again after a write, so that it is not asked for whole', () => {
  const pages = [1, 2, 3, 4, 5, 6, 7]
  const kept = firstPages({ pages, pageParams: pages })
  expect(kept).toEqual({ pages: [1, 2, 3, 4, 5], pageParams: [1, 2, 3, 4, 5] })
  expect(isShort(kept)).toBe(true)
})
