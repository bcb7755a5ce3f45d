import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { goesOn } from '../../console/src/ui/pages.ts'

it('A list goes on by itself until there is no more of it, or its next page fails', async () => {
  const list = new InfiniteQueryObserver(new QueryClient(), {
    queryKey: ['list'],
    queryFn: async ({ pageParam }) => {
      if (pageParam === 2) throw new Error('Too many requests.')
      return pageParam
    },
    initialPageParam: 0,
    getNextPageParam: (_, pages) => (pages.length < 4 ? pages.length : undefined),
    retry: false,
  })
  const next = async (): Promise<boolean> => goesOn(await list.fetchNextPage())
  expect(goesOn(await list.refetch())).toBe(true)
  expect([await next(), await next()]).toEqual([true, false])
  expect(list.getCurrentResult().data?.pages).toEqual([0, 1])
})
